import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { DeskError, orNote } from '../account/access.ts';
import { isOfClient, UNREAD } from '../account/records.ts';
import type { Cancellation } from '../account/venue.ts';
import {
  addClients,
  type Clients,
  type Desk,
  noteUnreadable,
  OPEN,
  openRow,
  openRows,
  plural,
  seenOf,
} from './desk.ts';
import { type Row, report, type Sheet } from './output.ts';

/** The orders to cancel: named ones, those of a client or a token, or all. */
export interface Selection {
  /** In lower case. */
  readonly ids: readonly string[];
  readonly client?: string | undefined;
  readonly token?: string | undefined;
  readonly all: boolean;
}

/** The pause before each check of what still rests: the venue's list may lag behind a cancellation. */
const LOOK_PAUSES_MS = [0, 500, 1_500, 3_000];

const CANCELLED: Sheet = {
  names: `${OPEN.names} result reason rests`,
  columns: { result: 'result', rests: 'rests', side: 'side', price: 'price', size: 'size', filled_size: 'filled' },
  lines: { reason: 'reason', ...OPEN.lines },
};

/** Without a terminal, the cancellation waits for the names of clients and markets no longer than this. */
const NAMES_MS = 3_000;

/** Orders that rest, by their ids. */
type Resting = ReadonlyMap<string, VenueOrder>;

/** Lists the orders of the selection that rest. Throws `DeskError` if the venue cannot be read. */
async function list(desk: Desk, { ids, client, token, all }: Selection, clients: Clients): Promise<Resting> {
  const open = await desk.venue.restingOrders();
  if (client !== undefined) await addClients(desk, seenOf(open), clients);
  const isSelected = ({ id, tokenId }: VenueOrder) =>
    all ||
    ids.includes(id) ||
    tokenId === token ||
    (client !== undefined && isOfClient(clients.get(id) ?? UNREAD, client));
  return new Map(open.filter(isSelected).map((order) => [order.id, order]));
}

/** Counts the orders that may be the client's, but whose records cannot be read yet. They keep no other order on the book. */
function unreadOf({ client }: Selection, clients: Clients): number {
  return client === undefined ? 0 : [...clients.values()].filter((cells) => cells === UNREAD).length;
}

/** Shows the orders that will be cancelled, and asks the person at the terminal, if there is one. */
async function confirm({ terminal }: Desk, { all }: Selection, rows: readonly Row[] | undefined): Promise<boolean> {
  if (rows) terminal.err(report(rows, 'table', OPEN));
  if (all) terminal.err('These are all orders of the account, including those placed elsewhere.\n');
  if (!terminal.ask) return true;
  const what = rows ? plural(rows.length, 'open order') : 'the orders, which could not be listed,';
  return /^y(?:es)?$/i.test((await terminal.ask(`Take ${what} off the book? [y/N] `)).trim());
}

/** Returns the rows of the orders to cancel, with their clients and markets. In an emergency these may be missing. */
async function rowsBefore(desk: Desk, before: Resting, clients: Clients): Promise<readonly Row[]> {
  const orders = [...before.values()];
  const named = addClients(desk, seenOf(orders), clients).then(() => openRows(desk, orders, clients));
  if (desk.terminal.ask) return named;
  const late = sleep(NAMES_MS, undefined, { ref: false });
  return (await Promise.race([named, late])) ?? orders.map((order) => openRow(order, clients.get(order.id)));
}

/** A cancellation that was sent. */
interface Done {
  readonly asked: ReadonlySet<string>;
  /** The rows before it, by order id. */
  readonly rows: ReadonlyMap<unknown, Row>;
  readonly answer: Cancellation;
  readonly clients: Clients;
}

/**
 * Finds the orders that still rest. Looks up those that the venue did not cancel, and all named ones: an order that the
 * venue holds back as delayed is on no list. An `unknown` id, which no look-up finds, proves nothing: it may still arrive.
 */
