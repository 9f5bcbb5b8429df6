import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError } from './access.ts';
import { type Desk, findClients, note, OPEN, openRow, orNote, plural } from './desk.ts';
import { type Row, report, type Sheet, tableOf } from './output.ts';
import { type ClientCells, clientsIn, isOfClient, UNREAD } from './records.ts';
import type { Cancellation, VenueOrder } from './venue.ts';

/** The orders that a cancellation is about. */
export type Selection =
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'client'; readonly address: string }
  | { readonly kind: 'token'; readonly tokenId: string }
  | { readonly kind: 'all' };

/** The pauses before each look at what still rests: for a moment the list may show what the venue has cancelled. */
const LOOK_PAUSES_MS = [0, 500, 1_500, 3_000];

/** States in which an order may yet be executed. */
const ALIVE = new Set(['live', 'delayed', 'unmatched']);

/** The report of a cancellation. */
const CANCELLED: Sheet = {
  names: [...OPEN.names, 'result', 'reason', 'rests'],
  columns: { result: 'result', rests: 'rests', side: 'side', price: 'price', size: 'size', filled_size: 'filled' },
  lines: { reason: 'reason', ...OPEN.lines },
};

type ClientOf = (orderId: string) => ClientCells;

/** Orders of the selection that rest. */
interface Listed {
  readonly orders: ReadonlyMap<string, VenueOrder>;
  /** Present if the records were read for it: reading a large store takes minutes, and no cancellation waits for it. */
  readonly clientOf?: ClientOf;
}

/** Lists the orders of the selection that rest. Throws `DeskError` where that cannot be told. */
async function list(desk: Desk, selection: Selection): Promise<Listed> {
  const open = await desk.venue.openOrders();
  const listed = (orders: readonly VenueOrder[]) => new Map(orders.map((order) => [order.id, order]));
  switch (selection.kind) {
    case 'all':
      return { orders: listed(open) };
    case 'ids':
      return { orders: listed(open.filter(({ id }) => selection.ids.includes(id))) };
    case 'token':
      return { orders: listed(open.filter(({ asset_id }) => asset_id === selection.tokenId)) };
    case 'client': {
      const ids = open.map(({ id }) => id);
      const records = await findClients(desk, ids);
      if (!records) throw new DeskError('Whose orders rest is not known.');
      const clientOf = clientsIn(records);
      return { orders: listed(open.filter(({ id }) => isOfClient(clientOf(id), selection.address))), clientOf };
    }
  }
}

/** Lists them if possible: in an emergency the list may be what fails, and to cancel all or named orders needs none. */
function listFirst(desk: Desk, selection: Selection): Promise<Listed | undefined> {
  const listed = list(desk, selection);
  return selection.kind === 'all' || selection.kind === 'ids' ? orNote(desk, listed) : listed;
}

/** Shows what will be cancelled, and asks where there is a person to answer. */
async function confirm({ terminal }: Desk, selection: Selection, rows: readonly Row[] | undefined): Promise<boolean> {
  if (rows && rows.length > 0) terminal.err(tableOf(rows, OPEN));
  if (selection.kind === 'all') {
    terminal.err('These are all orders of the account, also those that were placed elsewhere.\n');
  }
  if (!terminal.ask) return true;
  const what = rows ? plural(rows.length, 'resting order') : 'the orders, which could not be listed,';
  return /^y(?:es)?$/i.test((await terminal.ask(`Take ${what} off the book? [y/N] `)).trim());
}

/**
 * Looks which orders still rest: those of the list, and those that the venue did not cancel and calls alive. Named orders
 * are looked up though it said nothing of them: one that it holds back is on no list.
 */
