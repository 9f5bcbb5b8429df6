import { formatDecimal } from '../../shared/decimal.ts';
import { ORDER_ID, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { isUnknown, type OwnTrade, orderIdsIn, ownTrade } from '../account/fills.ts';
import { takeEnds } from './ends.ts';
import { eventsOf } from './event.ts';
import type { Look, Recognition, RecordedOrder, Shown } from './shown.ts';
import type { Followed, FollowState } from './state.ts';
import { LONGEST_WINDOW_MS, MARGIN_MS, RECENT_MS, WHOLE_WINDOW_MS } from './times.ts';
import { takeTrades } from './trades.ts';

// One look turns the venue's data into events and a new state. It does no I/O: it returns what it lacks, and runs again
// with the answers. A repeated look reports the same facts under the same ids.

/** Returns the start of the whole window: a margin before the oldest trade that is not settled or not readable. */
function wholeStart({ newestTrade, parts, unreadable }: FollowState): number {
  const open = Object.values(parts).filter(({ fact }) => fact === 'matched');
  const oldest = open.reduce((least, { at }) => Math.min(least, at), newestTrade);
  return Math.max(Math.min(oldest - MARGIN_MS, ...Object.values(unreadable)), newestTrade - LONGEST_WINDOW_MS);
}

/** Returns the window of trades to read: of orders that rest since before the start, all trades. */
export function windowOf(state: FollowState, open: Shown['open'], now: number): Pick<Shown, 'since' | 'isWhole'> {
  const isWhole = Math.abs(now - state.wholeAt) >= WHOLE_WINDOW_MS;
  const known = isWhole ? wholeStart(state) : state.newestTrade - RECENT_MS;
  const older = open.flatMap(({ id, createdAt: at }) =>
    state.orders[id] || at === null || at >= state.start ? [] : at - MARGIN_MS,
  );
  return { since: Math.min(known, ...older), isWhole };
}

/** Returns the time since when each look reads records. */
export function recentRecords({ newestRecord }: FollowState): number {
  return newestRecord - MARGIN_MS;
}

function foundIn({ records }: Shown): readonly (readonly [id: string, RecordedOrder])[] {
  return [...records].flatMap(([id, record]) => (record ? [[id, record] as const] : []));
}

const NOTHING = {
  ...{ client_address: null, client_address_verified: null, caller: null, expiresAt: null },
  ...{ filled_size: '0', gross: '0', value: '0', fee: '0' },
};

function followedOf(order: VenueOrder | undefined): Followed {
  const { createdAt, conditionId: market = null, tokenId: token_id = null, side = null, outcome = null } = order ?? {};
  const [price = null, size = null] = [order?.price, order?.size].map((one) => one && formatDecimal(one));
  return { ...NOTHING, signedAt: createdAt ?? 0, market, token_id, side, outcome, price, size };
}

/** Follows every order that was placed since the start, is on the book, or has traded. */
function trackOrders({ state, shown, open, now, lacks }: Look, trades: readonly OwnTrade[]): void {
  const recent = recentRecords(state);
  const ask = (id: string) => {
    if (!shown.records.has(id)) lacks.records.add(id);
  };
  const follow = (id: string) => {
    if (state.orders[id]) return;
    ask(id);
    state.orders[id] = followedOf(open.get(id));
  };
  for (const id of open.keys()) follow(id);
  for (const { trade, shares } of trades.filter(({ trade }) => trade.at >= state.start)) {
    for (const { orderId } of shares) follow(orderId);
    // Its order may be recorded under another account.
    if (shares.length === 0 && !state.unreadable[trade.id]) orderIdsIn(trade).forEach(ask);
  }
  for (const [id, { cells, isPlaced }] of foundIn(shown)) {
    const { signedAt } = cells;
    state.newestRecord = Math.max(state.newestRecord, Math.min(signedAt, now));
    // The follower may have closed and forgotten an older one.
    if (isPlaced && signedAt >= Math.max(state.start, recent)) state.orders[id] ??= followedOf(undefined);
    const order = state.orders[id];
    if (order) Object.assign(order, cells, { market: cells.market ?? order.market });
  }
}

const OPEN_WITHOUT_ID = 'an open order without an id';

/** Returns the rows that cannot be used, and why. */
function oddRows({ state, shown, open }: Look, trades: readonly OwnTrade[]): ReadonlyMap<string, string> {
  const rows = new Map(shown.unreadable.map((id) => [id, 'unreadable']));
  for (const { trade, shares } of trades.filter(({ trade }) => trade.at >= state.start)) {
    if (isUnknown(trade)) rows.set(trade.id, trade.status);
    else if (shares.length === 0) rows.set(trade.id, 'without an order of this account');
  }
  if (open.size < shown.open.length) rows.set(OPEN_WITHOUT_ID, OPEN_WITHOUT_ID);
  return rows;
}

/** Reports each row that cannot be used, once; the window begins with it until it can be used, or is gone. */
function takeOdd({ state, shown, facts, now }: Look, odd: ReadonlyMap<string, string>): void {
  for (const [id, status] of odd) {
    if (state.unreadable[id]) continue;
    state.unreadable[id] = shown.since;
    const trade_id = id === OPEN_WITHOUT_ID ? null : id;
    facts.push({ type: 'order.unreadable', orderId: null, at: now, data: { trade_id, status } });
  }
  if (!shown.isWhole) return;
  for (const id of Object.keys(state.unreadable)) if (!odd.has(id)) delete state.unreadable[id];
}

/** Forgets what later looks cannot show. */
function forget(state: FollowState): void {
  const since = wholeStart(state);
  for (const [key, { at }] of Object.entries(state.parts)) if (at < since) delete state.parts[key];
  const inWindow = new Set(Object.values(state.parts).map(({ orderId }) => orderId));
  for (const [id, { closedAt, signedAt }] of Object.entries(state.orders)) {
    if (closedAt !== undefined && !inWindow.has(id) && signedAt < recentRecords(state)) delete state.orders[id];
  }
}

/**
 * Returns the events since a state, and the state after them. Ignore both unless `lacks` is `undefined`: the look is then
 * made again with the answers.
 */
export function look(before: FollowState, shown: Shown, { recordLagMs, ...account }: Recognition, now: number) {
  const state = structuredClone(before);
  state.revision = Math.max(now, before.revision + 1);
  const open = new Map(shown.open.filter(({ id }) => ORDER_ID.test(id)).map((order) => [order.id, order]));
  const lacks = { records: new Set<string>(), markets: new Set<string>(), lookUps: new Set<string>() };
  const ours = { ...account, recorded: new Set([...Object.keys(state.orders), ...foundIn(shown).map(([id]) => id)]) };
  const one: Look = { state, shown, now, open, facts: [], lacks };
  const forgotten = wholeStart(before);
  // The record of a younger one may not show yet.
  const shownTrades = shown.trades.filter(({ at }) => Math.abs(now - at) >= recordLagMs);
  const trades = shownTrades.flatMap((trade) => {
    const own = ownTrade(trade, ours);
    if (trade.at >= forgotten) return [own];
    // It was read for orders that rest since before the start; the shares of other orders were counted before.
    const shares = own.shares.filter(({ orderId: id }) => open.has(id) && !(id in before.orders));
    return shares.length > 0 ? [{ trade, shares }] : [];
  });
  const usable = trades.filter(({ trade }) => !isUnknown(trade));
  trackOrders(one, usable);
  takeTrades(one, usable);
  takeOdd(one, oddRows(one, trades));
  takeEnds(one);
  const events = eventsOf(one.facts, state, shown.markets);
  if (shown.isWhole) {
    forget(state);
    state.wholeAt = now;
  }
  const isLacking = lacks.records.size + lacks.markets.size + lacks.lookUps.size > 0;
  return { state, events, lacks: isLacking ? lacks : undefined };
}
