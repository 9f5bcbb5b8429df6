import { VenueRefusal } from './wire.ts';

const FIRST = 'MA==';
const LAST = 'LTE=';
/** Rows a page of /data/orders and /data/trades holds. */
const PAGE = 100;

/** A page of the CLOB: cursors are base64 of the offset, MA== ("0") first and LTE= ("-1") after the last. */
export function page<T>(rows: readonly T[], cursor: string | null, refusal: string) {
  const decoded = Buffer.from(cursor || FIRST, 'base64').toString('utf8');
  if (decoded !== '-1' && !/^\d{1,9}$/.test(decoded)) throw new VenueRefusal(400, refusal);
  const offset = decoded === '-1' ? rows.length : Number(decoded);
  const data = rows.slice(offset, offset + PAGE);
  const next = offset + data.length;
  return {
    limit: PAGE,
    next_cursor: next >= rows.length ? LAST : Buffer.from(String(next)).toString('base64'),
    count: data.length,
    data,
  };
}
