import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError } from './access.ts';
import { type Desk, findClients, note, OPEN, openRow, plural } from './desk.ts';
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
  /** Present where the records were read for it: that of a large store takes minutes, for which no order waits. */
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
      const records = await findClients(
        desk,
        open.map(({ id }) => id),
      );
      if (!records) throw new DeskError('Whose orders rest is not known.');
      const clientOf = clientsIn(records);
      return { orders: listed(open.filter(({ id }) => isOfClient(clientOf(id), selection.address))), clientOf };
    }
  }
}

/** Lists them, if they can be: in a bad minute the list may be what does not work, and all or named ones need none. */
async function listFirst(desk: Desk, selection: Selection): Promise<Listed | undefined> {
  try {
    return await list(desk, selection);
  } catch (error) {
    if (!(error instanceof DeskError) || (selection.kind !== 'all' && selection.kind !== 'ids')) throw error;
    note(desk, error.message);
    return undefined;
  }
}

/** Shows what will be cancelled, and asks where somebody can answer. */
async function confirm({ terminal }: Desk, selection: Selection, rows: readonly Row[] | undefined): Promise<boolean> {
  if (rows && rows.length > 0) terminal.err(tableOf(rows, OPEN));
  if (selection.kind === 'all') {
    terminal.err('These are all orders of the account, also those that were placed elsewhere.\n');
  }
  if (!terminal.ask) return true;
  const what = rows ? plural(rows.length, 'resting order') : 'the orders, which could not be listed,';
  return /^y(?:es)?$/i.test((await terminal.ask(`Take ${what} off the book? [y/N] `)).trim());
}

/** Looks which orders still rest: those of the list, and those that the venue did not cancel and calls alive. */
async function look(desk: Desk, selection: Selection, { cancelled, refused }: Cancellation): Promise<Listed> {
  let listed = await list(desk, selection);
  for (const pause of LOOK_PAUSES_MS) {
    if (![...cancelled].some((id) => listed.orders.has(id))) break;
    await sleep(pause);
    listed = await list(desk, selection);
  }
  const orders = new Map(listed.orders);
  for (const id of refused.keys()) {
    desk.terminal.progress(`looking up ${id}`);
    const order = orders.has(id) ? undefined : await desk.venue.order(id);
    if (order && ALIVE.has(order.status)) orders.set(id, order);
  }
  return { ...listed, orders };
}

/** Looks what still rests; `undefined`, and a word about it, where that cannot be told. */
async function lookAfter(desk: Desk, selection: Selection, said: Cancellation): Promise<Listed | undefined> {
  try {
    return await look(desk, selection, said);
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    note(desk, `What still rests cannot be told. ${error.message}`);
    return undefined;
  }
}

const NOTHING = Object.fromEntries(OPEN.names.map((name) => [name, null]));

/** Takes orders off the book. Returns 1 where one of them still rests, or where that cannot be told. */
export async function cancelOrders(desk: Desk, selection: Selection): Promise<number> {
  const { venue, terminal, format } = desk;
  const before = await listFirst(desk, selection);
  const asked = new Set(selection.kind === 'ids' ? selection.ids : before?.orders.keys());
  if (before && asked.size === 0 && selection.kind !== 'all') {
    terminal.out(report([], format, CANCELLED));
    note(desk, 'No such order rests.');
    return 0;
  }
  const clientsNow = async (ids: Iterable<string>) => clientsIn(await findClients(desk, [...ids]));
  let clientOf = before?.clientOf ?? (terminal.ask && (await clientsNow(asked)));
  const rowOf = (order: VenueOrder) => openRow(order, clientOf?.(order.id) ?? UNREAD);
  if (!(await confirm(desk, selection, before && [...before.orders.values()].map(rowOf)))) {
    note(desk, 'Nothing is cancelled.');
    return 1;
  }
  const said = await (selection.kind === 'all' ? venue.cancelAll() : venue.cancel([...asked]));
  for (const sentence of said.failures) note(desk, sentence);
  const resting = await lookAfter(desk, selection, said);
  const { cancelled, refused } = said;
  const all = new Set([...asked, ...cancelled, ...refused.keys(), ...(resting?.orders.keys() ?? [])]);
  const known = clientOf;
  const others = [...all].filter((id) => !known || !asked.has(id));
  const later = resting?.clientOf ?? (await clientsNow(others));
  clientOf = (id) => (known && asked.has(id) ? known(id) : later(id));
  const rows = [...all].map((id) => {
    const order = before?.orders.get(id) ?? resting?.orders.get(id);
    const isLate = !asked.has(id) && !cancelled.has(id) && !refused.has(id);
    return {
      ...(order ? rowOf(order) : { ...NOTHING, order_id: id, ...clientOf?.(id) }),
      result: cancelled.has(id) ? 'cancelled' : refused.has(id) || isLate ? 'not_cancelled' : 'unknown',
      reason: refused.get(id) ?? (isLate ? 'it came after the others were listed' : null),
      rests: resting ? resting.orders.has(id) : null,
    };
  });
  terminal.progress('');
  terminal.out(report(rows, format, CANCELLED));
  const left = resting?.orders.size;
  const rests =
    left === undefined ? 'how many rest is not known' : left === 0 ? 'none of them rests' : `${left} still rest`;
  note(desk, `${cancelled.size} cancelled; ${rests}.`);
  return left === 0 && said.failures.length === 0 ? 0 : 1;
}
