import { formatUnits, parseUnits, takerFee } from './amounts.ts';
import type { components } from './api.ts';
import type { ErrorCode } from './error.ts';

type Schemas = components['schemas'];
type OrderRequest = Schemas['OrderRequest'];
type Level = Schemas['Book']['asks'][number];

/** What an order would do on a book, in exact decimals: sizes in shares, sums in collateral. */
export interface Quote {
  /** Shares that would match at once, and what they cost or bring before the fee. */
  readonly matched_size: string;
  readonly matched_value: string;
  /** Average price of the match, with at most 6 decimals, rounded against the caller; `null` without a match. */
  readonly average_price: string | null;
  /** Price of the last level that the order would reach; `null` without a match. */
  readonly worst_price: string | null;
  /** Ticks between the best price and the worst one. */
  readonly ticks_moved: number;
  /** Fee of the match, by the market's formula, each level for itself; `null` where the market does not publish it. */
  readonly fee: string | null;
  readonly resting_size: string;
  /** Cost of a purchase, or proceeds of a sale, with the fee, once all of it is filled; `null` where a fee is not known. */
  readonly total: string | null;
  /** Highest cost of a purchase, or lowest proceeds of a sale, however the book moves; `null` where a fee is not known. */
  readonly bound: string | null;
  /** Payout of a purchase that wins, less `total`; `null` for a sale, or if `total` is `null`. */
  readonly profit_if_wins: string | null;
  /** The first refusal that follows from book and terms, in the service's order of checks, or `null`. */
  readonly would_be_refused: { readonly code: ErrorCode; readonly detail: string } | null;
}

/** Limits that the book does not state. */
export interface QuoteLimits {
  /** The service's cap of one order, price × size, if the caller knows it. */
  readonly maxNotional?: string | undefined;
}

/** Prices and sizes are read to 18 decimals; a product has 36. */
const DECIMALS = 36;
const ONE = 10n ** 18n;
/** Decimals of a size at every tick. */
const SIZE_UNIT = ONE / 100n;
const MAX_SIZE = 1_000_000_000n * ONE;
/** Least value of a purchase that matches at once (venue: "invalid amount for a marketable BUY order, min size: $1"). */
const MIN_NOTIONAL = ONE * ONE;
const AVERAGE_UNIT = 10n ** 12n;

interface Terms {
  readonly isBuy: boolean;
  readonly price: bigint;
  readonly size: bigint;
}

type Refusal = NonNullable<Quote['would_be_refused']>;

function refusalByTerms({ price, size }: Terms, book: Schemas['Book'], { maxNotional }: QuoteLimits): Refusal | null {
  const [tick, least] = [parseUnits(book.tick_size), parseUnits(book.min_order_size)];
  if (price < tick || price > ONE - tick) {
    const range = `from ${book.tick_size} to ${formatUnits(ONE - tick)}`;
    return { code: 'price_out_of_range', detail: `The price must be ${range}.` };
  }
  if (price % tick !== 0n)
    return { code: 'price_off_tick', detail: `The price must be a multiple of ${book.tick_size}.` };
  if (size > MAX_SIZE) return { code: 'invalid_request', detail: 'The size must be at most 1000000000 shares.' };
  if (size % SIZE_UNIT !== 0n) return { code: 'size_precision', detail: 'The size must have at most 2 decimals.' };
  if (size < least || size === 0n) {
    return { code: 'size_below_minimum', detail: `The size must be at least ${book.min_order_size} shares.` };
  }
  if (maxNotional !== undefined && price * size > parseUnits(maxNotional, DECIMALS)) {
    return { code: 'order_above_cap', detail: `Price × size must be at most ${maxNotional}.` };
  }
  return null;
}

/** Checks that the venue makes against the book: post-only must rest, a purchase that matches must be worth 1. */
function refusalByBook({ isBuy, price, size }: Terms, matched: bigint, postOnly: boolean): Refusal | null {
  if (matched === 0n) return null;
  if (postOnly) {
    const shares = `${formatUnits(matched)} of ${formatUnits(size)} shares`;
    return { code: 'post_only_would_cross', detail: `${shares} would match at once; a post-only order must rest.` };
  }
  if (!isBuy || price * size >= MIN_NOTIONAL) return null;
  return { code: 'notional_below_minimum', detail: 'A purchase that matches at once must be worth at least 1.' };
}