async function look(desk: Desk, selection: Selection, { cancelled, refused }: Cancellation): Promise<Listed> {
  let listed = await list(desk, selection);
  for (const pause of LOOK_PAUSES_MS) {
    if (![...cancelled].some((id) => listed.orders.has(id))) break;
    await sleep(pause);
    listed = await list(desk, selection);
  }
  const orders = new Map(listed.orders);
  const named = selection.kind === 'ids' ? selection.ids : [];
  for (const id of new Set([...refused.keys(), ...named])) {
    desk.terminal.progress(`looking up ${id}`);
    const order = orders.has(id) || cancelled.has(id) ? undefined : await desk.venue.order(id);
    if (order && ALIVE.has(order.status)) orders.set(id, order);
  }
  return { ...listed, orders };
}

function restInWords(left: number | undefined): string {
  if (left === undefined) return 'how many rest is not known';
  return left === 0 ? 'none of them rests' : `${left} still rest`;
}

const NOTHING = Object.fromEntries(OPEN.names.map((name) => [name, null]));

/** A cancellation that was made. */
interface Done {
  /** The ids that were to be cancelled. */
  readonly asked: ReadonlySet<string>;
  readonly before: Listed | undefined;
  readonly said: Cancellation;
  /** What rests after it, where that can be told. */
  readonly resting: Listed | undefined;
}

function resultOf(id: string, { asked, said: { cancelled, refused } }: Done) {
  const reason = refused.get(id) ?? null;
  if (cancelled.has(id)) return { result: 'cancelled', reason };
  if (refused.has(id)) return { result: 'not_cancelled', reason };
  if (asked.has(id)) return { result: 'unknown', reason };
  return { result: 'not_cancelled', reason: 'it came after the others were listed' };
}

/** Reports a cancellation. Returns 1 where an order still rests, or where that cannot be told. */
async function reportDone(desk: Desk, done: Done, known: ClientOf | undefined): Promise<number> {
  const { asked, before, said, resting } = done;
  const all = [...new Set([...asked, ...said.cancelled, ...said.refused.keys(), ...(resting?.orders.keys() ?? [])])];
  const others = all.filter((id) => !known || !asked.has(id));
  const later = resting?.clientOf ?? clientsIn(await findClients(desk, others));
  const rows = all.map((id) => {
    const order = before?.orders.get(id) ?? resting?.orders.get(id);
    const client = known && asked.has(id) ? known(id) : later(id);
    return {
      ...(order ? openRow(order, client) : { ...NOTHING, order_id: id, ...client }),
      ...resultOf(id, done),
      rests: resting ? resting.orders.has(id) : null,
    };
  });
  desk.terminal.progress('');
  desk.terminal.out(report(rows, desk.format, CANCELLED));
  const left = resting?.orders.size;
  note(desk, `${said.cancelled.size} cancelled; ${restInWords(left)}.`);
  return left === 0 && said.failures.length === 0 ? 0 : 1;
}

/** Takes orders off the book. Returns 1 where one of them still rests, or where that cannot be told. */
export async function cancelOrders(desk: Desk, selection: Selection): Promise<number> {
  const { venue, terminal } = desk;
  const before = await listFirst(desk, selection);
  const asked = new Set(selection.kind === 'ids' ? selection.ids : before?.orders.keys());
  if (before && asked.size === 0 && selection.kind !== 'all') {
    terminal.out(report([], desk.format, CANCELLED));
    note(desk, 'No such order rests.');
    return 0;
  }
  const clientOf = before?.clientOf ?? (terminal.ask && clientsIn(await findClients(desk, [...asked])));
  const rows = before && [...before.orders.values()].map((order) => openRow(order, clientOf?.(order.id) ?? UNREAD));
  if (!(await confirm(desk, selection, rows))) {
    note(desk, 'Nothing is cancelled.');
    return 1;
  }
  const said = await (selection.kind === 'all' ? venue.cancelAll() : venue.cancel([...asked]));
  for (const sentence of said.failures) note(desk, sentence);
  const resting = await orNote(desk, look(desk, selection, said), 'What still rests cannot be told. ');
  return reportDone(desk, { asked, before, said, resting }, clientOf);
}
