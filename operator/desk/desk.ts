import type { Terminal } from '../../local/command-line.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import { formatTime } from '../../shared/time.ts';
import { isReadable, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { type Access, type Note, orNote } from '../account/access.ts';
import { type ClientCells, cellsIn, type Records, readRecords, UNREAD } from '../account/records.ts';
import type { AccountVenue } from '../account/venue.ts';
import { type Format, type Row, report, type Sheet } from './output.ts';

// What the commands share, and the list of open orders. Rows go to the output, sentences about them to the other stream.

/** What every command works with. */
export interface Desk {
  readonly access: Access;
  readonly venue: AccountVenue;
  readonly terminal: Terminal;
  readonly note: Note;
  readonly format: Format;
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

/** Reads the records, as `readRecords`, and notes how many were skipped. */
export async function readKnown<T>(desk: Desk, pick: (record: OrderRecord) => T | undefined): Promise<Records<T>> {
  const records = await readRecords(desk.access, pick);
  if (records.unreadable > 0)
    desk.note(`${plural(records.unreadable, 'record')} skipped: damaged, or of another version of the service.`);
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
    const records = await orNote(desk.note, readKnown(desk, pick));
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
  const markets = await desk.venue.markets([...new Set(orders.flatMap(({ conditionId }) => conditionId ?? []))]);
  const rows = orders.map((order) => ({
    ...openRow(order, clients.get(order.id)),
    question: markets.get(order.conditionId ?? '')?.question ?? null,
  }));
  desk.terminal.out(report(rows, desk.format, OPEN));
  desk.note(rows.length === 0 ? 'No open orders.' : `${plural(rows.length, 'order')} on the book.`);
  return noteUnreadable(desk, orders) === 0 && areRead ? 0 : 1;
}
