import * as z from 'zod/mini';
import type { PriceLevel } from '../../contract/book.ts';
import { compareDecimals, type Decimal, formatDecimal, fromUnits, parseNumber, ZERO } from '../../decimal.ts';

/** The parts that the venue's answers share. A descriptive field is lenient (`null`); one that decides about money is not. */

/** Any value, or none: without `optional` a missing member would make the record invalid. */
export const anything = z.optional(z.unknown());

/** The members of a schema for a record of the official client: an update of it that renames one breaks the types. */
export type Members<T> = { readonly [Name in keyof T]?: z.core.$ZodType };

/** Creates the schema of a member of any type, which a function reads. */
export function readBy<T>(read: (value: unknown) => T) {
  return z.pipe(anything, z.transform(read));
}

/** Creates the schema of a descriptive member: `null` for one of another form. */
export function lenient<T extends z.ZodMiniType>(form: T) {
  return z.catch(z.nullable(form), null);
}

/** Parses the text of an answer as JSON; returns `undefined` for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A page of a hundred markets has some 30,000 members; to read the digits of a million numbers takes seconds. */
const MAX_MEMBERS = 100_000;

function hasTooManyMembers(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf(','); at !== -1 && count <= MAX_MEMBERS; at = text.indexOf(',', at + 1)) count += 1;
  return count > MAX_MEMBERS;
}

/**
 * Parses JSON with its numbers in the digits that were written; returns `undefined` for another text, and for one with more
 * members than an answer of the venue has.
 */
export function parseExactly(text: string): unknown {
  if (hasTooManyMembers(text)) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, { source }) => (typeof value === 'number' ? source : value));
  } catch {
    return undefined;
  }
}

/** Most decimals of the venue are in canonical form or have zeros at their end, and need no parsing. */
const CANONICAL = /^(?:0|[1-9]\d{0,30})(?:\.\d{0,30}[1-9])?$/;
const WITH_ZEROS = /^(?:0|[1-9]\d{0,30})\.\d{0,30}0$/;

/** The venue's decimals in any plain spelling: ".48", "48.", "007". */
const LOOSE = /^(\d{0,50})(?:\.(\d{0,50}))?$/;

function parseLoose(value: string): Decimal | undefined {
  const [, whole = '', fraction = ''] = LOOSE.exec(value) ?? [];
  return whole + fraction === '' ? undefined : fromUnits(BigInt(whole + fraction), fraction.length);
}

/** A decimal at or above zero in canonical form, `null` for anything else. */
export function decimalOrNull(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (CANONICAL.test(value)) return value;
  if (WITH_ZEROS.test(value)) return value.replace(/\.?0+$/, '');
  const decimal = parseNumber(value) ?? parseLoose(value);
  return decimal && compareDecimals(decimal, ZERO) >= 0 ? formatDecimal(decimal) : null;
}

export const lenientDecimal = readBy(decimalOrNull);

/** A decimal string at or above zero, put into canonical form. */
export const decimalText = z.pipe(lenientDecimal, z.string());

/**
 * Reads a time of the venue as milliseconds of the Unix epoch; `undefined` for anything else. The venue sends seconds, and at
 * times milliseconds, which have 13 digits.
 */
export function epochMs(value: unknown): number | undefined {
  const digits = String(value);
  if (/^\d{13}$/.test(digits)) return Number(digits);
  return /^\d{1,11}$/.test(digits) ? Number(digits) * 1_000 : undefined;
}

export const lenientString = lenient(z.string());

/** `0x` and 64 hex digits; protocol v2's 62 are padded on the right (https://docs.polymarket.com, "migrate", Polymarket v2). */
export const lenientConditionId = readBy((value) => {
  const hex = typeof value === 'string' ? /^0x([0-9a-fA-F]{62}(?:[0-9a-fA-F]{2})?)$/.exec(value)?.[1] : undefined;
  return hex === undefined ? null : `0x${hex.padEnd(64, '0')}`;
});

/** Returns true for a price or a tick inside (0, 1): in canonical form only these begin with `0.`. */
export function isInside(decimal: string): boolean {
  return decimal.startsWith('0.');
}

/** A price from 0 to 1 in canonical form, `null` for anything else. */
export function priceOrNull(value: unknown): string | null {
  const price = decimalOrNull(value);
  return price !== null && (isInside(price) || price === '0' || price === '1') ? price : null;
}

export const lenientPrice = readBy(priceOrNull);

function parseLevel(level: unknown): PriceLevel | null {
  if (typeof level !== 'object' || level === null || !('price' in level) || !('size' in level)) return null;
  const price = priceOrNull(level.price);
  const size = decimalOrNull(level.size);
  return price !== null && size !== null ? { price, size } : null;
}

function parseLevels(value: unknown): readonly PriceLevel[] | undefined {
  const levels = Array.isArray(value) ? value.map(parseLevel) : value === null ? [] : [null];
  if (!levels.every((level) => level !== null)) return undefined;
  return levels.filter(({ price, size }) => size !== '0' && isInside(price));
}

/**
 * The levels of one side; `null` is an empty side. Levels without shares, and those at a price of 0 or 1, where no order can be
 * placed, are left out. A schema for each level would take three times as long.
 */
export const bookSide = z.nonoptional(readBy(parseLevels));

const errorBody = z.object({ error: z.string() });

/** The sentence of a parsed error body `{"error": "…"}`. */
export function sentenceOf(body: unknown): string | undefined {
  return errorBody.safeParse(body).data?.error;
}

/** The sentence of an error body as it came. */
export function errorText(text: string): string | undefined {
  return sentenceOf(parseJson(text));
}

/** The 64 reserved bits of a v2 position id, all zero; no v1 token id has them so (the venue's own clients rely on it). */
const RESERVED_BITS = (2n ** 64n - 1n) << 40n;

/**
 * Returns the protocol of a token, from its id alone. The venue has two; a token belongs to one, which decides under which
 * EIP-712 domain an order is signed.
 */
export function protocolOf(tokenId: string): 'v1' | 'v2' {
  return (BigInt(tokenId) & RESERVED_BITS) === 0n ? 'v2' : 'v1';
}
