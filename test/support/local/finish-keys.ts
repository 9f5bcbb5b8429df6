import { flushCompileCache } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { createLog } from '../../../shared/log.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../orders/order-records.ts';

// A process that stores orders with the given signed bytes, finishes them, says so, and waits to be killed.
const [path = '', payloads = '{}'] = process.argv.slice(2);
const store = openOrderStore({ path, log: createLog({ level: 'error' }) });
// Before any of them is finished: what is written first is what the log holds until the end.
const keys = Object.entries<string>(JSON.parse(payloads));
for (const [key, payload] of keys) {
  await store.create(key, { ...unfinishedOrder(key), payload });
}
// Someone who reads keeps the log from being emptied, however long the rest takes.
const reader = new DatabaseSync(path);
reader.exec('BEGIN; SELECT count(*) FROM orders');
for (const [key] of keys) await store.replace(key, finishedOrder(PLACED), { heldBy: key });
process.stdout.write('finished\n');
// Now, since nothing is kept at the end of a process that is killed.
flushCompileCache();
setInterval(() => undefined, 60_000);
