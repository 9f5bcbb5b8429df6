import { expect } from '@jest/globals';
import { DeskError } from '../../../operator/account/access.ts';
import type { OrderEvent } from '../../../operator/follow/event.ts';
import { createLooks, type Sources } from '../../../operator/follow/read.ts';
import type { RecordedOrder } from '../../../operator/follow/shown.ts';
import { decodeState, encodeState, type FollowState, newState } from '../../../operator/follow/state.ts';
import { toDecimal } from '../../../shared/decimal.ts';
import { formatTime } from '../../../shared/time.ts';
import type { Fees, Trade, VenueOrder } from '../../../shared/venue/polymarket/operator-venue.ts';

// A table of looks: what the venue shows at each of them, and the events that must follow. Times are in seconds.

const START = 1_795_000_000_000;
const OWNER = 'our-api-key';
export const ACCOUNT = `0x${'aa'.repeat(20)}`;
/** How the orders of the looks are recognised. */
export const FOLLOWER = { owner: OWNER, makers: new Set([ACCOUNT]), recordLagMs: 0 };
const MARKET = `0x${'c0'.repeat(32)}`;
export const TOKEN = '7'.repeat(77);
export const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400] as const;

export function idOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
}

function nameOf(id: string): string {
  return Buffer.from(id.slice(2), 'hex').toString().replaceAll('\0', '');
}

/** Returns a time of the venue, which has whole seconds unless it is late. */
export function timeOf(seconds: number): number {
  return START + seconds * 1_000;
}

/** Writes such a time as events have it. */
export function textOf(seconds: number): string {
  return formatTime(timeOf(seconds));
}

const decimal = (value: number) => toDecimal(String(value));

/** An order as the venue has it, created at the start. */
export function order(name: string, size: number, more: Partial<VenueOrder> = {}): VenueOrder {
  const amounts = { price: decimal(0.5), size: decimal(size), filledSize: decimal(0) };
  const market = { conditionId: MARKET, tokenId: TOKEN, outcome: 'Yes', side: 'buy' } as const;
  return { id: idOf(name), status: 'live', ...market, ...amounts, createdAt: timeOf(0), ...more };
}

/** The look-up of an order: its status, and how much the venue has matched. */
export function found(status: string, name: string, size: number, matched = 0): Found {
  return { [name]: order(name, size, { status, filledSize: decimal(matched) }) };
}

type Found = Readonly<Record<string, VenueOrder | null | 'unreadable'>>;

/** A maker's entry of a trade: of our order, unless it is made another's. */
export function entry(name: string, size: number, more: Partial<Trade['makers'][number]> = {}) {
  const account = { owner: OWNER, maker: null, fee: null };
  const terms = { orderId: idOf(name), size: decimal(size), price: decimal(0.5), side: null };
  return { ...account, ...terms, tokenId: TOKEN, outcome: 'Yes', ...more };
}

/** A trade with our order as its maker. */
export function fill(id: string, at: number, name: string, size: number, more: Partial<Trade> = {}): Trade {
  return {
    ...{
      id,
      conditionId: MARKET,
      tokenId: TOKEN,
      outcome: 'Yes',
      side: 'sell',
      size: decimal(size),
      price: decimal(0.5),
    },
    ...{ owner: 'another', maker: null, fee: null, isTaker: false, takerOrderId: idOf('stranger') },
    ...{ status: 'matched', at: timeOf(at), changedAt: 0, transactionHash: null },
    makers: [entry(name, size)],
    ...more,
  };
}

/** A trade with our order as its taker, against a maker of another. */
export function taken(id: string, at: number, name: string, size: number, more: Partial<Trade> = {}): Trade {
  const makers = [entry('another', size, { owner: 'another' })];
  const own = { takerOrderId: idOf(name), owner: OWNER, side: 'buy', isTaker: true, makers } as const;
  return fill(id, at, name, size, { ...own, ...more });
}

export const CONFIRMED = { status: 'confirmed' } as const;
export const FAILED = { status: 'failed' } as const;

