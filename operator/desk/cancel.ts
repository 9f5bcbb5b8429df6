import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError } from './access.ts';
import { addClients, type Clients, type Desk, note, OPEN, openRow, orNote, plural } from './desk.ts';
import { type Row, report, type Sheet } from './output.ts';
import { isOfClient, UNREAD } from './records.ts';
import type { Cancellation, VenueOrder } from './venue.ts';

/** The orders that a cancellation is about: named ones, or by one of the others. */
export interface Selection {
  /** In lower case. */
  readonly ids: readonly string[];
  readonly client: string | undefined;
  readonly token: string | undefined;
  readonly all: boolean;
}

/** The pauses before each look at what still rests: for a moment the list may show what the venue has cancelled. */
const LOOK_PAUSES_MS = [0, 500, 1_500, 3_000];

/** States in which an order is executed no more. In another one, also one that is not known here, it may be. */
const OVER = /^(?:matched|(?:cancell?ed|invalid)[a-z_]*)$/;

const CANCELLED: Sheet = {
  names: [...OPEN.names, 'result', 'reason', 'rests'],
  columns: { result: 'result', rests: 'rests', side: 'side', price: 'price', size: 'size', filled_size: 'filled' },
  lines: { reason: 'reason', ...OPEN.lines },
};

/** Orders that rest, by their ids. */
type Resting = ReadonlyMap<string, VenueOrder>;

/** Lists the orders of the selection that rest. Throws `DeskError` where that cannot be told. */
async function list(desk: Desk, { ids, client, token, all }: Selection, clients: Clients): Promise<Resting> {
  const open = await desk.venue.openOrders();
  const openIds = open.map(({ id }) => id);
  if (client !== undefined && !(await addClients(desk, openIds, clients))) {
    throw new DeskError('Whose orders rest is not known.');
  }
  const isSelected = ({ id, asset_id }: VenueOrder) =>
    all ||
    ids.includes(id) ||
    asset_id === token ||
    (client !== undefined && isOfClient(clients.get(id) ?? UNREAD, client));
  return new Map(open.filter(isSelected).map((order) => [order.id, order]));
}

/** Shows what will be cancelled, and asks where there is a person to answer. */
async function confirm({ terminal }: Desk, { all }: Selection, rows: readonly Row[] | undefined): Promise<boolean> {
  if (rows) terminal.err(report(rows, 'table', OPEN));
  if (all) terminal.err('These are all orders of the account, also those that were placed elsewhere.\n');
  if (!terminal.ask) return true;
  const what = rows ? plural(rows.length, 'resting order') : 'the orders, which could not be listed,';
  return /^y(?:es)?$/i.test((await terminal.ask(`Take ${what} off the book? [y/N] `)).trim());
}

/** A cancellation that was made. */
interface Done {
  /** The ids that were to be cancelled. */
  readonly asked: ReadonlySet<string>;
  readonly before: Resting | undefined;
  readonly said: Cancellation;
  readonly clients: Clients;
}

/**
 * Looks which orders still rest: those of the list, and those that the venue did not cancel and does not call over. Named
 * orders are looked up though it said nothing of them: one that it holds back is on no list.
 */
async function look(desk: Desk, selection: Selection, { said, clients }: Done): Promise<Resting> {
  const { cancelled, refused } = said;
  let listed = await list(desk, selection, clients);
  for (const pause of LOOK_PAUSES_MS) {
    if (![...cancelled].some((id) => listed.has(id))) break;
    await sleep(pause);
    listed = await list(desk, selection, clients);
  }
  const resting = new Map(listed);
  for (const id of new Set([...refused.keys(), ...selection.ids])) {
    desk.terminal.progress(`looking up ${id}`);
    const order = resting.has(id) || cancelled.has(id) ? undefined : await desk.venue.order(id);
    if (order && !OVER.test(order.status)) resting.set(id, order);
  }
  return resting;
}

function restInWords(left: number | undefined): string {
  if (left === undefined) return 'how many rest is not known';
  return left === 0 ? 'none of them rests' : `${left} still rest`;
}

function resultOf(id: string, { asked, said: { cancelled, refused } }: Done) {
  const reason = refused.get(id) ?? null;
  if (cancelled.has(id)) return { result: 'cancelled', reason };
  if (refused.has(id)) return { result: 'not_cancelled', reason };
  if (asked.has(id)) return { result: 'unknown', reason };
  return { result: 'not_cancelled', reason: 'it came after the others were listed' };
}

/** Reports a cancellation. Returns 1 where an order still rests, or where that cannot be told. */
async function reportDone(desk: Desk, done: Done, resting: Resting | undefined): Promise<number> {
  const { asked, before, said, clients } = done;
  const all = [...new Set([...asked, ...said.cancelled, ...said.refused.keys(), ...(resting?.keys() ?? [])])];
  await addClients(desk, all, clients);
  const rows = all.map((id) => {
    const order = before?.get(id) ?? resting?.get(id);
    return {
      ...(order && openRow(order)),
      order_id: id,
      ...clients.get(id),
      ...resultOf(id, done),
      rests: resting ? resting.has(id) : null,
    };
  });
  desk.terminal.progress('');
  desk.terminal.out(report(rows, desk.format, CANCELLED));
  const left = resting?.size;
  note(desk, `${said.cancelled.size} cancelled; ${restInWords(left)}.`);
  return left === 0 && said.failures.length === 0 ? 0 : 1;
}

/** Takes orders off the book. Returns 1 where one of them still rests, or where that cannot be told. */
export async function cancelOrders(desk: Desk, selection: Selection): Promise<number> {
  const { venue, terminal } = desk;
  const { ids, all } = selection;
  const clients: Clients = new Map();
  const listed = list(desk, selection, clients);
  // In an emergency the list may be what fails, and to cancel all or named orders needs none.
  const before = await (all || ids.length > 0 ? orNote(desk, listed) : listed);
  const asked = new Set(ids.length > 0 ? ids : before?.keys());
  if (before && asked.size === 0 && !all) {
    terminal.out(report([], desk.format, CANCELLED));
    note(desk, 'No such order rests.');
    return 0;
  }
  // Without a person to read whose they are, no cancellation waits for the records.
  if (terminal.ask) await addClients(desk, [...asked], clients);
  const rows = before && [...before.values()].map((order) => openRow(order, clients.get(order.id)));
  if (!(await confirm(desk, selection, rows))) {
    note(desk, 'Nothing is cancelled.');
    return 1;
  }
  const said = await (all ? venue.cancelAll() : venue.cancel([...asked]));
  for (const sentence of said.failures) note(desk, sentence);
  const done = { asked, before, said, clients };
  const resting = await orNote(desk, look(desk, selection, done), 'What still rests cannot be told. ');
  return reportDone(desk, done, resting);
}
