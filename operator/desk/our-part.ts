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

// Our part of a trade: the whole trade as its taker, the entry of our order as a maker.

/** Recognises the orders of the account in a trade. */
export interface Ours {
  readonly recorded: { has(orderId: string): boolean };
  /** The id of the API key. */
  readonly owner: string;
  /** The accounts that hold the funds, in lower case. */
  readonly makers: ReadonlySet<string>;
}

/** Shares at a price: what met one other order. */
interface Match {
  readonly size: Decimal;
  readonly price: Decimal;
}

/** The states of a trade that executes or has executed; one that is `failed` counts for nothing. */
const COUNTED = new Set(['matched_not_broadcasted', 'matched', 'mined', 'confirmed', 'retrying']);

/** Returns true for a fill that is in the sums. */
export function isCounted({ status }: Fill): boolean {
  return COUNTED.has(status);
}

/** Returns true for an undocumented state of a trade: the sums leave its fills out. */
export function isUnknown(status: string): boolean {
  return !COUNTED.has(status) && status !== 'failed';
}

function worthOf(matches: readonly Match[]): Decimal {
  return sumDecimals(matches.map(({ size, price }) => multiplyDecimals(size, price)));
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

/** Splits a taker's fill by its makers, since the trade's own price is the taker's limit, not what was paid. */
function takerMatches({ asset_id, size, price, maker_orders }: Trade): readonly Match[] {
  const matches = maker_orders.map((maker) => ({
    size: maker.matched_amount,
    // A maker on the other outcome has its complement.
    price: maker.asset_id === asset_id ? maker.price : subtractDecimals(ONE, maker.price),
  }));
  return compareDecimals(sumDecimals(matches.map((match) => match.size)), size) === 0 ? matches : [{ size, price }];
}

interface Share {
  readonly orderId: string;
  readonly role: 'taker' | 'maker';
  readonly side: 'buy' | 'sell';
  readonly tokenId: string;
  readonly outcome: string | null;
  readonly matches: readonly Match[];
  readonly statedFee: Decimal | null;
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

/** Returns true for an order of the account: by its record, or by its API key or account at the venue. */
function isOurs(orderId: string, entry: Pick<Trade, 'owner' | 'maker_address'>, ours: Ours): boolean {
  const { owner, maker_address: maker } = entry;
  return ours.recorded.has(orderId) || owner === ours.owner || (maker !== null && ours.makers.has(maker.toLowerCase()));
}

/** Finds the account's entries in a trade; its orders can be on both sides of one. */
function entriesOf(trade: Trade, ours: Ours) {
  const { taker_order_id, trader_side, maker_orders } = trade;
  const isTaker = trader_side?.toUpperCase() === 'TAKER' || isOurs(taker_order_id, trade, ours);
  return { isTaker, own: maker_orders.filter((maker) => isOurs(maker.order_id, maker, ours)) };
}

/** A trade and the account's orders in it. */
export interface OurTrade {
  readonly trade: Trade;
  readonly orderIds: readonly string[];
  /** False for an undocumented state. */
  readonly isKnown: boolean;
}

/** Finds the account's orders in trades. */
export function ourTrades(trades: readonly Trade[], ours: Ours): readonly OurTrade[] {
  return trades.map((trade) => {
    const { isTaker, own } = entriesOf(trade, ours);
    const orderIds = new Set([...(isTaker ? [trade.taker_order_id] : []), ...own.map(({ order_id }) => order_id)]);
    return { trade, orderIds: [...orderIds], isKnown: !isUnknown(trade.status) };
  });
}

function sharesOf(trade: Trade, ours: Ours): readonly Share[] {
  const { isTaker, own } = entriesOf(trade, ours);
  const opposite = trade.side === 'buy' ? 'sell' : 'buy';
  const makers = own.map((maker): Share => {
    const { order_id: orderId, asset_id: tokenId, matched_amount: size, price, outcome, fee: statedFee } = maker;
    // Two purchases, or two sales, meet on the two outcomes of a market.
    const side = maker.side ?? (tokenId === trade.asset_id ? opposite : trade.side);
    return { orderId, role: 'maker', side, tokenId, outcome, matches: [{ size, price }], statedFee };
  });
  if (!isTaker) return addUp(makers);
  const { side, asset_id: tokenId, outcome, fee } = trade;
  const matches = takerMatches(trade);
  return [
    { orderId: trade.taker_order_id, role: 'taker', side, tokenId, outcome, matches, statedFee: fee },
    ...addUp(makers),
  ];
}

/** A fee, and who computed it: the venue or this desk. */
interface Fee {
  readonly fee: Decimal | null;
  readonly fee_source: 'venue' | 'computed' | null;
}

const UNKNOWN_FEE: Fee = { fee: null, fee_source: null };

function feeOf({ role, matches, statedFee }: Share, fees: Fees | null): Fee {
  if (statedFee) return { fee: statedFee, fee_source: 'venue' };
  if (!fees) return UNKNOWN_FEE;
  const isFree = role === 'maker' && fees.takerOnly;
  return { fee: isFree ? ZERO : sumDecimals(matches.map((match) => takerFee(match, fees))), fee_source: 'computed' };
}

/** Returns the account's fills in a trade, one for each of its orders, as the cells of a report. */
export function fillsIn(trade: Trade, ours: Ours, fees: Fees | null) {
  return sharesOf(trade, ours).map((share) => {
    const { orderId, side, tokenId, outcome, matches } = share;
    const [size, value] = [sumDecimals(matches.map((match) => match.size)), worthOf(matches)];
    return {
      order_id: orderId,
      token_id: tokenId,
      market: trade.market,
      outcome,
      side,
      price: priceOf(value, size),
      size,
      value,
      ...(COUNTED.has(trade.status) ? feeOf(share, fees) : UNKNOWN_FEE),
      trade_id: trade.id,
      transaction_hash: trade.transaction_hash,
      status: trade.status,
    };
  });
}

/** An order's part of one trade. */
export type Fill = ReturnType<typeof fillsIn>[number];
