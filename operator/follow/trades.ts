import { addTexts, formatDecimal, subtractTexts } from '../../shared/decimal.ts';
import type { Trade } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Fill, fillsIn, type OwnTrade } from '../account/fills.ts';
import type { Fact } from './event.ts';
import type { Look } from './shown.ts';
import type { Followed, Part } from './state.ts';
import { FEE_WAIT_MS } from './times.ts';

function keyOf(trade: Trade, orderId: string): string {
  return `${trade.id} ${orderId}`;
}

/** Returns the fact that a trade shows about a part of it. A settled trade may show an earlier state again. */
function factOf({ status }: Trade, known: Part | undefined): Part['fact'] {
  return status === 'confirmed' || status === 'failed' ? status : (known?.fact ?? 'matched');
}

function partOf({ order_id: orderId, price, size, value, fee }: Fill, { at }: Trade): Part {
  const amounts = { size: formatDecimal(size), value: formatDecimal(value) };
  const [shownPrice, shownFee] = [price, fee].map((one) => one && formatDecimal(one));
  return { orderId, at, fact: 'matched', ...amounts, price: shownPrice ?? null, fee: shownFee ?? null };
}

/** Counts a part of a trade in the sums of its order, or takes it out again. */
function count(order: Followed, { size, value, fee }: Part, add: typeof addTexts): void {
  order.filled_size = add(order.filled_size, size);
  order.value = add(order.value, value);
  order.fee = order.fee === null || fee === null ? null : add(order.fee, fee);
}

/** Reports what is new about our part of a trade: that it happened, then how its settlement ended. */
function takeFill({ state, now, facts }: Look, trade: Trade, fill: Fill): void {
  const { order_id: orderId, trade_id, token_id, side, outcome } = fill;
  const order = state.orders[orderId];
  if (!order) return;
  const known = state.parts[keyOf(trade, orderId)];
  // Keeps the reported amounts: a later row may have others.
  const part = known ?? partOf(fill, trade);
  const fact = factOf(trade, known);
  state.parts[keyOf(trade, orderId)] = { ...part, fact };
  const isNew = trade.at >= state.start;
  const report = (type: Fact['type'], status: string, at: number) =>
    facts.push({ type, orderId, at, data: { ...part, trade_id, token_id, side, status } });
  if (!known) {
    order.outcome ??= outcome;
    order.market ??= trade.conditionId;
    count(order, part, addTexts);
    order.gross = addTexts(order.gross, part.size);
    if (order.left) order.left.quietSince = now;
    if (isNew) report('order.filled', 'matched', trade.at);
  }
  if (fact === part.fact) return;
  if (fact === 'failed' || part.fact === 'failed') count(order, part, fact === 'failed' ? subtractTexts : addTexts);
  const type = fact === 'failed' ? 'order.settlement_failed' : 'order.settled';
  if (isNew || known) report(type, fact, trade.changedAt || trade.at);
}

/** Takes what is new in a trade, once the fees of its market are known. */
function takeTrade(look: Look, own: OwnTrade): void {
  const { state, shown, now, lacks } = look;
  const { trade, shares } = own;
  const known = (id: string) => state.parts[keyOf(trade, id)];
  const isChanged = (id: string) => state.orders[id] && known(id)?.fact !== factOf(trade, known(id));
  const changed = shares.map(({ orderId }) => orderId).filter(isChanged);
  if (changed.length === 0) return;
  const market = shown.markets.get(trade.conditionId);
  if (!market) lacks.markets.add(trade.conditionId);
  const isUnclear = market?.fees === undefined || shares.some(({ addsUp }) => !addsUp);
  const isWaiting = isUnclear && now - trade.at < FEE_WAIT_MS;
  if (isWaiting && !changed.every(known)) {
    // The follower does not close its orders meanwhile.
    for (const id of changed) if (state.orders[id]?.left) state.orders[id].left.quietSince = now;
    return;
  }
  const fills = fillsIn(own, market?.fees ?? null);
  for (const fill of fills) if (changed.includes(fill.order_id)) takeFill(look, trade, fill);
}

/** Takes the trades of the window, the oldest first. */
export function takeTrades(look: Look, trades: readonly OwnTrade[]): void {
  const { state, now } = look;
  for (const one of trades) {
    takeTrade(look, one);
    // A time ahead of ours must not move the window.
    state.newestTrade = Math.max(state.newestTrade, Math.min(one.trade.at, now));
  }
}