/** The record of an order that the venue has accepted, of the client of that name. */
export function record(
  name: string,
  at: number,
  more: Partial<RecordedOrder['cells']> = {},
  isPlaced = true,
): Recorded {
  const client = { client_address: `client of ${name}`, client_address_verified: true, caller: null };
  const terms = { market: MARKET, token_id: TOKEN, side: 'buy', price: '0.5', size: '10', expiresAt: null } as const;
  return { [name]: { cells: { ...client, ...terms, signedAt: timeOf(at), ...more }, isPlaced } };
}

type Recorded = Readonly<Record<string, RecordedOrder>>;

/** What a row shows from its look on, until a later row shows something else. */
interface World {
  readonly open: readonly VenueOrder[];
  readonly trades: readonly Trade[];
  readonly unreadable: readonly string[];
  readonly found: Found;
  readonly records: Recorded;
  /** The markets whose fees cannot be read. */
  readonly noFees: readonly string[];
  readonly fees: Fees | null;
  readonly question: string | null;
}

/** One look, some seconds after the start. */
export interface Row extends Partial<World> {
  readonly at: number;
  /** The events. */
  readonly says: readonly string[];
  /** Members of the data of each event. */
  readonly data?: readonly object[];
  /** The times of the events, in seconds. */
  readonly times?: readonly number[];
  /** The only event as a whole, but for its id and its type. */
  readonly whole?: { readonly timestamp: string; readonly data: object };
  /** What was read, in its order, beside the open orders, the trades and the list of recent records. */
  readonly asks?: readonly string[];
  /** The start of the window of trades, in seconds. */
  readonly since?: number;
  /** What is known after the look. */
  readonly keeps?: { readonly orders?: readonly string[]; readonly parts?: number };
  /** The state is lost before the look: a follower begins at this time. */
  readonly begins?: number;
}

const EMPTY: World = {
  ...{ open: [], trades: [], unreadable: [], found: {}, records: {}, noFees: [], question: 'Will it rain?' },
  fees: { rate: decimal(0.04), exponent: 1, takerOnly: true },
};

/** How a clause's follower is made. */
interface How {
  /** It reports from this time on. */
  readonly start?: number;
  /** A new record may be missing for this long. */
  readonly lag?: number;
}

/** A clause of the contract, and the looks that prove it. */
export interface Looks extends How {
  readonly clause: string;
  /** The types of events that it is the proof of. */
  readonly proves: readonly OrderEvent['type'][];
  readonly rows: readonly Row[];
}

/** Writes an event: its fact, then how much of its order is filled and how much remains. */
function write({ type, data }: OrderEvent): string {
  const { order_id, trade_id, size, filled_size, remaining_size } = data;
  const name = order_id === null ? '' : nameOf(order_id);
  const sums = `${filled_size}+${remaining_size}`;
  switch (type) {
    case 'order.filled':
      return `${name} filled by ${trade_id}: ${size}, now ${sums}`;
    case 'order.settled':
      return `${name} settled in ${trade_id}, now ${sums}`;
    case 'order.settlement_failed':
      return `${name} failed in ${trade_id}, now ${sums}`;
    case 'order.closed':
      return `${name} closed: ${'reason' in data ? data.reason : ''}, ${sums}`;
    case 'order.unreadable':
      return `unreadable ${trade_id}: ${data.status}`;
  }
}

/** What an event is about: the same fact has the same id, and no other one has it. */
function factOf({ type, data: { order_id, trade_id, ...data } }: OrderEvent): string {
  return JSON.stringify([type, order_id, trade_id, 'reason' in data && data.reason === null]);
}

