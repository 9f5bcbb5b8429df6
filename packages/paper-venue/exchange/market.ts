import { ONE } from './millionths.ts';

/** The side of an order, as the venue writes it. */
export type Side = 'BUY' | 'SELL';

/** Index of an outcome: 0 is the first ("Yes"), 1 the second. */
export type OutcomeIndex = 0 | 1;

/** Fees of a market; the rate is in millionths. */
interface Fees {
  readonly type: string;
  readonly rate: bigint;
  /** Share of the fees that the venue gives to makers: a figure in its records, nothing is paid here. */
  readonly rebateRate: number;
}

/** Invented market; prices and sizes are in millionths, times in epoch milliseconds. */
export interface Market {
  readonly id: string;
  readonly slug: string;
  readonly question: string;
  readonly event: { readonly id: string; readonly slug: string; readonly title: string };
  readonly groupItemTitle: string;
  readonly outcomes: readonly [string, string];
  readonly tokenIds: readonly [string, string];
  /** Condition id as Gamma writes it: 64 hex digits for protocol v1, 62 for v2. */
  readonly gammaConditionId: string;
  /** Condition id as the CLOB writes it: always 64 hex digits, v2 padded on the right. */
  readonly conditionId: string;
  readonly questionId: string;
  readonly version: 'v1' | 'v2';
  readonly negRisk: boolean;
  readonly negRiskMarketId: string | null;
  readonly tick: bigint;
  readonly minSize: bigint;
  /** Middle of the first quotes. */
  readonly mid: bigint;
  /** Null where the venue charges nothing. */
  readonly fees: Fees | null;
  /** Volume of the 24 hours before the venue was started. */
  readonly volume24h: bigint;
  readonly liquidity: bigint;
  readonly startsAt: number;
  readonly endsAt: number;
  /** Time of the first quotes. */
  readonly quotedAt: number;
  /** Time at which the market stops taking orders while the venue runs; null for never. */
  readonly stopsAt: number | null;
  readonly closed: boolean;
  readonly accepting: boolean;
  readonly bookEnabled: boolean;
  /** False for a market whose ids are not published yet. */
  readonly idsPublished: boolean;
  /** True for a one-sided market: the first outcome has no asks. */
  readonly withoutAsks: boolean;
}

/** Returns true if the venue takes orders in this market at `now` (epoch milliseconds). */
export function takesOrders(market: Market, now: number): boolean {
  return market.accepting && !market.closed && (market.stopsAt === null || now < market.stopsAt);
}

/** Returns true if the CLOB knows the market's tokens: it removes closed markets and those without a book. */
export function hasBook(market: Market): boolean {
  return !market.closed && market.bookEnabled && market.idsPublished;
}

/** Base fee, in basis points, that the venue states for every market that is not free, whatever its rate. */
export const BASE_FEE_BPS = 1_000;

/** Smallest fee, in millionths: the venue has five decimals, and what is less than 0.00001 is nothing. */
const FEE_STEP = 10n;

/**
 * Fee for taking `size` shares at `price`, all in millionths: size x rate x price x (1 - price), the same for both
 * outcomes. Rounded down: "anything smaller rounds to zero" (https://docs.polymarket.com/trading/fees).
 */
export function takerFee({ fees }: Market, size: bigint, price: bigint): bigint {
  if (fees === null) return 0n;
  return ((size * fees.rate * price * (ONE - price)) / (ONE ** 3n * FEE_STEP)) * FEE_STEP;
}
