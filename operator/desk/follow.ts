import { type Decimal, formatDecimal, toDecimal } from '../../shared/decimal.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import type { Trade, VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Fill, fillsIn, isUnknown } from '../follow/our-part.ts';
import { DeskError } from './access.ts';
import type { Desk } from './desk.ts';
import { oursOf, readFees } from './fills.ts';
import { takeEnds } from './follow-ends.ts';
import {
  type EventType,
  eventOf,
  type Followed,
  type FollowState,
  type Look,
  type Memory,
  minus,
  type OpenOrders,
  plus,
} from './follow-state.ts';
import { canReadSince, cellsOf, readRecords } from './records.ts';

// One look at the venue, and the events that follow from it. All that was told is in the state: a look that fails changes
// nothing, and a look that is repeated after a lost state tells the same facts under the same ids.

/** Rows show late: each look reads again what happened this long before the newest. */
const MARGIN_MS = 600_000;
/** The order of a trade was signed at most this long before it, unless it was on the book. */
const TAKER_MARGIN_MS = 86_400_000;
/** An index follows its table within a second: a younger trade waits for the record of its order. */
const INDEX_LAG_MS = 5_000;
/** A trade that the venue has not settled by then is followed no longer: some stay matched for ever. */
const LONGEST_WINDOW_MS = 7 * 86_400_000;
/** The whole window is read once in this time, and only its last part in between. */
const WHOLE_WINDOW_MS = 60_000;
const RECENT_MS = 60_000;
/** Fees may be unreadable for a moment; a trade that is older is told without its fee. */
const FEE_WAIT_MS = 300_000;

/** Returns the start of the window of trades: a margin before the oldest one that is not settled or not readable. */
function windowOf({ newestTrade, parts, unreadable }: FollowState): number {
  const open = Object.values(parts).filter(({ fact }) => fact === 'matched');
  const oldest = open.reduce((least, { at }) => Math.min(least, at), newestTrade);
  return Math.max(Math.min(oldest - MARGIN_MS, ...Object.values(unreadable)), newestTrade - LONGEST_WINDOW_MS);
}

/** Reads the trades of the window; of orders that rest since before the start, all trades. */
async function readTrades({ desk, state, memory, now }: Look, open: OpenOrders) {
  const isWhole = now - memory.wholeAt >= WHOLE_WINDOW_MS;
  const known = isWhole ? windowOf(state) : state.newestTrade - RECENT_MS;
  const older = [...open.values()].filter(
    ({ id, created_at }) => !state.orders[id] && (created_at ?? now) < state.start,
  );
  const since = older.reduce((least, { created_at }) => Math.min(least, (created_at ?? now) - MARGIN_MS), known);
  return { ...(await desk.venue.trades({ since })), since, isWhole };
}

/** Follows an order, by its record or else by the venue's order; a record that is found later completes it. */
function track({ state }: Look, id: string, record: OrderRecord | undefined, order?: VenueOrder): void {
  const known = state.orders[id];
  if (known && (known.recorded || !record)) return;
  const { tokenId, side, price, size, expiresAt = null } = record?.terms ?? {};
  const { client_address, client_address_verified, caller, recorded } = cellsOf(record);
  const text = (decimal: Decimal | null | undefined) => (decimal ? formatDecimal(decimal) : null);
  state.orders[id] = {
    ...(known ?? { filled: '0', gross: '0', value: '0', fees: '0' }),
    client_address,
    client_address_verified,
    caller,
    recorded: recorded === true,
    signedAt: record?.signedAt ?? order?.created_at ?? 0,
    token_id: tokenId ?? order?.asset_id ?? null,
    side: side ?? order?.side ?? null,
    price: price ?? text(order?.price),
    size: size ?? text(order?.original_size),
    expiresAt,
  };
}

function isPlaced(record: OrderRecord): boolean {
  return record.state === 'finished' && record.answer.result === 'placed';
}

