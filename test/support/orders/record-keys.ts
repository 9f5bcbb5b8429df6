import { openOrderStore } from '../../../local/order-store/store.ts';
import { unfinishedOrder } from './order-records.ts';

// A process that stores orders, several at a time so that they share flushes, and prints the key of each that was
// answered, until it is killed.
const AT_A_TIME = 8;
const [path = ''] = process.argv.slice(2);
const store = openOrderStore(path);
const storeForever = async (writer: number) => {
  for (let index = 0; ; index += 1) {
    const key = `${process.pid}-${writer}-${index}`;
    // A store that fails has answered nothing; the next call opens it again.
    const stored = await store.write(key, unfinishedOrder(key), 'nothing').catch(() => false);
    if (stored) process.stdout.write(`${key}\n`);
  }
};
await Promise.all(Array.from({ length: AT_A_TIME }, (_, writer) => storeForever(writer)));
