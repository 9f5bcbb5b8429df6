import { openOrderStore } from '../../../local/sqlite-order-store.ts';
import { createLog } from '../../../shared/log.ts';
import { unfinishedOrder } from './order-records.ts';

// A process that stores one order after the other and prints the key of each that was answered, until it is killed.
// Its log goes elsewhere: the lines of the test are its answers.
const [path = ''] = process.argv.slice(2);
const log = createLog({ level: 'error', write: (line) => process.stderr.write(`${line}\n`) });
const store = openOrderStore({ path, log });
for (let index = 0; ; index += 1) {
  const key = `${process.pid}-${index}`;
  // A store that fails has answered nothing; the next call opens it anew.
  const stored = await store.create(key, unfinishedOrder(key)).catch(() => false);
  if (stored) process.stdout.write(`${key}\n`);
}
