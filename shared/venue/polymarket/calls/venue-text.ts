import type { ApiCredentials } from '../../../account.ts';

const MAX_REASON_LENGTH = 200;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Matches possible credentials and addresses, without the name before them (`maker=`). */
const WORDS = /[A-Za-z0-9+/_-]{16,}=*/g;

/** Returns true for digits mixed with other characters, and for letters longer than any word; numbers are ids. */
function looksLikeCredential(word: string): boolean {
  if (ADDRESS.test(word)) return false;
  return (/\d/.test(word) && /\D/.test(word)) || /[A-Za-z]{24,}/.test(word);
}

/** Returns what a message of the venue may repeat of API credentials. */
export function secretsOf({ key, secret, passphrase }: ApiCredentials): readonly string[] {
  return [key, secret.reveal(), passphrase.reveal()];
}

/** Removes the given secrets, none of them empty, and everything else that looks like a credential; addresses stay. */
export function cleanVenueReason(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[removed]'), text);
  const cleaned = withoutSecrets
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(WORDS, (word) => (looksLikeCredential(word) ? '[removed]' : word))
    .trim();
  return Array.from(cleaned).slice(0, MAX_REASON_LENGTH).join('');
}
