import type { SignatureType } from '../../../shared/settings/table.ts';
import { deriveAccounts } from '../../../shared/venue/polymarket/accounts.ts';

/** The account of a kind that the key of an address controls; of two deposit wallets the one of today. */
export function funderOf(address: string, kind: SignatureType): string {
  const account = deriveAccounts(address).find(({ signatureType }) => signatureType === kind);
  if (!account) throw new Error(`no account of kind ${kind}`);
  return account.address;
}
