import * as z from 'zod/mini';
import {
  formatDecimal,
  fromUnits,
  multiplyDecimals,
  ONE,
  parseDecimal,
  subtractDecimals,
  toUnits,
  UNIT_DECIMALS,
} from '../../decimal.ts';
import type { Fills, Placement, SignedOrder } from '../port.ts';

/**
 * The executed part of an order, as far as what the venue tells of it can be true of this very order. Its amounts have
 * been seen as decimals and in millionths (the page https://docs.polymarket.com/api-reference/trade/post-a-new-order has
 * the one in its text and the other in its example), so an amount counts in the only unit in which it is possible.
 */

/** In millionths: 0.01 shares, the step of the venue's sizes. A smaller fill is not read out of an amount in millionths. */
const LOT = 10_000n;

const units = z.pipe(
  z.string().check(z.regex(/^\d{1,78}$/)),
  z.transform((digits) => BigInt(digits)),
);

const signedTerms = z.object({ side: z.enum(['BUY', 'SELL']), makerAmount: units, takerAmount: units });

/** The amounts that an order was signed for, in millionths. */
interface Terms {
  readonly isBuy: boolean;
  readonly shares: bigint;
  readonly collateral: bigint;
}

function termsOf({ payload }: SignedOrder): Terms {
  const { side, makerAmount, takerAmount } = signedTerms.parse(JSON.parse(payload));
  return side === 'BUY'
    ? { isBuy: true, shares: takerAmount, collateral: makerAmount }
    : { isBuy: false, shares: makerAmount, collateral: takerAmount };
}

/** A unit of amounts: reads the text of one at or above zero into millionths. */
type Unit = (text: string) => bigint | undefined;

const decimals: Unit = (text) => {
  const decimal = parseDecimal(text);
  const amount = decimal && toUnits(decimal, UNIT_DECIMALS);
  return amount !== undefined && amount >= 0n ? amount : undefined;
};

const millionths: Unit = (text) => (/^\d{1,78}$/.test(text) ? BigInt(text) : undefined);

/** Finds the one unit in which shares are a part of the order, or all of it. */
function unitOf(sharesIn: (unit: Unit) => bigint | undefined, { shares }: Terms): Unit | undefined {
  const large = sharesIn(decimals) ?? 0n;
  const small = sharesIn(millionths) ?? 0n;
  const isLarge = large > 0n && large <= shares;
  const isSmall = small >= LOT && small <= shares;
  if (!isLarge) return isSmall ? millionths : undefined;
  return isSmall ? undefined : decimals;
}

/** Returns true if the fills can have this value: at the limit or better, to the millionth, and below 1 a share. */
function isPossible(value: bigint, filled: bigint, { isBuy, shares, collateral }: Terms): boolean {
  const atLimit = collateral * filled;
  const isWorse = isBuy ? value > (atLimit + shares - 1n) / shares : value < atLimit / shares;
  return value > 0n && value < filled && !isWorse;
}

const text = (amount: bigint) => formatDecimal(fromUnits(amount, UNIT_DECIMALS));

/** The fills of an order about which the venue told nothing. */
export const NOTHING_KNOWN: Fills = { filledSize: null, remainingSize: null, filledValue: null };

function fills({ shares, ...terms }: Terms, filled: bigint, value: bigint | undefined): Fills {
  const isTold = value !== undefined && (filled === 0n || isPossible(value, filled, { shares, ...terms }));
  return { filledSize: text(filled), remainingSize: text(shares - filled), filledValue: isTold ? text(value) : null };
}

/** The amounts of an answer to `POST /order`, as they stand there: what the maker gives and takes; empty for none. */
interface Amounts {
  readonly makingAmount: string;
  readonly takingAmount: string;
}

function isEmpty(amount: string): boolean {
  return amount === '' || decimals(amount) === 0n;
}

/** Reads the fills of an order that the venue has just accepted. */
export function fillsInAnswer(
  order: SignedOrder,
  status: Placement['status'],
  { makingAmount, takingAmount }: Amounts,
): Fills {
  const terms = termsOf(order);
  // An order that the venue holds may still be filled when the venue releases it.
  if (isEmpty(makingAmount) && isEmpty(takingAmount)) return status === 'live' ? fills(terms, 0n, 0n) : NOTHING_KNOWN;
  const [filled, value] = terms.isBuy ? [takingAmount, makingAmount] : [makingAmount, takingAmount];
  const unit = unitOf((candidate) => candidate(filled), terms);
  const shares = unit?.(filled);
  // In the page's examples, orders that rest or are held have the amounts of the whole order, and no fills.
  if (status !== 'matched' && shares === terms.shares) return NOTHING_KNOWN;
  return unit && shares !== undefined ? fills(terms, shares, unit(value)) : NOTHING_KNOWN;
}

/** Reads the fills of an order that was looked up; their value stands in its trades alone. */
export function fillsInRecord(
  order: SignedOrder,
  status: Placement['status'],
  { sizeMatched, originalSize }: { readonly sizeMatched: string; readonly originalSize: string | null },
): Fills {
  const terms = termsOf(order);
  if (decimals(sizeMatched) === 0n) {
    return status === 'live' || status === 'cancelled' ? fills(terms, 0n, 0n) : NOTHING_KNOWN;
  }
  const unit =
    originalSize === null
      ? unitOf((candidate) => candidate(sizeMatched), terms)
      : [decimals, millionths].find((candidate) => candidate(originalSize) === terms.shares);
  const filled = unit?.(sizeMatched);
  return filled !== undefined && filled <= terms.shares ? fills(terms, filled, undefined) : NOTHING_KNOWN;
}

/** A part of a trade that is an order's, as the venue writes it. */
export interface Part {
  /** `null` where the venue does not tell it, as below. */
  readonly shares: string | null;
  /** Collateral per share of the order's own token. */
  readonly price: string | null;
}

function sum(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  return amounts.reduce(
    (total, amount) => (total === undefined || amount === undefined ? undefined : total + amount),
    0n,
  );
}

function sharesOf(parts: readonly Part[], unit: Unit): bigint | undefined {
  return sum(parts.map(({ shares }) => unit(shares ?? '')));
}

/** Returns true for the parts that make up a whole trade. */
export function isWhole(parts: readonly Part[], size: string | null): boolean {
  return size !== null && sharesOf(parts, decimals) === decimals(size);
}

function worthOf({ shares, price }: Part, unit: Unit): bigint | undefined {
  const amount = unit(shares ?? '');
  const each = parseDecimal(price ?? '');
  if (amount === undefined || !each) return undefined;
  return toUnits(multiplyDecimals(fromUnits(amount, UNIT_DECIMALS), each), UNIT_DECIMALS);
}

/** Returns the price of the other outcome: the two add up to one unit of collateral. */
export function complementOf(price: string): string | null {
  const decimal = parseDecimal(price);
  return decimal ? formatDecimal(subtractDecimals(ONE, decimal)) : null;
}

/** Sums the fills of an order's trades, in which all amounts have the same unit. */
export function fillsInTrades(order: SignedOrder, parts: readonly Part[]): Fills {
  const terms = termsOf(order);
  const unit = unitOf((candidate) => sharesOf(parts, candidate), terms);
  const filled = unit && sharesOf(parts, unit);
  if (!unit || filled === undefined) return NOTHING_KNOWN;
  return fills(terms, filled, sum(parts.map((part) => worthOf(part, unit))));
}
