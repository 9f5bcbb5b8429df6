import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { STORE_CALL_MS } from '../../shared/limits.ts';
import type { OrderRecords } from '../../shared/orders/order-store.ts';
import { readRecord } from '../../shared/orders/record.ts';

const SINCE = "WHERE CASE WHEN json_valid(record) THEN json_extract(record, '$.order.signedAt') END >= ?";

/** Opens the records of a file. */
export function openFileRecords(path: string): OrderRecords {
  return {
    async *list(since = 0) {
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
      using db = new DatabaseSync(path, { readOnly: true, timeout: STORE_CALL_MS });
      const rows =
        since > 0
          ? db.prepare(`SELECT record FROM orders ${SINCE}`).iterate(since)
          : db.prepare('SELECT record FROM orders').iterate();
      for (const { record } of rows) yield readRecord(String(record));
    },
  };
}
