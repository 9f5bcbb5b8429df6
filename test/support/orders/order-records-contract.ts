import { expect, it } from '@jest/globals';
import type { OrderRecords, OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import { finishedOrder, PLACED, unfinishedOrder } from './order-records.ts';

/** Returns the id of the order of that number. */
export function idOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** Returns a record of an order that was placed. */
export function placedOrder(number: number, signedAt = 1_790_000_000_000): OrderRecord {
  return { ...finishedOrder(PLACED, 4_000_000_000_000), orderId: idOf(number), signedAt };
}

/** Collects records. */
export async function collected(records: AsyncIterable<OrderRecord | undefined>) {
  const all: (OrderRecord | undefined)[] = [];
  for await (const record of records) all.push(record);
  return all.toSorted((a, b) => `${a?.orderId}`.localeCompare(`${b?.orderId}`));
}

/** Tests what every list of records promises. `open` gives an empty store, and its records. */
export function orderRecordsContract(open: () => readonly [OrderStore, OrderRecords]): void {
  it('finds the records of orders by their ids, and no other', async () => {
    const [store, records] = open();
    const all = Array.from({ length: 240 }, (_, number) => placedOrder(number));
    await Promise.all(all.map((record, number) => store.write(`key-${number}`, record, 'nothing')));
    const ids = all.flatMap(({ orderId }, number) => (number % 3 === 0 ? [] : [orderId]));
    expect(await collected(records.find([...ids, idOf(999)]))).toStrictEqual(all.filter((_, number) => number % 3 > 0));
    expect(await collected(records.find([]))).toStrictEqual([]);
  });

  it('finds a record as it was written last, and none of a key that was freed', async () => {
    const [store, records] = open();
    const [kept, freed] = [unfinishedOrder('a', idOf(1)), unfinishedOrder('b', idOf(2))];
    await store.write('kept', kept, 'nothing');
    await store.write('kept', placedOrder(1), { version: 'a' });
    await store.write('freed', freed, 'nothing');
    await store.write('freed', undefined, { version: 'b' });
    expect(await collected(records.find([idOf(1), idOf(2)]))).toStrictEqual([placedOrder(1)]);
  });

  it('lists the records that were signed since a time', async () => {
    const [store, records] = open();
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    // On three days, of which the last is a clock's that runs ahead.
    const times = [-86_400_001, -86_400_000, -1, 0, 86_400_000].map((more) => midnight + more);
    const all = times.map((at, number) => placedOrder(number, at));
    for (const [number, record] of all.entries()) await store.write(`key-${number}`, record, 'nothing');
    expect(await collected(records.list(midnight - 86_400_000))).toStrictEqual(all.slice(1));
    expect(await collected(records.list(midnight - 0.5))).toStrictEqual(all.slice(2));
    expect(await collected(records.list(midnight + 86_400_001))).toStrictEqual([]);
  });
}
