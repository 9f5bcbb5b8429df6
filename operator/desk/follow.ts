import { compareDecimals, type Decimal, formatDecimal, fromUnits, toDecimal } from '../../shared/decimal.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import type { Trade, VenueOrder } from '../venue/rows.ts';
import { DeskError } from './access.ts';
import { OVER } from './cancel.ts';
import { type Desk, note, orNote } from './desk.ts';
import { oursOf, readFees } from './fills.ts';
import {
  type EventType,
  eventOf,
  type Followed,
  type FollowState,
  minus,
  type OrderEvent,
  plus,
} from './follow-state.ts';
import { type Fill, fillsIn, isUnknown } from './our-part.ts';
import { canReadSince, cellsOf, readRecords } from './records.ts';
import type { Fees } from './venue.ts';

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
/** The trades of an order may show after its end: it is closed once nothing has changed for this long. */
const QUIET_MS = 20_000;
/** The same for an order that no look-up finds, which may only have been overlooked. */
const UNKNOWN_QUIET_MS = 120_000;
/** An order is closed by then, even if its trades do not add up to what the venue says. */
const LONGEST_WAIT_MS = 3_600_000;
/** Orders that are looked up in one look, and at once: far below the venue's 500 requests in 10 s. */
const LOOK_UPS = { most: 100, atOnce: 10 } as const;
/** The venue calls an order matched that lacks less than a hundredth of a share. */
const DUST = fromUnits(1n, 2);
/** Fees may be unreadable for a moment; a trade that is older is told without its fee. */
const FEE_WAIT_MS = 300_000;
/** Times have whole seconds, and clocks differ a little. */
const EXPIRY_TOLERANCE_MS = 5_000;

/** What a process reads anew after a restart. */
export interface Memory {
  wholeAt: number;
  readonly fees: Map<string, Fees | null>;
}

/** Creates the memory of a process that has not looked yet. */
export function newMemory(): Memory {
  return { wholeAt: Number.NEGATIVE_INFINITY, fees: new Map() };
}

/**
 * One look: the state that it changes, and the events so far. They are made at its end, so that each has all that is known
 * of its order: after a restart a late trade may be told behind one that it precedes.
 */
interface Look {
  readonly desk: Desk;
  readonly state: FollowState;
  readonly memory: Memory;
  readonly now: number;
  readonly events: (() => OrderEvent)[];
}

type OpenOrders = ReadonlyMap<string, VenueOrder>;

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

/** Returns the reason why an order ended; that it expired is told by its own time only, since the venue calls it cancelled. */
function reasonOf({ gross, size, expiresAt, left }: Followed, status: string | null) {
  if (status !== null && /^invalid|resolved/.test(status)) return 'ended';
  const isFilled =
    size !== null && compareDecimals(toDecimal(status === null ? plus(gross, DUST) : gross), toDecimal(size)) >= 0;
  if (isFilled || status === 'matched') return 'filled';
  return expiresAt !== null && (left?.at ?? 0) >= expiresAt - EXPIRY_TOLERANCE_MS ? 'expired' : 'cancelled';
}

/** Judges the look-up of an order that left the book: closes it once its trades are told and quiet. */
function takeEnd({ state, events, now }: Look, id: string, found: VenueOrder | null): void {
  const order = state.orders[id];
  if (!order?.left) return;
  const { left } = order;
  const status = found ? found.status : null;
  if (found && !OVER.test(status ?? '')) {
    // Held back by the venue, and on no list; or the list was late.
    delete order.left;
    return;
  }
  const matched = found?.size_matched ? formatDecimal(found.size_matched) : null;
  if (left.askedAt === 0 || matched !== left.matched) Object.assign(left, { matched, quietSince: now });
  left.askedAt = now;
  const isTold = matched === null || compareDecimals(toDecimal(plus(order.gross, DUST)), toDecimal(matched)) >= 0;
  if (now - left.quietSince < (found ? QUIET_MS : UNKNOWN_QUIET_MS)) return;
  if (!isTold && now - left.at < LONGEST_WAIT_MS) return;
  order.closedAt = now;
  const { token_id, side, price, size, value, fees: fee } = order;
  const terms = {
    trade_id: null,
    token_id,
    side,
    price,
    size,
    value,
    fee,
    status,
    reason: reasonOf(order, status),
  } as const;
  if (left.at >= state.start) events.push(() => eventOf('order.closed', id, order, terms, left.at));
}

/** Looks up the orders that left the book, when they leave it and after each quiet time. */
async function takeEnds(look: Look, open: OpenOrders): Promise<void> {
  const { desk, state, now } = look;
  const due: string[] = [];
  for (const [id, order] of Object.entries(state.orders)) {
    if (order.closedAt !== undefined) continue;
    if (open.has(id)) delete order.left;
    // Due at once.
    else order.left ??= { at: now, quietSince: now - QUIET_MS, askedAt: 0, matched: null };
    if (order.left && now - Math.max(order.left.askedAt, order.left.quietSince) >= QUIET_MS) due.push(id);
  }
  const chosen = due.slice(0, LOOK_UPS.most);
  for (let from = 0; from < chosen.length; from += LOOK_UPS.atOnce) {
    const asked = chosen.slice(from, from + LOOK_UPS.atOnce);
    const found = await Promise.all(asked.map((id) => orNote(desk, desk.venue.order(id))));
    for (const [index, id] of asked.entries()) {
      const order = found[index];
      const left = state.orders[id]?.left;
      if (order === undefined || order?.status === null) {
        if (order) note(desk, `The order ${id} of the venue cannot be read.`);
        if (left) left.askedAt = now;
      } else takeEnd(look, id, order);
    }
  }
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
