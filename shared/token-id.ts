const MAX_UINT256 = 2n ** 256n - 1n;

/** What the canonical form looks like; of 78 digits some are above a uint256. */
export const TOKEN_ID_PATTERN = /^(0|[1-9]\d{0,77})$/;

export const TOKEN_ID_RULE = 'must be an outcome token id: a uint256 in decimal, without sign or leading zeros.';

/** Whether the text is the canonical decimal form of a uint256. Ids stay strings: a JavaScript number loses digits. */
export function isTokenId(text: string): boolean {
  return TOKEN_ID_PATTERN.test(text) && BigInt(text) <= MAX_UINT256;
}
