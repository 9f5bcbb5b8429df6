import type { OrderRecord } from '../../shared/orders/record.ts';
import { formatTime } from '../../shared/time.ts';
import { isReadable, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Terminal } from '../command-line.ts';
import { type Access, DeskError } from './access.ts';
import { type Format, type Row, report, type Sheet } from './output.ts';
import { type ClientCells, cellsIn, type Records, readRecords, UNREAD } from './records.ts';
import type { DeskVenue } from './venue.ts';

// What the commands share, and the list of open orders. Rows go to the output, sentences about them to the other stream.

/** What every command works with. */
export interface Desk {
  readonly access: Access;
  readonly venue: DeskVenue;
  readonly terminal: Terminal;
  readonly format: Format;
}

/** Writes a sentence for the person at the terminal. */
export function note({ terminal }: Pick<Desk, 'terminal'>, sentence: string): void {
  terminal.err(`${sentence}\n`);
}

/** Waits for work. Writes the message of a `DeskError` to the terminal and returns `undefined`. */
export async function orNote<T>(desk: Pick<Desk, 'terminal'>, work: Promise<T>, about = ''): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    note(desk, about + error.message);
    return undefined;
  }
}

/** Writes a number of things. */
export function plural(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const OPEN_NAMES =
  'order_id client_address client_address_verified recorded token_id market question outcome side price size filled_size since status';

/** The report of open orders. */
export const OPEN: Sheet = {
  names: OPEN_NAMES.split(' '),
  columns: { side: 'side', price: 'price', size: 'size', filled_size: 'filled', since: 'since', status: 'status' },
  lines: { order_id: 'order', question: 'market', outcome: 'outcome', token_id: 'token' },
};

/** Returns the cells of an open order; an unreadable one is `null`. */
export function openRow(order: VenueOrder, client: ClientCells = UNREAD): Row {
  return {
    order_id: order.id,
    ...client,
    token_id: order.asset_id,
    market: order.market,
    outcome: order.outcome,
    side: order.side,
    price: order.price,
    size: order.original_size,
    filled_size: order.size_matched,
    since: order.created_at === null ? null : formatTime(order.created_at),
    status: isReadable(order) ? order.status : 'unreadable',
  };
}

/** Counts the malformed orders, and reports the number. */
export function noteUnreadable(desk: Desk, orders: readonly VenueOrder[]): number {
  const { length } = orders.filter((order) => !isReadable(order));
  if (length > 0) note(desk, `${plural(length, 'malformed open order')}, listed as unreadable.`);
  return length;
}

/** Reads the records, as `readRecords`, and notes how many were skipped. */
export async function readKnown<T>(desk: Desk, pick: (record: OrderRecord) => T | undefined): Promise<Records<T>> {
  const records = await readRecords(desk.access, pick);
  if (records.unreadable > 0)
    note(desk, `${plural(records.unreadable, 'record')} skipped: damaged, or of another version of the service.`);
  return records;
}

/** The clients of orders, by order id. */
export type Clients = Map<string, ClientCells>;

/**
 * Adds the clients of those orders that are not known yet: reading a large store takes minutes. Returns false, after a
 * sentence for the person at the terminal, if the records cannot be read.
 */
export async function addClients(desk: Desk, orderIds: readonly string[], known: Clients): Promise<boolean> {
  const ids = new Set(orderIds.filter((id) => !known.has(id)));
  if (ids.size > 0) {
    const pick = (record: OrderRecord) => (ids.has(record.orderId.toLowerCase()) ? record : undefined);
    const records = await orNote(desk, readKnown(desk, pick));
    for (const id of ids) known.set(id, records ? cellsIn(records, id) : UNREAD);
  }
  return !orderIds.some((id) => known.get(id) === UNREAD);
}

/** Lists the orders that rest at the venue. Returns 1 if one is unreadable, or the records that name its client. */
export async function listOpen(desk: Desk): Promise<number> {
  const orders = await desk.venue.restingOrders();
  const clients: Clients = new Map();
  const ids = orders.map(({ id }) => id);
  const areRead = await addClients(desk, ids, clients);
  const markets = await desk.venue.markets([...new Set(orders.flatMap(({ market }) => market ?? []))]);
  const rows = orders.map((order) => ({
    ...openRow(order, clients.get(order.id)),
    question: markets.get(order.market ?? '')?.question ?? null,
  }));
  desk.terminal.out(report(rows, desk.format, OPEN));
  note(desk, rows.length === 0 ? 'No open orders.' : `${plural(rows.length, 'order')} on the book.`);
  return noteUnreadable(desk, orders) === 0 && areRead ? 0 : 1;
}
