/** Characters of a venue's sentence that are passed on. */
const MAX_LENGTH = 200;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** What may be a credential, or an address; the end of a name (`maker=`) does not belong to it. */
const WORDS = /0x[0-9a-fA-F]{40}(?![\w+/-])|[A-Za-z0-9+/_-]{16,}=*/g;

/** Digits mixed with anything else, or letters without a break for longer than any word. Numbers are token ids and amounts. */
function looksLikeCredential(word: string): boolean {
  if (ADDRESS.test(word)) return false;
  return (/\d/.test(word) && /\D/.test(word)) || /[A-Za-z]{24,}/.test(word);
}

/**
 * The venue's sentence as it may be passed on: addresses are kept, everything else that looks like a credential is
 * removed, and so are the given secrets.
 */
export function cleanVenueReason(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets
    .filter((secret) => secret !== '')
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[removed]'), text);
  const cleaned = withoutSecrets
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(WORDS, (word) => (looksLikeCredential(word) ? '[removed]' : word))
    .trim();
  return Array.from(cleaned).slice(0, MAX_LENGTH).join('');
}
