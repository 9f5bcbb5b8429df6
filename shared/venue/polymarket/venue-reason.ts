/** Characters of a venue's sentence that are passed on. */
const MAX_LENGTH = 200;

function looksLikeCredential(word: string): boolean {
  if (/^0x[0-9a-fA-F]{40}$/.test(word) || /^\d+$/.test(word)) return false;
  return /\d/.test(word) && /[A-Za-z]/.test(word);
}

/**
 * The venue's sentence as it may be passed on: addresses are kept, everything else that looks like a credential is
 * removed, and so are the given secrets.
 */
export function cleanVenueReason(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets
    .filter((secret) => secret !== '')
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[removed]'), text);
  return withoutSecrets
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[A-Za-z0-9+/_=-]{16,}/g, (word) => (looksLikeCredential(word) ? '[removed]' : word))
    .trim()
    .slice(0, MAX_LENGTH);
}
