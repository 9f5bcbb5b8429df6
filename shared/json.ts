import { formatDecimal, parseNumber } from './decimal.ts';

const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;

/** A string, and behind it a colon and a number where it is the name of one. Every quote of a text belongs to a match. */
const STRING_OR_NUMBER_MEMBER = new RegExp(String.raw`("(?:[^"\\]|\\.)*"?)(?:(\s*:\s*)(${NUMBER})(?=[\s,}]))?`, 'g');

/**
 * Writes the numbers under the named keys as strings with all their digits, which a JSON parser would round. One that is
 * too long or too large for a decimal stays a number. A text that is no JSON stays none; some throw `SyntaxError` already
 * here.
 */
export function quoteDecimals(text: string, keys: ReadonlySet<string>): string {
  return text.replace(STRING_OR_NUMBER_MEMBER, (whole: string, name: string, colon?: string, written?: string) => {
    if (colon === undefined || written === undefined || !keys.has(JSON.parse(name))) return whole;
    const number = parseNumber(written);
    return number ? `${name}${colon}"${formatDecimal(number)}"` : whole;
  });
}

/**
 * Makes a parser for long texts, where `quoteDecimals` would spend its time on thousands of strings that nobody asked
 * for: the numbers under the named keys come out as strings, as they were written. Throws `SyntaxError`.
 */
export function createNumberKeeper(keys: Iterable<string>): (text: string) => unknown {
  // Only a key can match: inside a string a quote has a backslash before it, and a value has no colon behind it.
  const pattern = new RegExp(`("(?:${[...keys].join('|')})"\\s*:\\s*)(${NUMBER}(?=[\\s,}]))`, 'g');
  return (text) => JSON.parse(text.replace(pattern, '$1"$2"'));
}
