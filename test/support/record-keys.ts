import { openOrderStore } from '../../local/order-store.ts';
import { createLog } from '../../shared/log.ts';
import { unfinishedOrder } from './order-records.ts';

// A process that stores one order after the other and prints the key of each that was answered, until it is killed.
const [path = ''] = process.argv.slice(2);
const store = openOrderStore({ path, log: createLog({ level: 'error' }) });
for (let index = 0; ; index += 1) {
  const key = `${process.pid}-${index}`;
  if (await store.create(key, unfinishedOrder(key))) process.stdout.write(`${key}\n`);
}
