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