/** Follows the orders of the records since a time: all that the venue accepted, and those that were seen there. */
async function takeRecords(look: Look, since: number, seen: ReadonlySet<string>): Promise<void> {
  const { desk, state } = look;
  const pick = (record: OrderRecord) => (record.signedAt >= since ? record : undefined);
  const { byId, makers } = await readRecords(desk.access, pick, since);
  state.makers = [...new Set([...state.makers, ...makers])];
  for (const [id, record] of byId) {
    state.newestRecord = Math.max(state.newestRecord, record.signedAt);
    if (seen.has(id) || (isPlaced(record) && record.signedAt >= state.start)) track(look, id, record);
  }
}

/** Follows every order that was placed, is on the book, or has traded. */
async function trackOrders(look: Look, open: OpenOrders, trades: readonly Trade[]): Promise<void> {
  const { desk, state, now } = look;
  const unknown = (): ReadonlyMap<string, number> => {
    const ours = oursIn(look);
    const traded = trades
      .filter(({ match_time }) => match_time >= state.start)
      .flatMap((trade) => {
        const since = trade.match_time - TAKER_MARGIN_MS;
        return fillsIn(trade, ours, null).map(({ order_id }) => [order_id, since] as const);
      });
    const listed = [...open.values()].map(({ id, created_at }) => [id, (created_at ?? now) - MARGIN_MS] as const);
    return new Map([...traded, ...listed].filter(([id]) => !state.orders[id]));
  };
  const recent = state.newestRecord - MARGIN_MS;
  if (canReadSince(desk.access)) await takeRecords(look, recent, new Set(unknown().keys()));
  const missing = unknown();
  if (missing.size > 0) await takeRecords(look, Math.min(recent, ...missing.values()), new Set(missing.keys()));
  for (const id of missing.keys()) track(look, id, undefined, open.get(id));
}

function oursIn({ desk, state }: Look) {
  return oursOf(desk, { byId: new Map(Object.entries(state.orders)), makers: new Set(state.makers) });
}

const FINAL: ReadonlyMap<string, 'confirmed' | 'failed'> = new Map([
  ['confirmed', 'confirmed'],
  ['failed', 'failed'],
]);

/** Tells a fact about our part of a trade. */
function tell({ events }: Look, type: EventType, order: Followed, fill: Fill, status: string, at: number): void {
  const { order_id, trade_id, token_id, side } = fill;
  const text = (decimal: Decimal | null) => decimal && formatDecimal(decimal);
  const amounts = { price: text(fill.price), size: text(fill.size), value: text(fill.value), fee: text(fill.fee) };
  events.push(() => eventOf(type, order_id, order, { trade_id, token_id, side, ...amounts, status }, at));
}

/** Counts a part of a trade in the sums of its order, or takes it out again. */
function count(order: Followed, { size, value, fee }: Pick<Fill, 'size' | 'value' | 'fee'>, add: typeof plus): void {
  order.filled = add(order.filled, size);
  order.value = add(order.value, value);
  order.fees = order.fees === null || !fee ? null : add(order.fees, fee);
}

/** Tells what is new about our part of a trade: that it happened, then how its settlement ended. */
function takeFill(look: Look, trade: Trade, fill: Fill): void {
  const { state, now } = look;
  const order = state.orders[fill.order_id];
  if (!order) return;
  const key = `${fill.trade_id} ${fill.order_id}`;
  const before = state.parts[key];
  const isNew = trade.match_time >= state.start;
  if (!before) {
    count(order, fill, plus);
    order.gross = plus(order.gross, fill.size);
    if (order.left) order.left.quietSince = now;
    if (isNew) tell(look, 'order.filled', order, fill, 'matched', trade.match_time);
  }
  const fee = before ? before.fee : fill.fee && formatDecimal(fill.fee);
  const was = before?.fact ?? 'matched';
  const fact = FINAL.get(trade.status) ?? was;
  state.parts[key] = { orderId: fill.order_id, at: trade.match_time, fact, fee };
  if (fact === was) return;
  const told = { ...fill, fee: fee === null ? null : toDecimal(fee) };
  if (fact === 'failed' || was === 'failed') count(order, told, fact === 'failed' ? minus : plus);
  const type = fact === 'failed' ? 'order.settlement_failed' : 'order.settled';
  if (isNew || before) tell(look, type, order, told, fact, trade.last_update || trade.match_time);
}

