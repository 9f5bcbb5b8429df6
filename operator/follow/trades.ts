import { formatDecimal } from '../../shared/decimal.ts';
import type { Trade } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Fact } from './event.ts';
import type { Fill } from './our-part.ts';
import type { Look, OurTrade } from './shown.ts';
import { type Followed, minus, type Part, plus } from './state.ts';

/** Fees may be unreadable for a moment; a trade that is older is reported without its fee. */
const FEE_WAIT_MS = 300_000;

function keyOf({ trade_id, order_id }: Fill): string {
  return `${trade_id} ${order_id}`;
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
function count(order: Followed, { size, value, fee }: Part, add: typeof plus): void {
  order.filled_size = add(order.filled_size, size);
  order.value = add(order.value, value);
  order.fee = order.fee === null || fee === null ? null : add(order.fee, fee);
}

/** Returns the last fact about a part, and the one that the row of its trade shows. */
function factsOf({ state }: Look, { status }: Trade, fill: Fill) {
  const before = state.parts[keyOf(fill)]?.fact;
  const after = status === 'confirmed' || status === 'failed' ? status : (before ?? 'matched');
  return { before, after };
}

/** Reports what is new about our part of a trade: that it happened, then how its settlement ended. */
function takeFill(look: Look, trade: Trade, fill: Fill): void {
  const { state, now, facts } = look;
  const { order_id: orderId, trade_id, token_id, side, outcome } = fill;
  const order = state.orders[orderId];
  if (!order) return;
  const { before, after } = factsOf(look, trade, fill);
  // The amounts that were reported: a later row may have others.
  const part = state.parts[keyOf(fill)] ?? partOf(fill, trade);
  state.parts[keyOf(fill)] = { ...part, fact: after };
  const report = (type: Fact['type'], status: string, at: number) =>
    facts.push({ type, orderId, at, data: { ...part, trade_id, token_id, side, status } });
  const isNew = trade.match_time >= state.start;
  if (!before) {
    order.outcome ??= outcome;
    order.market ??= trade.market;
    count(order, part, plus);
    order.gross = plus(order.gross, part.size);
    if (order.left) order.left.quietSince = now;
    if (isNew) report('order.filled', 'matched', trade.match_time);
  }
  if (after === part.fact) return;
  if (after === 'failed' || part.fact === 'failed') count(order, part, after === 'failed' ? minus : plus);
  const type = after === 'failed' ? 'order.settlement_failed' : 'order.settled';
  if (isNew || before) report(type, after, trade.last_update || trade.match_time);
}

/** Takes the trades of the window, the oldest first. A young one waits for the fees of its market. */
export function takeTrades(look: Look, trades: readonly OurTrade[]): void {
  const { state, shown, now, lacks } = look;
  for (const { trade, fills } of trades) {
    const own = fills.filter(({ order_id }) => state.orders[order_id]);
    const facts = own.map((fill) => factsOf(look, trade, fill));
    const isNew = facts.some(({ before }) => !before);
    const market = shown.markets.get(trade.market);
    if (!market && facts.some(({ before, after }) => before !== after)) lacks.markets.add(trade.market);
    if (isNew && market?.fees === undefined && now - trade.match_time < FEE_WAIT_MS) continue;
    for (const fill of own) takeFill(look, trade, fill);
    // A row with a time ahead of ours moves nothing.
    state.newestTrade = Math.max(state.newestTrade, Math.min(trade.match_time, now));
  }
}