/** Walks the levels, best first, as far as price and size reach. */
function matchesOf({ isBuy, price: limit, size }: Terms, levels: readonly Level[]) {
  const matches: { readonly price: string; readonly taken: bigint }[] = [];
  let left = size;
  for (const { price, size: offered } of levels) {
    const at = parseUnits(price);
    if (left === 0n || (isBuy ? at > limit : at < limit)) break;
    const beyond = parseUnits(offered) - left;
    const taken = beyond < 0n ? left + beyond : left;
    matches.push({ price, taken });
    left -= taken;
  }
  return { matches, left };
}

/** Fee of one match in 10^-36; `null` where the market does not publish it. */
function feeOf(price: string, size: bigint, fees: Schemas['MarketFees'] | null): bigint | null {
  const fee = takerFee({ price, size: formatUnits(size) }, fees);
  return fee === null ? null : parseUnits(fee, DECIMALS);
}

/** Divides a value by a size; a purchase rounds up to 6 decimals, a sale down. */
function average(value: bigint, size: bigint, isBuy: boolean): string {
  const unit = size * AVERAGE_UNIT;
  return formatUnits(((value + (isBuy ? unit - 1n : 0n)) / unit) * AVERAGE_UNIT);
}

/**
 * Computes what an order would do now on a book of the service, with the fees of its market. Sends nothing. The venue may
 * round the fee of a level down once for each order that rests there. Where the operator has a builder code, its fee comes
 * on top. Where `would_be_refused` is set, the numbers say what the order would do without that refusal. Throws RangeError
 * for a price or a size that is no decimal.
 */
export function quote(
  book: Schemas['Book'],
  { fees }: Pick<Schemas['Market'], 'fees'>,
  order: Pick<OrderRequest, 'side' | 'price' | 'size' | 'post_only'>,
  limits: QuoteLimits = {},
): Quote {
  const isBuy = order.side.toLowerCase() === 'buy';
  const terms = { isBuy, price: parseUnits(order.price), size: parseUnits(order.size) };
  const { matches, left } = matchesOf(terms, isBuy ? book.asks : book.bids);
  const matched = terms.size - left;
  const value = matches.reduce((sum, { price, taken }) => sum + taken * parseUnits(price), 0n);
  const restsFree = fees?.taker_only === true || fees?.taker_rate === '0';
  const isMaker = order.post_only === true && restsFree;
  const chargeOf = (price: string, size: bigint) => (isMaker ? 0n : feeOf(price, size, fees));
  const charges = matches.map(({ price, taken }) => chargeOf(price, taken));
  const fee = charges.reduce((sum, charge) => (sum === null || charge === null ? null : sum + charge), 0n);
  const withFee = (sum: bigint, charge: bigint | null) =>
    charge === null ? null : isBuy ? sum + charge : sum - charge;
  const total = left === 0n || restsFree ? withFee(value + left * terms.price, fee) : null;
  const isPrice = terms.price > 0n && terms.price < ONE;
  const bound = isPrice ? withFee(terms.size * terms.price, chargeOf(formatUnits(terms.price), terms.size)) : null;
  const [best, worst] = [matches[0]?.price, matches.at(-1)?.price];
  const moved = best === undefined || worst === undefined ? 0n : parseUnits(worst) - parseUnits(best);
  const text = (sum: bigint | null) => (sum === null ? null : formatUnits(sum, DECIMALS));
  return {
    matched_size: formatUnits(matched),
    matched_value: formatUnits(value, DECIMALS),
    average_price: matched === 0n ? null : average(value, matched, isBuy),
    worst_price: worst ?? null,
    ticks_moved: Number((moved < 0n ? -moved : moved) / parseUnits(book.tick_size)),
    fee: text(fee),
    resting_size: formatUnits(left),
    total: text(total),
    bound: text(bound),
    profit_if_wins: isBuy && total !== null ? text(terms.size * ONE - total) : null,
    would_be_refused: refusalByTerms(terms, book, limits) ?? refusalByBook(terms, matched, order.post_only === true),
  };
}
