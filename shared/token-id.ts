const MAX_UINT256 = 2n ** 256n - 1n;

/** The canonical form of a token id; of 78 digits some are above a uint256. */
export const TOKEN_ID_PATTERN = /^(0|[1-9]\d{0,77})$/;

/** Completes the sentence about a malformed token id. */
export const TOKEN_ID_RULE =
  'must be an outcome token id: a uint256 in decimal, without sign or leading zeros, as outcomes[].token_id of GET /v1/markets has it.';

/** Returns true for the canonical decimal form of a uint256. Ids stay strings: a JavaScript number loses digits. */
export function isTokenId(text: string): boolean {
  return TOKEN_ID_PATTERN.test(text) && BigInt(text) <= MAX_UINT256;
}
