import { EVM } from './evm.ts';
import type { WalletKind } from './kind.ts';
import { SOLANA } from './solana.ts';

/** No text is an address of two of them. */
export const WALLET_KINDS: readonly WalletKind[] = [EVM, SOLANA];
