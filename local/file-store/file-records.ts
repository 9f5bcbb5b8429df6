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

/**
 * The indexes of the two questions. A build without them keeps them up to date. Only finished orders, which have `expires_at`,
 * are in the first two, since an update of a record writes its entries anew: they take 2 % of the rate of orders, and 8 % with
 * all orders in them.
 */
export const CREATE_INDEXES = `
  CREATE INDEX IF NOT EXISTS orders_by_id ON orders (${ORDER_ID}) WHERE expires_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS orders_by_signing ON orders (${SIGNED_AT}) WHERE expires_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS orders_unfinished ON orders (idempotency_key) WHERE expires_at IS NULL;
`;

/** Reads what meets a condition: the finished orders by the condition's index, the few others one by one. */
const where = (condition: string) =>
  ['NOT NULL', 'NULL'].map((end) => `SELECT record FROM orders WHERE expires_at IS ${end} AND ${condition}`);

// A record without an order id is damaged, and may be of any order.
const FIND = [`${ORDER_ID} IN (SELECT value FROM json_each(?1))`, `${ORDER_ID} IS NULL`].flatMap(where);
const LIST = where(`${SIGNED_AT} >= ?1`);

/** Opens the records of a file. In a file that no service of this build has opened, each call reads all of them. */
export function openFileRecords(path: string): OrderRecords {
  function* read(parts: readonly string[], value: string | number) {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
    using db = new DatabaseSync(path, { readOnly: true, timeout: STORE_CALL_MS });
    for (const { record } of db.prepare(parts.join(' UNION ALL ')).iterate(value)) yield readRecord(String(record));
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
