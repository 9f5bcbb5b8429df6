// This folder: the service's own key (`evm-key.ts`), and the kinds of wallets by which clients sign, a file each. It knows
// nothing of a venue or of an order.
import { EVM } from './evm.ts';
import { SOLANA } from './solana.ts';

/**
 * A kind of wallet by which clients sign. Another kind is another file in this folder and an entry below. Accounts that
 * have a key are checked without their chain.
 */
interface WalletKind {
  /** Returns the one canonical form of a client's address; `undefined` for a text that is no address of this kind. */
  canonicalAddress(text: string): string | undefined;
  /** Returns the hash to check with a contract at the address (EIP-191); absent if contracts cannot sign. */
  messageHash?(text: string): string;
  /**
   * Checks a signature over the bytes of a text. `address` is canonical. `malformed` and `no_base58`: not in the one form
   * that a signature of this kind has. `low_v`: right but for its v. `contract`: of a contract wallet. `foreign` and
   * `foreign_bytes`: of another address or text. Never throws.
   */
  check(
    signature: string,
    signed: { readonly text: string; readonly address: string },
  ): 'valid' | 'malformed' | 'low_v' | 'contract' | 'foreign' | 'foreign_bytes' | 'no_base58';
}

/** The kinds of wallets that clients may sign with. No text is an address of two of them. */
export const WALLET_KINDS: readonly WalletKind[] = [EVM, SOLANA];
