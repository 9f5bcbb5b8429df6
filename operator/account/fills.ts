import {
  addDecimals,
  compareDecimals,
  type Decimal,
  fromUnits,
  multiplyDecimals,
  ONE,
  subtractDecimals,
  sumDecimals,
  ZERO,
} from '../../shared/decimal.ts';
import type { Fees, Trade } from '../../shared/venue/polymarket/operator-venue.ts';

// The account's part of a trade: the whole trade as its taker, the entries of its orders as makers.

/** Recognises the orders of the account in a trade. */
export interface Ours {
  readonly recorded: { has(orderId: string): boolean };
  /** The id of the API key. */
  readonly owner: string;
  /** The accounts that hold the funds, in lower case. */
  readonly makers: ReadonlySet<string>;
}

/** Shares at a price: what met one other order. */
type Match = Readonly<Record<'size' | 'price', Decimal>>;

/** An order's part of one trade, before its fee is known. */
interface Share {
  readonly orderId: string;
  readonly role: 'taker' | 'maker';
  readonly side: 'buy' | 'sell';
  readonly tokenId: string;
  readonly outcome: string | null;
  readonly matches: readonly Match[];
  /** False for a taker whose makers do not add up to its trade: what it paid is unknown, and `matches` has its limit. */
  readonly addsUp: boolean;
  readonly statedFee: Decimal | null;
}

export interface OwnTrade {
  readonly trade: Trade;
  readonly shares: readonly Share[];
}

/** The states of a trade that executes or has executed. A `failed` trade does not count. */
const COUNTED = new Set(['matched_not_broadcasted', 'matched', 'mined', 'confirmed', 'retrying']);

/** Returns true for a state whose trades count in sums. */
export function isCounted({ status }: Pick<Trade, 'status'>): boolean {
  return COUNTED.has(status);
}

/** Returns true for an undocumented state of a trade: the sums leave its fills out. */
export function isUnknown({ status }: Pick<Trade, 'status'>): boolean {
  return !COUNTED.has(status) && status !== 'failed';
}

/** Returns value ÷ size, rounded down to `decimals`; `null` without a size. */
export function quotient(value: Decimal, size: Decimal, decimals: number): Decimal | null {
  if (size.coefficient === 0n) return null;
  const dividend = value.coefficient * 10n ** BigInt(decimals + size.scale);
  return fromUnits(dividend / (size.coefficient * 10n ** BigInt(value.scale)), decimals);
}

const MEAN_DECIMALS = 12;

/** Returns the average price; `null` if it has too many decimals. */
function priceOf(value: Decimal, size: Decimal): Decimal | null {
  const price = quotient(value, size, MEAN_DECIMALS);
  return price && compareDecimals(multiplyDecimals(price, size), value) === 0 ? price : null;
}

/** Decimals of a fee: smaller amounts are dropped (https://docs.polymarket.com/trading/fees). */
const FEE_DECIMALS = 5;

function takerFee({ size, price }: Match, { rate, exponent }: Fees): Decimal {
  const spread = multiplyDecimals(price, subtractDecimals(ONE, price));
  const powers = Array.from({ length: exponent }, () => spread);
  const { coefficient, scale } = powers.reduce(multiplyDecimals, multiplyDecimals(size, rate));
  return fromUnits((coefficient * 10n ** BigInt(FEE_DECIMALS)) / 10n ** BigInt(scale), FEE_DECIMALS);
}

/** A fee, and who computed it: the venue or the desk. */
interface Fee {
  readonly fee: Decimal | null;
  readonly fee_source: 'venue' | 'computed' | null;
}

export const UNKNOWN_FEE: Fee = { fee: null, fee_source: null };

function feeOf({ role, matches, addsUp, statedFee }: Share, fees: Fees | null): Fee {
  if (statedFee) return { fee: statedFee, fee_source: 'venue' };
  if (!fees || !addsUp) return UNKNOWN_FEE;
  const isFree = role === 'maker' && fees.takerOnly;
  return { fee: isFree ? ZERO : sumDecimals(matches.map((match) => takerFee(match, fees))), fee_source: 'computed' };
}

