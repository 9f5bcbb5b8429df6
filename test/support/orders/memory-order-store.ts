import {
  type DayCount,
  fullBy,
  isReplaceable,
  type OrderStore,
  sumName,
  type Written,
} from '../../../shared/orders/order-store.ts';
import { decodeRecord, encodeRecord, type OrderRecord } from '../../../shared/orders/record.ts';

/** The calls of a store: a first record is created, another one replaced or deleted. */
export type StoreCall = 'read' | 'create' | 'replace';

/** An order store in memory, which counts its calls and fails where a test wants it to. */
export interface MemoryOrderStore extends OrderStore {
  readonly records: Map<string, OrderRecord>;
  /** The calls so far, by name. */
  readonly calls: StoreCall[];
  /** Returns the notional that is counted for a day, in millionths of collateral. */
  countedOn(day: string): bigint;
  /** Calls of these names fail. */
  readonly failing: Set<StoreCall>;
}

/** The only form in which a day is counted. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Creates an order store that counts and fails as it is told. What it keeps has been a text, as in a real store. */
export function createMemoryOrderStore(): MemoryOrderStore {
  const records = new Map<string, OrderRecord>();
  const days = new Map<string, bigint>();
  const calls: StoreCall[] = [];
  const failing: MemoryOrderStore['failing'] = new Set();
  const enter = (name: StoreCall) => {
    calls.push(name);
    if (failing.has(name)) throw new Error('the store does not work');
  };
  const set = (key: string, record: OrderRecord | undefined, counts: readonly DayCount[]): Written => {
    const named = [record?.countedOn ?? null, ...counts.map(({ day }) => day)];
    if (!named.every((day) => day === null || DAY.test(day))) throw new Error('not a day');
    const sumWith = (count: DayCount) => (days.get(sumName(count)) ?? 0n) + count.units;
    const full = counts.find((count) => count.atMost !== undefined && sumWith(count) > count.atMost);
    if (full) return fullBy(full);
    for (const count of counts) days.set(sumName(count), sumWith(count));
    if (record) records.set(key, decodeRecord(encodeRecord(record)));
    else records.delete(key);
    return 'written';
  };
  return {
    records,
    calls,
    failing,
    read: async (key) => {
      enter('read');
      return records.get(key);
    },
    write: async (key, record, over, counts = []) => {
      enter(over === 'nothing' ? 'create' : 'replace');
      const standing = records.get(key);
      return isReplaceable(standing, over) ? set(key, record, counts) : { standing };
    },
    countedOn: (day) => days.get(day) ?? 0n,
  };
}
