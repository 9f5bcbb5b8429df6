import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError } from './access.ts';
import { type Desk, findClients, note, OPEN, openRow, plural } from './desk.ts';
import { type Row, report, type Sheet, tableOf } from './output.ts';
import { clientsIn, comparable } from './records.ts';
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

/** Orders of the selection, and the rows that say what is known of them. */
interface Listed {
  readonly ids: ReadonlySet<string>;
  readonly rowOf: (id: string) => Row;
}

/** Lists the orders of the selection that rest. Throws `DeskError` where that cannot be told. */
async function list(desk: Desk, selection: Selection): Promise<Listed> {
  const orders = await desk.venue.openOrders();
  const records = await findClients(desk, orders);
  if (selection.kind === 'client' && !records) throw new DeskError('Whose orders rest is not known.');
  const clientOf = clientsIn(records);
  const isSelected = ({ id, asset_id }: VenueOrder): boolean => {
    switch (selection.kind) {
      case 'all':
        return true;
      case 'ids':
        return selection.ids.includes(id);
      case 'token':
        return asset_id === selection.tokenId;
      case 'client': {
        const address = clientOf(id).client_address;
        return address !== null && comparable(address) === comparable(selection.address);
      }
    }
  };
  const rows = new Map(orders.filter(isSelected).map((order) => [order.id, openRow(order, clientOf(order.id))]));
  const unknown = Object.fromEntries(OPEN.names.map((name) => [name, null]));
  return {
    ids: new Set(rows.keys()),
    rowOf: (id) => rows.get(id) ?? { ...unknown, order_id: id, ...(records && { recorded: records.byId.has(id) }) },
  };
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
async function confirm({ terminal }: Desk, selection: Selection, listed: Listed | undefined): Promise<boolean> {
  const rows = [...(listed?.ids ?? [])].map((id) => listed?.rowOf(id) ?? {});
  if (rows.length > 0) terminal.err(tableOf(rows, OPEN));
  if (selection.kind === 'all') {
    const foreign = rows.filter(({ recorded }) => recorded === false).length;
    const known = listed ? `: ${foreign} of them are not in the records` : '';
    terminal.err(`These are all orders of the account, also those that were placed elsewhere${known}.\n`);
  }
  if (!terminal.ask) return true;
  const what = listed ? plural(rows.length, 'resting order') : 'the orders, which could not be listed,';
  return /^y(?:es)?$/i.test((await terminal.ask(`Take ${what} off the book? [y/N] `)).trim());
}

/** Looks which orders still rest: those of the list, and those that the venue did not cancel and calls alive. */
async function look(desk: Desk, selection: Selection, { cancelled }: Cancellation, asked: Iterable<string>) {
  let listed = await list(desk, selection);
  for (const pause of LOOK_PAUSES_MS) {
    if (![...listed.ids].some((id) => cancelled.has(id))) break;
    await sleep(pause);
    listed = await list(desk, selection);
  }
  const alive = new Set<string>();
  for (const id of asked) {
    if (cancelled.has(id) || listed.ids.has(id)) continue;
    desk.terminal.progress(`looking up ${id}`);
    const order = await desk.venue.order(id);
    if (order && ALIVE.has(order.status)) alive.add(id);
  }
  return { ...listed, ids: new Set([...listed.ids, ...alive]) };
}

/** Says what became of each order; `resting` is `undefined` where that cannot be told. */
function resultRows(
  { cancelled, refused }: Cancellation,
  asked: ReadonlySet<string>,
  before: Listed | undefined,
  resting: Listed | undefined,
): readonly Row[] {
  const all = new Set([...asked, ...cancelled, ...refused.keys(), ...(resting?.ids ?? [])]);
  return [...all].map((id) => {
    const isLate = !asked.has(id) && !cancelled.has(id) && !refused.has(id);
    return {
      ...((before?.ids.has(id) ? before : resting)?.rowOf(id) ?? { order_id: id }),
      result: cancelled.has(id) ? 'cancelled' : refused.has(id) || isLate ? 'not_cancelled' : 'unknown',
      reason: refused.get(id) ?? (isLate ? 'it came after the others were listed' : null),
      rests: resting ? resting.ids.has(id) : null,
    };
  });
}

/** Takes orders off the book. Returns 1 where one of them still rests, or where that cannot be told. */
export async function cancelOrders(desk: Desk, selection: Selection): Promise<number> {
  const { venue, terminal, format } = desk;
  const before = await listFirst(desk, selection);
  const asked = selection.kind === 'ids' ? new Set(selection.ids) : (before?.ids ?? new Set<string>());
  if (before && asked.size === 0 && selection.kind !== 'all') {
    terminal.out(report([], format, CANCELLED));
    note(desk, 'No such order rests.');
    return 0;
  }
  if (!(await confirm(desk, selection, before))) {
    note(desk, 'Nothing is cancelled.');
    return 1;
  }
  const said = await (selection.kind === 'all' ? venue.cancelAll() : venue.cancel([...asked]));
  for (const sentence of said.failures) note(desk, sentence);
  let resting: Listed | undefined;
  try {
    resting = await look(desk, selection, said, asked);
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    note(desk, `What still rests cannot be told. ${error.message}`);
  }
  terminal.progress('');
  terminal.out(report(resultRows(said, asked, before, resting), format, CANCELLED));
  const rests = resting && (resting.ids.size === 0 ? 'none of them rests' : `${resting.ids.size} still rest`);
  note(desk, `${said.cancelled.size} cancelled; ${rests ?? 'how many rest is not known'}.`);
  return resting?.ids.size === 0 && said.failures.length === 0 ? 0 : 1;
}