async function findLeft(desk: Desk, selection: Selection, { answer, clients }: Done) {
  const { cancelled, refused } = answer;
  let listed = await list(desk, selection, clients);
  for (const pause of LOOK_PAUSES_MS) {
    if (![...cancelled].some((id) => listed.has(id))) break;
    await sleep(pause);
    listed = await list(desk, selection, clients);
  }
  const [resting, unknown] = [new Map(listed), new Set<string>()];
  for (const id of new Set([...refused.keys(), ...selection.ids])) {
    if (resting.has(id) || cancelled.has(id)) continue;
    const order = await desk.venue.order(id);
    if (!order) unknown.add(id);
    else if (!isOver(order)) resting.set(id, order);
  }
  return { resting, unknown };
}

function resultOf(id: string, { asked, answer: { cancelled, refused } }: Done) {
  if (cancelled.has(id)) return 'cancelled';
  return asked.has(id) && !refused.has(id) ? 'unknown' : 'not_cancelled';
}

type Left = Awaited<ReturnType<typeof findLeft>>;

/** Reports a cancellation. Returns 1 if an order still rests, or if that is not known. */
async function reportDone(desk: Desk, selection: Selection, done: Done, found: Left | undefined): Promise<number> {
  const { resting, unknown } = found ?? {};
  const { asked, answer, clients } = done;
  const { cancelled, refused, failures } = answer;
  const all = [...new Set([...asked, ...cancelled, ...refused.keys(), ...(resting?.keys() ?? [])])];
  await addClients(desk, new Map(all.map((id) => [id, resting?.get(id)?.createdAt ?? null])), clients);
  const rows = all.map((id) => {
    const order = resting?.get(id);
    const rests = unknown?.has(id) ? null : (resting?.has(id) ?? null);
    const result = { result: resultOf(id, done), reason: refused.get(id) ?? null, rests };
    return { ...(order && openRow(order)), ...done.rows.get(id), order_id: id, ...clients.get(id), ...result };
  });
  desk.terminal.out(report(rows, desk.format, CANCELLED));
  if (unknown?.size) desk.note(`No look-up finds ${[...unknown].join(', ')}: closed long ago, or not yet visible.`);
  const left = unknown?.size ? undefined : resting?.size;
  const open = left === undefined ? 'could not check which are still open' : `${left} still open`;
  const rest = left === 0 ? 'none of them is still open' : open;
  desk.note(`${cancelled.size} cancelled; ${rest}.`);
  const unread = unreadOf(selection, clients);
  if (unread > 0) desk.note(`The clients of ${plural(unread, 'open order')} are unknown.`);
  return left === 0 && failures.length + unread === 0 ? 0 : 1;
}

/** Takes orders off the book. Returns 1 if one of them still rests, or if that is not known. */
export async function cancelOrders(desk: Desk, selection: Selection): Promise<number> {
  const { venue, terminal } = desk;
  const { ids, all } = selection;
  const clients: Clients = new Map();
  const listed = list(desk, selection, clients);
  // In an emergency the list itself may fail. Cancelling all orders, or named ones, does not need it.
  const before = await (all || ids.length > 0 ? orNote(desk.note, listed) : listed);
  const asked = new Set(ids.length > 0 ? ids : before?.keys());
  if (asked.size === 0 && unreadOf(selection, clients) > 0)
    throw new DeskError('The clients of the open orders are unknown.');
  if (before && asked.size === 0 && !all) {
    terminal.out(report([], desk.format, CANCELLED));
    desk.note('No such open order.');
    return 0;
  }
  const rows = before && (await rowsBefore(desk, before, clients));
  if (before) noteUnreadable(desk, [...before.values()]);
  if (!(await confirm(desk, selection, rows))) {
    desk.note('Nothing is cancelled.');
    return 1;
  }
  const answer = await (all ? venue.cancelAll() : venue.cancel([...asked]));
  for (const sentence of answer.failures) desk.note(sentence);
  const done = { asked, rows: new Map(rows?.map((row) => [row['order_id'], row])), answer, clients };
  const resting = await orNote(desk.note, findLeft(desk, selection, done), 'Which orders are still open is unknown. ');
  return reportDone(desk, selection, done, resting);
}
