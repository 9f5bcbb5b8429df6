import { addTexts, formatDecimal, subtractTexts } from '../../shared/decimal.ts';
import type { Trade } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Fact } from './event.ts';
import { type Fill, fillsIn, type OurTrade } from './our-part.ts';
import type { Look } from './shown.ts';
import type { Followed, Part } from './state.ts';

/** Fees may be unreadable for a moment; a trade that is older is reported without its fee. */
const FEE_WAIT_MS = 300_000;

function keyOf(trade: Trade, orderId: string): string {
  return `${trade.id} ${orderId}`;
}

function partOf({ order_id: orderId, price, size, value, fee }: Fill, { match_time: at }: Trade): Part {
  const amounts = { size: formatDecimal(size), value: formatDecimal(value) };
  return {
    orderId,
    at,
    fact: 'matched',
    ...amounts,
    price: price && formatDecimal(price),
    fee: fee && formatDecimal(fee),
  };
}

/** Counts a part of a trade in the sums of its order, or takes it out again. */
function count(order: Followed, { size, value, fee }: Part, add: typeof addTexts): void {
  order.filled_size = add(order.filled_size, size);
  order.value = add(order.value, value);
  order.fee = order.fee === null || fee === null ? null : add(order.fee, fee);
}

/** An order that left the book has a new trade: it is closed later. */
function stir(order: Followed | undefined, now: number): void {
  if (order?.left) order.left.quietSince = now;
}

/** Returns the last fact about our part of a trade, and the one that its row shows. */
function factsOf({ state }: Look, trade: Trade, orderId: string) {
  const before = state.parts[keyOf(trade, orderId)]?.fact;
  const { status } = trade;
  const after = status === 'confirmed' || status === 'failed' ? status : (before ?? 'matched');
  return { orderId, before, after };
}

/** Reports what is new about our part of a trade: that it happened, then how its settlement ended. */
function takeFill(look: Look, trade: Trade, fill: Fill): void {
  const { state, now, facts } = look;
  const { order_id: orderId, trade_id, token_id, side, outcome } = fill;
  const order = state.orders[orderId];
  if (!order) return;
  const { before, after } = factsOf(look, trade, orderId);
  const key = keyOf(trade, orderId);
  // The amounts that were reported: a later row may have others.
  const part = state.parts[key] ?? partOf(fill, trade);
  state.parts[key] = { ...part, fact: after };
  const report = (type: Fact['type'], status: string, at: number) =>
    facts.push({ type, orderId, at, data: { ...part, trade_id, token_id, side, status } });
  const isNew = trade.match_time >= state.start;
  if (!before) {
    order.outcome ??= outcome;
    order.market ??= trade.market;
    count(order, part, addTexts);
    order.gross = addTexts(order.gross, part.size);
    stir(order, now);
    if (isNew) report('order.filled', 'matched', trade.match_time);
  }
  if (after === part.fact) return;
  if (after === 'failed' || part.fact === 'failed') count(order, part, after === 'failed' ? subtractTexts : addTexts);
  const type = after === 'failed' ? 'order.settlement_failed' : 'order.settled';
  if (isNew || before) report(type, after, trade.last_update || trade.match_time);
}

/** Takes what is new in a trade. Returns false where it waits for the fees of its market. */
function takeTrade(look: Look, { trade, orderIds }: OurTrade): boolean {
  const { state, shown, now, ours, lacks } = look;
  const facts = orderIds.filter((id) => state.orders[id]).map((id) => factsOf(look, trade, id));
  const news = new Set(facts.flatMap(({ orderId, before, after }) => (before === after ? [] : orderId)));
  if (news.size === 0) return true;
  const market = shown.markets.get(trade.market);
  if (!market) lacks.markets.add(trade.market);
  const isNew = facts.some(({ before }) => !before);
  if (isNew && market?.fees === undefined && now - trade.match_time < FEE_WAIT_MS) {
    // Its orders are not closed meanwhile.
    for (const { orderId } of facts) stir(state.orders[orderId], now);
    return false;
  }
  // As if it executed: the fee of a failed trade is taken out of the sums with it.
  const fills = fillsIn({ ...trade, status: 'matched' }, ours, market?.fees ?? null);
  for (const fill of fills) if (news.has(fill.order_id)) takeFill(look, trade, fill);
  return true;
}

/** Takes the trades of the window, the oldest first. */
export function takeTrades(look: Look, trades: readonly OurTrade[]): void {
  const { state, now } = look;
  for (const one of trades) {
    // A row with a time ahead of ours moves nothing.
    if (takeTrade(look, one)) state.newestTrade = Math.max(state.newestTrade, Math.min(one.trade.match_time, now));
  }
}
