/** Returns a foreign text without the characters that control a terminal or reverse its direction, cut to a length. */
export function withoutControls(text: string, atMost = 200): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, atMost);
}
