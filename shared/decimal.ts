/**
 * An exact decimal, `coefficient / 10^scale`, always in lowest terms, so equal numbers are equal records. Inside the
 * service, prices and sizes have this type: no binary floating point, no rounding.
 */
export interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

declare global {
  interface JSON {
    /** ECMAScript's access to the source text, which TypeScript's library does not declare yet. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** JSON's own number grammar, so that the digits of a JSON number and of a decimal string are read alike. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** The notation that `formatDecimal` writes and `parseDecimal` reads. */
export const PLAIN_DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
/** Longer texts are not prices or sizes; the bound keeps BigInt arithmetic cheap. */
export const MAX_TEXT_LENGTH = 100;

/** Creates a decimal from units of 10^-decimals; `decimals` may be below zero. */
export function fromUnits(units: bigint, decimals: number): Decimal {
  let c = units;
  let s = decimals;
  while (s > 0 && c % 10n === 0n) {
    c /= 10n;
    s -= 1;
  }
  return s < 0 ? { coefficient: c * 10n ** BigInt(-s), scale: 0 } : { coefficient: c, scale: s };
}

/** Reads a JSON number's text, exponent included; `undefined` for anything else, and above 100 characters. */
export function parseNumber(text: string): Decimal | undefined {
  const match = text.length <= MAX_TEXT_LENGTH ? NUMBER.exec(text) : null;
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > MAX_TEXT_LENGTH) return undefined;
  return fromUnits(BigInt(`${sign}${whole}${fraction}`), scale);
}

/** Reads plain decimal notation (`0.51`, `-3`); `undefined` for anything else, exponents included. */
export function parseDecimal(text: string): Decimal | undefined {
  return PLAIN_DECIMAL.test(text) ? parseNumber(text) : undefined;
}

/** Reads a decimal that was checked before; throws a `RangeError` for another text. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (!decimal) throw new RangeError('a text is no decimal');
  return decimal;
}

/** Plain notation without exponent and without superfluous zeros. */
export function formatDecimal({ coefficient, scale }: Decimal): string {
  if (scale === 0) return coefficient.toString();
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().padStart(scale + 1, '0');
  return `${coefficient < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Writes a number of units of 10^-decimals in plain notation. */
export function formatUnits(units: bigint, decimals: number): string {
  return formatDecimal(fromUnits(units, decimals));
}

function align(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const scale = Math.max(a.scale, b.scale);
  return [a.coefficient * 10n ** BigInt(scale - a.scale), b.coefficient * 10n ** BigInt(scale - b.scale)];
}

/** Returns a negative number, zero or a positive one if `a` is below, equal to or above `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [x, y] = align(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y] = align(a, b);
  return fromUnits(x + y, Math.max(a.scale, b.scale));
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  const [x, y] = align(a, b);
  return fromUnits(x - y, Math.max(a.scale, b.scale));
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return fromUnits(a.coefficient * b.coefficient, a.scale + b.scale);
}

export function sumDecimals(decimals: readonly Decimal[]): Decimal {
  return decimals.reduce(addDecimals, ZERO);
}

/** Adds the texts of two decimals. */
export function addTexts(a: string, b: string): string {
  return formatDecimal(addDecimals(toDecimal(a), toDecimal(b)));
}

/** Subtracts the texts of two decimals. */
export function subtractTexts(a: string, b: string): string {
  return formatDecimal(subtractDecimals(toDecimal(a), toDecimal(b)));
}

/** Compares the texts of two decimals, as `compareDecimals`. */
export function compareTexts(a: string, b: string): number {
  return compareDecimals(toDecimal(a), toDecimal(b));
}

/** Returns true for a whole number of `step`s; `step` is above zero. */
export function isMultipleOf(value: Decimal, step: Decimal): boolean {
  const [x, y] = align(value, step);
  return x % y === 0n;
}

/** The value in units of 10^-decimals, or `undefined` when it has more decimals than that. */
export function toUnits({ coefficient, scale }: Decimal, decimals: number): bigint | undefined {
  return scale > decimals ? undefined : coefficient * 10n ** BigInt(decimals - scale);
}

/** Decimals of collateral and shares alike, which are counted in millionths (https://docs.polymarket.com, page "place orders"). */
export const UNIT_DECIMALS = 6;

export const ONE: Decimal = { coefficient: 1n, scale: 0 };
export const ZERO: Decimal = { coefficient: 0n, scale: 0 };
