import * as z from 'zod/mini';
import { formatUnits, parseDecimal, toUnits, UNIT_DECIMALS } from '../../decimal.ts';
import type { Fills, Placement, SignedOrder } from '../port.ts';

/**
 * The executed part of an order, as far as the venue's amounts can be true of this order. The venue has sent amounts as
 * decimals and in millionths (https://docs.polymarket.com/api-reference/trade/post-a-new-order has the one in its text and
 * the other in its example). An amount is a decimal where that is possible for the order, else millionths, else unknown.
 */

const digits = z.string().check(z.regex(/^\d{1,78}$/));
const signedAmounts = z.object({ side: z.enum(['BUY', 'SELL']), makerAmount: digits, takerAmount: digits });

/** Returns the amounts that an order was signed for, in millionths. */
function termsOf({ payload }: SignedOrder) {
  const { side, makerAmount, takerAmount } = signedAmounts.parse(JSON.parse(payload));
  const isBuy = side === 'BUY';
  const [shares, collateral] = isBuy ? [takerAmount, makerAmount] : [makerAmount, takerAmount];
  return { isBuy, shares: BigInt(shares), collateral: BigInt(collateral) };
}

export function isSale(order: SignedOrder): boolean {
  return !termsOf(order).isBuy;
}

type Terms = ReturnType<typeof termsOf>;

function readDecimal(amount: string): bigint | undefined {
  const decimal = parseDecimal(amount);
  return decimal && toUnits(decimal, UNIT_DECIMALS);
}

/** Reads from 0.01 shares on, the step of sizes: a smaller number is no plausible count of millionths. */
const readMillionths = (amount: string) => (/^\d{5,78}$/.test(amount) ? BigInt(amount) : undefined);

/** Returns true if the fills can have this value: at the limit or better, to the millionth, and below 1 a share. */
function isPossible(value: bigint, filled: bigint, { isBuy, shares, collateral }: Terms): boolean {
  const atLimit = collateral * filled;
  const isWorse = isBuy ? value > (atLimit + shares - 1n) / shares : value < atLimit / shares;
  return value > 0n && value < filled && !isWorse;
}

/** The fills of an order about which the venue reports nothing. */
export const NOTHING_KNOWN: Fills = { filledSize: null, remainingSize: null, filledValue: null };

function fillsOf(filled: bigint, value: bigint | undefined, { shares }: Terms): Fills {
  const filledValue = value === undefined ? null : formatUnits(value, UNIT_DECIMALS);
  const [filledSize, remainingSize] = [formatUnits(filled, UNIT_DECIMALS), formatUnits(shares - filled, UNIT_DECIMALS)];
  return { filledSize, remainingSize, filledValue };
}

function readFills(shares: string, value: string, terms: Terms): Fills {
  for (const read of [readDecimal, readMillionths]) {
    const [filled = 0n, worth = 0n] = [read(shares), read(value)];
    if (filled <= 0n || filled > terms.shares) continue;
    return fillsOf(filled, isPossible(worth, filled, terms) ? worth : undefined, terms);
  }
  return NOTHING_KNOWN;
}

/** Reads the fills of an order that the venue has just accepted. The amounts are what the maker gives and takes. */
export function fillsInAnswer(
  order: SignedOrder,
  status: Placement['status'],
  { makingAmount, takingAmount }: Readonly<Record<'makingAmount' | 'takingAmount', string>>,
): Fills {
  const terms = termsOf(order);
  if ([makingAmount, takingAmount].every((amount) => amount === '' || readDecimal(amount) === 0n)) {
    return status === 'live' ? fillsOf(0n, 0n, terms) : NOTHING_KNOWN;
  }
  const fills = terms.isBuy
    ? readFills(takingAmount, makingAmount, terms)
    : readFills(makingAmount, takingAmount, terms);
  // In the page's examples, orders that rest or are held have the amounts of the whole order, and no fills.
  return status !== 'matched' && fills.remainingSize === '0' ? NOTHING_KNOWN : fills;
}

/** Reads the fills of an order that was looked up; a record has no value. `sizeMatched` is empty where it is missing. */
export function fillsInRecord(order: SignedOrder, status: Placement['status'], sizeMatched: string): Fills {
  const terms = termsOf(order);
  if (sizeMatched !== '0') return readFills(sizeMatched, '', terms);
  return status === 'live' || status === 'cancelled' ? fillsOf(0n, undefined, terms) : NOTHING_KNOWN;
}