/** Splits a taker's fill by its makers, since the trade's own price is the taker's limit, not what was paid. */
function takerMatches({ tokenId, size, price, makers }: Trade): Pick<Share, 'matches' | 'addsUp'> {
  const matches = makers.map((maker) => ({
    size: maker.size,
    // A maker on the other outcome has its complement.
    price: maker.tokenId === tokenId ? maker.price : subtractDecimals(ONE, maker.price),
  }));
  const addsUp = compareDecimals(sumDecimals(matches.map((match) => match.size)), size) === 0;
  return { addsUp, matches: addsUp ? matches : [{ size, price }] };
}

/** Adds up the entries of one order: a trade can have several. */
function addUp(shares: readonly Share[]): readonly Share[] {
  const byOrder = new Map<string, Share>();
  for (const share of shares) {
    const { matches, statedFee } = byOrder.get(share.orderId) ?? { matches: [], statedFee: ZERO };
    const fee = statedFee && share.statedFee && addDecimals(statedFee, share.statedFee);
    byOrder.set(share.orderId, { ...share, matches: [...matches, ...share.matches], statedFee: fee });
  }
  return [...byOrder.values()];
}

/** Returns the orders of a trade, of all accounts. */
export function orderIdsIn({ takerOrderId, makers }: Trade): readonly string[] {
  return [takerOrderId, ...makers.map(({ orderId }) => orderId)];
}

/** Returns true for an order of the account: by its record, or by its API key or account at the venue. */
function isOurs(orderId: string, { owner, maker }: Pick<Trade, 'owner' | 'maker'>, ours: Ours): boolean {
  return ours.recorded.has(orderId) || owner === ours.owner || (maker !== null && ours.makers.has(maker.toLowerCase()));
}

/** Finds the account's orders in a trade; they can be on both sides of one. */
export function ownTrade(trade: Trade, ours: Ours): OwnTrade {
  const { takerOrderId, side, tokenId, outcome, fee: statedFee } = trade;
  const opposite = side === 'buy' ? 'sell' : 'buy';
  const own = trade.makers.filter((maker) => isOurs(maker.orderId, maker, ours));
  const makers = own.map(({ size, price, fee: statedFee, ...maker }): Share => {
    // Two purchases, or two sales, meet on the two outcomes of a market.
    const ownSide = maker.side ?? (maker.tokenId === tokenId ? opposite : side);
    return { ...maker, role: 'maker', side: ownSide, matches: [{ size, price }], addsUp: true, statedFee };
  });
  const isTaker = trade.isTaker || isOurs(takerOrderId, trade, ours);
  const taken = { orderId: takerOrderId, role: 'taker', side, tokenId, outcome, statedFee } as const;
  return { trade, shares: [...(isTaker ? [{ ...taken, ...takerMatches(trade) }] : []), ...addUp(makers)] };
}

/** Returns the account's fills in a trade, one for each of its orders, as the cells of a report. */
export function fillsIn({ trade, shares }: OwnTrade, fees: Fees | null) {
  return shares.map((share) => {
    const { orderId, side, tokenId, outcome, matches, addsUp } = share;
    const size = sumDecimals(matches.map((match) => match.size));
    const value = sumDecimals(matches.map((match) => multiplyDecimals(match.size, match.price)));
    return {
      order_id: orderId,
      token_id: tokenId,
      market: trade.conditionId,
      outcome,
      side,
      price: addsUp ? priceOf(value, size) : null,
      size,
      value,
      ...feeOf(share, fees),
      trade_id: trade.id,
      transaction_hash: trade.transactionHash,
      status: trade.status,
      addsUp,
    };
  });
}

/** An order's part of one trade. */
export type Fill = ReturnType<typeof fillsIn>[number];
