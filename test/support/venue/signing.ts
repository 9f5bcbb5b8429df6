import type { SignatureType } from '../../../shared/account.ts';
import { deriveAccounts } from '../../../shared/venue/polymarket/accounts.ts';

/** The accounts of each address that a file of tests asks for, derived once: its hashes are slow under jest. */
const derived = new Map<string, ReturnType<typeof deriveAccounts>>();

/** The account of a kind that the key of an address controls; of two deposit wallets the one of today. */
export function funderOf(address: string, kind: SignatureType): string {
  const accounts = derived.get(address) ?? deriveAccounts(address);
  derived.set(address, accounts);
  const account = accounts.find(({ signatureType }) => signatureType === kind);
  if (!account) throw new Error(`no account of kind ${kind}`);
  return account.address;
}

/** The members of the venue's order as EIP-712 knows them (the venue's documentation), written down apart from the code. */
export const ORDER_TYPE = [
  ['salt', 'uint256'],
  ['maker', 'address'],
  ['signer', 'address'],
  ['tokenId', 'uint256'],
  ['makerAmount', 'uint256'],
  ['takerAmount', 'uint256'],
  ['side', 'uint8'],
  ['signatureType', 'uint8'],
  ['timestamp', 'uint256'],
  ['metadata', 'bytes32'],
  ['builder', 'bytes32'],
].map(([name = '', type = '']) => ({ name, type }));
