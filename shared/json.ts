import { formatDecimal, parseNumber } from './decimal.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  interface JSON {
    /** ECMAScript's source text access, which TypeScript's library does not declare yet. */
    parse(text: string, reviver: Reviver): unknown;
  }
}

/**
 * Parses JSON; the numbers under the named keys come out as plain decimal strings with the digits that were written,
 * since a JavaScript number would round them. One that is too long or too large for a decimal stays a number.
 * Throws `SyntaxError`.
 */
export function parseJsonExactly(text: string, decimalKeys: ReadonlySet<string>): unknown {
  return JSON.parse(text, (key, value, { source }) => {
    if (typeof value !== 'number' || !decimalKeys.has(key)) return value;
    const number = parseNumber(source ?? '');
    return number ? formatDecimal(number) : value;
  });
}

/**
 * Makes a parser for long texts, where `parseJsonExactly` would spend its time on thousands of values that nobody
 * asked for: the numbers under the named keys come out as strings, as they were written. Throws `SyntaxError`.
 */
export function createNumberKeeper(keys: Iterable<string>): (text: string) => unknown {
  // Only a key can match: inside a string a quote has a backslash before it, and a value has no colon behind it.
  const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}])`;
  const pattern = new RegExp(`("(?:${[...keys].join('|')})"\\s*:\\s*)(${number})`, 'g');
  return (text) => JSON.parse(text.replace(pattern, '$1"$2"'));
}
