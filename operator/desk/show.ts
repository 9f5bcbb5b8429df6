import type { OrderRecord } from '../../shared/orders/record.ts';
import { formatTime } from '../../shared/time.ts';
import { isReadable } from '../../shared/venue/polymarket/operator-venue.ts';
import { DeskError } from '../account/access.ts';
import { type Desk, openRow, plural, readKnown } from './desk.ts';
import { FILLS, findFills, noteLimits, noteUnreadableTrades } from './fills.ts';
import { complete, type Row, report, type Sheet } from './output.ts';

/** The search for trades begins this long before the signing: clocks may differ. */
const MARGIN_MS = 3_600_000;

/** Returns a short form of the service's answer. */
function answerOf(record: OrderRecord): string {
  if (record.state === 'unfinished') return 'unfinished';
  const { answer } = record;
  if (answer.result === 'placed') return `placed, ${answer.placement.status}`;
  return answer.result === 'refused' ? `refused, ${answer.code}` : 'not taken by the venue';
}

function recordCells(record: OrderRecord): Row {
  const { terms, conditionId, requestId, signedAt } = record;
  const { tokenId, side, price, size, postOnly, expiresAt } = terms;
  const signed_at = new Date(signedAt).toISOString();
  const expires_at = expiresAt && formatTime(expiresAt);
  const order = { token_id: tokenId, market: conditionId, side, price, size, post_only: postOnly, expires_at };
  return { request_id: requestId, signed_at, ...order, answer: answerOf(record) };
}

const SHOW: Sheet = {
  names:
    'order_id client_address client_address_verified caller recorded request_id signed_at token_id market outcome side price size post_only expires_at answer venue_status filled_size since',
  columns: {},
  lines: {},
};

/** Shows an order: its record, the venue's order, and its fills. Returns 1 if a part of these cannot be read. */
export async function showOrder(desk: Desk, id: string): Promise<number> {
  const { venue, terminal, format } = desk;
  const order = await venue.order(id);
  const records = await readKnown(desk, new Map([[id, order ? order.createdAt : Date.now()]]), (record) => record);
  const record = records.byId.get(id);
  const since = (record ? record.signedAt : order?.createdAt) ?? 0;
  const filter = { since: since - MARGIN_MS, conditionId: order?.conditionId ?? record?.conditionId ?? null };
  const { trades, unreadable } = await venue.trades(filter);
  const { fills: all, areFeesRead } = await findFills(desk, trades, records.byId);
  const fills = all.filter(({ order_id }) => order_id === id);
  if (!record && !order && fills.length === 0)
    throw new DeskError('Neither the records nor the venue know this order.');
  const client = records.cellsIn(id);
  const cells = {
    order_id: id,
    ...client,
    ...(order && { ...openRow(order, client), venue_status: isReadable(order) ? order.status : 'unreadable' }),
    ...(record && recordCells(record)),
  };
  const row = complete(cells, SHOW);
  const fillRows = fills.map((fill) => complete({ ...fill, ...client }, FILLS));
  if (format === 'json') terminal.out(`${JSON.stringify([{ ...row, fills: fillRows }], null, 2)}\n`);
  else if (format === 'csv') terminal.out(report([row], format, SHOW));
  else {
    const lines = Object.entries(row).flatMap(([name, cell]) => (cell === null ? [] : `${name.padEnd(24)} ${cell}\n`));
    terminal.out(`${lines.join('')}\n${report(fillRows, format, FILLS)}`);
    desk.note(`${plural(fills.length, 'fill')}${order ? '' : '; the venue does not list this order'}.`);
  }
  noteUnreadableTrades(desk, unreadable);
  const areExact = !noteLimits(desk, fills);
  return areFeesRead && areExact && unreadable.length === 0 && (!order || isReadable(order)) ? 0 : 1;
}