/** Returns what `shows` shows at the time of each call; `note` hears of each, and of the time from which on lists are read. */
function sourcesOf(shows: () => World, note: (what: string, since?: number) => void): Sources {
  const recorded = (isAsked: (id: string, record: RecordedOrder) => boolean) => {
    const all = Object.entries(shows().records).map(([name, record]) => [idOf(name), record] as const);
    return new Map(all.filter(([id, record]) => isAsked(id, record)));
  };
  return {
    restingOrders: async () => shows().open,
    trades: async ({ since = 0 }) => {
      note('trades', since);
      // The venue's own filter, a second wide.
      const trades = shows().trades.filter(({ at }) => at >= since - 1_000);
      return { trades: trades.toSorted((a, b) => a.at - b.at), unreadable: shows().unreadable };
    },
    recentRecords: async (since) => recorded((_id, { cells }) => cells.signedAt >= since),
    records: async (ids) => {
      note(`records of ${ids.map(nameOf)}`);
      return recorded((id) => ids.includes(id));
    },
    markets: async (ids) => new Map(ids.map((id) => [id, { question: shows().question, isResolved: false }])),
    fees: async (id) => {
      note(id === MARKET ? 'market' : `market ${nameOf(id)}`);
      if (shows().noFees.includes(id)) throw new DeskError('no fees');
      return shows().fees;
    },
    order: async (id) => {
      const name = nameOf(id);
      note(`order ${name}`);
      const { [name]: found = null } = shows().found;
      if (found === 'unreadable') throw new DeskError('no look-up');
      return found;
    },
  };
}

/** Makes the looks of a clause one after another, and holds each to its row. Returns the events. */
export async function follow({ rows, start = 0, lag = 0 }: Looks): Promise<readonly OrderEvent[]> {
  const events: OrderEvent[] = [];
  let state: FollowState = newState(timeOf(start));
  let world = EMPTY;
  let revision = 0;
  const ids = new Map<string, string>();
  const asked: string[] = [];
  const sinces = new Map<string, number>();
  const sources = sourcesOf(
    () => world,
    (what, since) => {
      if (since === undefined) asked.push(what);
      else sinces.set(what, since);
    },
  );
  const look = createLooks(sources, { ...FOLLOWER, recordLagMs: lag * 1_000 }, () => undefined);
  for (const { at, says, data, times, whole, asks, since, keeps, begins, ...shown } of rows) {
    world = { ...world, ...shown };
    asked.length = 0;
    sinces.clear();
    if (begins !== undefined) state = newState(timeOf(begins), state.revision);
    const looked = await look(state, timeOf(at));
    const where = `at ${at} s`;
    expect([where, ...looked.events.map(write)]).toStrictEqual([where, ...says]);
    if (data) expect(looked.events.map((event) => event.data)).toMatchObject(data);
    if (times) expect(looked.events.map(({ timestamp }) => timestamp)).toStrictEqual(times.map(textOf));
    const [{ id: _id, type: _type, ...event } = { id: '', type: '' }] = looked.events;
    if (whole) expect(event).toStrictEqual(whole);
    events.push(...looked.events);
    for (const event of looked.events) {
      const fact = factOf(event);
      expect(event.id).toMatch(/^evt_[0-9a-f]{32}$/);
      expect([fact, event.id]).toStrictEqual([fact, ids.get(fact) ?? event.id]);
      ids.set(fact, event.id);
    }
    expect(new Set(ids.values()).size).toBe(ids.size);
    if (asks) expect([where, ...asked]).toStrictEqual([where, ...asks]);
    if (since !== undefined) expect([where, sinces.get('trades')]).toStrictEqual([where, timeOf(since)]);
    // As if it had been kept, and loaded.
    const kept = decodeState(encodeState(looked.state));
    expect(kept).toBeDefined();
    state = { ...(kept ?? state), wholeAt: looked.state.wholeAt };
    const { orders, parts } = state;
    if (keeps?.orders) expect(Object.keys(orders).map(nameOf)).toStrictEqual(keeps.orders);
    if (keeps?.parts !== undefined) expect(Object.keys(parts)).toHaveLength(keeps.parts);
    expect(looked.events.every((event) => event.data.revision === state.revision)).toBe(true);
    expect(state.revision).toBeGreaterThan(revision);
    ({ revision } = state);
  }
  return events;
}
