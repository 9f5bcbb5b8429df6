import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { STORE_CALL_MS } from '../../shared/limits.ts';
import type { OrderRecords } from '../../shared/orders/order-store.ts';
import { readRecord } from '../../shared/orders/record.ts';

/**
 * Returns SQL for the text behind a name in a record; NULL without that name. Names in strings are escaped, so the first one
 * is the order's own. JSON functions would fail on a damaged record, and with them every write to its row.
 */
const textBehind = (name: string, length: number) =>
  `substr(record, nullif(instr(record, '${name}'), 0) + ${name.length}, ${length})`;

/** An order id is 0x and 64 hex digits. */
const ORDER_ID = textBehind('"orderId":"', 66);
/** Digits of milliseconds until the year 2286. */
const SIGNED_AT = `CAST(${textBehind('"signedAt":', 13)} AS INTEGER)`;

/** The indexes of the two questions. A build without them keeps them up to date. */
export const CREATE_INDEXES = `
  CREATE INDEX IF NOT EXISTS orders_by_id ON orders (${ORDER_ID});
  CREATE INDEX IF NOT EXISTS orders_by_signing ON orders (${SIGNED_AT});
`;

// A record without an order id is damaged, and may be of any order.
const FIND = `SELECT record FROM orders WHERE ${ORDER_ID} IN (SELECT value FROM json_each(?)) OR ${ORDER_ID} IS NULL`;
const LIST = `SELECT record FROM orders WHERE ${SIGNED_AT} >= ?`;

/** Opens the records of a file. In a file that no service of this build has opened, each call reads all of them. */
export function openFileRecords(path: string): OrderRecords {
  function* read(sql: string, value: string | number) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
    using db = new DatabaseSync(path, { readOnly: true, timeout: STORE_CALL_MS });
    for (const { record } of db.prepare(sql).iterate(value)) yield readRecord(String(record));
  }
  return {
    lagMs: 0,
    async *find(orderIds) {
      yield* read(FIND, JSON.stringify(orderIds));
    },
    async *list(since) {
      yield* read(LIST, Math.floor(since));
    },
  };
}
