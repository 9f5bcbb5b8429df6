import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../../local/command-line.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import { formatTime } from '../../shared/time.ts';
import { isReadable, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Access, type Note, orNote } from '../account/access.ts';
import { type ClientCells, cellsOf, openAccountRecords, UNREAD, type Who, whoOf } from '../account/records.ts';
import type { AccountVenue } from '../account/venue.ts';
import { type Format, type Row, report, type Sheet } from './output.ts';

// What the commands share, and the list of open orders. Rows go to the output, sentences about them to the other stream.

export interface Desk {
  readonly access: Access;
  readonly venue: AccountVenue;
  readonly terminal: Terminal;
  readonly note: Note;
  readonly format: Format;
}

export function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** The report of open orders. */
export const OPEN: Sheet = {
  names:
    'order_id client_address client_address_verified recorded token_id market question outcome side price size filled_size since status',
  columns: { side: 'side', price: 'price', size: 'size', filled_size: 'filled', since: 'since', status: 'status' },
  lines: { order_id: 'order', question: 'market', outcome: 'outcome', token_id: 'token' },
};

/** Returns the cells of an open order; an unreadable one is `null`. */
export function openRow(order: VenueOrder, client: ClientCells = UNREAD): Row {
  return {
    order_id: order.id,
    ...client,
    token_id: order.tokenId,
    market: order.conditionId,
    outcome: order.outcome,
    side: order.side,
    price: order.price,
    size: order.size,
    filled_size: order.filledSize,
    since: order.createdAt === null ? null : formatTime(order.createdAt),
    status: isReadable(order) ? order.status : 'unreadable',
  };
}

/** Counts the malformed orders, and reports the number. */
export function noteUnreadable(desk: Desk, orders: readonly VenueOrder[]): number {
  const { length } = orders.filter((order) => !isReadable(order));
  if (length > 0) desk.note(`${plural(length, 'malformed open order')}, listed as unreadable.`);
  return length;
}

/** A time at which each order existed, in milliseconds of the Unix epoch; `null` if it is unknown. */
export type Seen = ReadonlyMap<string, number | null>;

/** The pause before a record that may be late is asked for again. */
const AGAIN_MS = 2_000;
/** An index may lag more than usual: a record may exist for an order that is younger than this many lags. */
const MOST_LAGS = 12;

/**
 * Finds the records of orders, and notes how many were skipped. Asks again for those that may be late. `cellsIn` returns an
 * order's client; `recorded` is false only if the order certainly has no record.
 */
export async function readKnown<T extends Who>(desk: Desk, seen: Seen, pick: (record: OrderRecord) => T) {
  const records = await openAccountRecords(desk.access);
  const { byId: first, unreadable } = await records.find([...seen.keys()], pick);
  const missing = (byId: ReadonlyMap<string, T>) => {
    const since = Date.now() - MOST_LAGS * records.lagMs;
    return [...seen].flatMap(([id, at]) => (!byId.has(id) && at !== null && at > since ? id : []));
  };
  const young = missing(first);
  if (young.length > 0) await sleep(AGAIN_MS);
  const byId = young.length === 0 ? first : new Map([...first, ...(await records.find(young, pick)).byId]);
  if (unreadable > 0)
    desk.note(`${plural(unreadable, 'record')} skipped: damaged, or of another version of the service.`);
  const late = new Set(missing(byId));
  const isUnread = (id: string) => !byId.has(id) && (unreadable > 0 || late.has(id));
  return { byId, cellsIn: (id: string): ClientCells => (isUnread(id) ? UNREAD : cellsOf(byId.get(id))) };
}

/** The clients of orders, by order id. */
export type Clients = Map<string, ClientCells>;

/**
 * Adds the clients of those orders that are not known yet. Returns false, after a sentence for the person at the terminal, if
 * a record cannot be read.
 */
export async function addClients(desk: Desk, seen: Seen, known: Clients): Promise<boolean> {
  const unknown = new Map([...seen].filter(([id]) => !known.has(id)));
  if (unknown.size > 0) {
    const records = await orNote(desk.note, readKnown(desk, unknown, whoOf));
    for (const id of unknown.keys()) known.set(id, records?.cellsIn(id) ?? UNREAD);
  }
  return ![...seen.keys()].some((id) => known.get(id) === UNREAD);
}

/** Returns when each of the orders was on the book. */
export function seenOf(orders: Iterable<VenueOrder>): Seen {
  return new Map([...orders].map(({ id, createdAt }) => [id, createdAt]));
}

export async function openRows({ venue }: Desk, orders: readonly VenueOrder[], clients: Clients) {
  const markets = await venue.markets([...new Set(orders.flatMap(({ conditionId }) => conditionId ?? []))]);
  return orders.map((order) => ({
    ...openRow(order, clients.get(order.id)),
    question: markets.get(order.conditionId ?? '')?.question ?? null,
  }));
}

/** Lists the orders that rest at the venue. Returns 1 if one is unreadable, or the records that name its client. */
export async function listOpen(desk: Desk): Promise<number> {
  const orders = await desk.venue.restingOrders();
  const clients: Clients = new Map();
  const areRead = await addClients(desk, seenOf(orders), clients);
  const rows = await openRows(desk, orders, clients);
  desk.terminal.out(report(rows, desk.format, OPEN));
  desk.note(rows.length === 0 ? 'No open orders.' : `${plural(rows.length, 'order')} on the book.`);
  return noteUnreadable(desk, orders) === 0 && areRead ? 0 : 1;
}