/** Reads the fees of the markets of new trades; throws `DeskError` while those of a young trade are unreadable. */
async function readNewFees({ desk, memory, now }: Look, trades: readonly Trade[]): Promise<void> {
  const missing = trades.filter(({ market }) => !memory.fees.has(market));
  const read = await readFees(
    desk,
    missing.map(({ market }) => market),
  );
  for (const [market, fees] of read) if (fees !== undefined) memory.fees.set(market, fees);
  const isYoung = ({ market, match_time }: Trade) => !memory.fees.has(market) && now - match_time < FEE_WAIT_MS;
  if (missing.some(isYoung)) throw new DeskError('Trades without readable fees are told later.');
}

/** Takes the trades of the window, the oldest first. */
async function takeTrades(look: Look, trades: readonly Trade[]): Promise<void> {
  const { state, memory } = look;
  const ours = oursIn(look);
  // As if it executed: the fee of a failed trade is taken out of the sums with it.
  const fillsOf = (trade: Trade) =>
    fillsIn({ ...trade, status: 'matched' }, ours, memory.fees.get(trade.market) ?? null);
  const isNew = (trade: Trade) => fillsOf(trade).some(({ order_id }) => !state.parts[`${trade.id} ${order_id}`]);
  await readNewFees(look, trades.filter(isNew));
  for (const trade of trades) for (const fill of fillsOf(trade)) takeFill(look, trade, fill);
}

/** Names each row that cannot be used, once; the window begins with it until it can be read, or has gone. */
function takeOdd(look: Look, odd: ReadonlyMap<string, string>, since: number, isWhole: boolean): void {
  const { state, events, now } = look;
  for (const [id, status] of odd) {
    if (state.unreadable[id] !== undefined) continue;
    state.unreadable[id] = since;
    events.push(() => eventOf('order.unreadable', null, undefined, { trade_id: id, status }, now));
  }
  if (!isWhole) return;
  for (const id of Object.keys(state.unreadable)) if (!odd.has(id)) delete state.unreadable[id];
}

/** Forgets what no later look can show again. */
function forget(state: FollowState): void {
  const since = windowOf(state);
  for (const [key, { at }] of Object.entries(state.parts)) if (at < since) delete state.parts[key];
  const inWindow = new Set(Object.values(state.parts).map(({ orderId }) => orderId));
  for (const [id, { closedAt, signedAt }] of Object.entries(state.orders)) {
    if (closedAt !== undefined && !inWindow.has(id) && signedAt < state.newestRecord - MARGIN_MS)
      delete state.orders[id];
  }
}

/** Looks at the venue once. Returns the events since the state that is given, and the state after them. */
export async function look(desk: Desk, before: FollowState, memory: Memory, now: number) {
  const one: Look = { desk, state: structuredClone(before), memory, now, events: [] };
  const { state, events } = one;
  const open = new Map((await desk.venue.openOrders()).map((order) => [order.id, order]));
  const { trades: listed, unreadable, since, isWhole } = await readTrades(one, open);
  // The record of a younger trade may not be in the index yet.
  const youngest = desk.access.index ? now - INDEX_LAG_MS : Number.POSITIVE_INFINITY;
  const trades = listed.filter(({ match_time, status }) => match_time <= youngest && !isUnknown(status));
  await trackOrders(one, open, trades);
  await takeTrades(one, trades);
  const ours = oursIn(one);
  const odd = new Map(unreadable.map((id) => [id, 'unreadable']));
  for (const trade of listed.filter(({ match_time }) => match_time >= state.start)) {
    if (isUnknown(trade.status)) odd.set(trade.id, trade.status);
    else if (fillsIn(trade, ours, null).length === 0) odd.set(trade.id, 'without an order of this account');
  }
  takeOdd(one, odd, since, isWhole);
  await takeEnds(one, open);
  for (const { match_time } of trades) state.newestTrade = Math.max(state.newestTrade, match_time);
  if (isWhole) {
    forget(state);
    memory.wholeAt = now;
  }
  return { state, events: events.map((make) => make()) };
}
