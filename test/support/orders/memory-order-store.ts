import {
  type DayCount,
  decodeRecord,
  type Expected,
  encodeRecord,
  holderOf,
  type OrderRecord,
  type OrderStore,
  type Written,
} from '../../../shared/orders/record.ts';

/** An order store in memory, which counts its calls and fails where a test wants it to. */
export interface MemoryOrderStore extends OrderStore {
  readonly records: Map<string, OrderRecord>;
  /** The calls so far, by name. */
  readonly calls: string[];
  /** Returns the notional that is counted for a day, in millionths of collateral. */
  countedOn(day: string): bigint;
  /** Calls of these names fail. */
  readonly failing: Set<'read' | 'create' | 'replace'>;
}

/** Returns true if a record fits the condition on it. */
export function isAsExpected(record: OrderRecord | undefined, expected: Expected): boolean {
  if (!record) return false;
  if ('heldBy' in expected) return holderOf(record) === expected.heldBy;
  return record.state === 'finished' && record.keepUntil === expected.keptUntil;
}

/** A day, by which alone notional is counted. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** An order store that counts and fails as it is told. What it keeps has been a text, as in a real store. */
export function createMemoryOrderStore(): MemoryOrderStore {
  const records = new Map<string, OrderRecord>();
  const days = new Map<string, bigint>();
  const calls: string[] = [];
  const write = (key: string, record: OrderRecord, counts: readonly DayCount[] = []): Written => {
    const named = [record.countedOn, ...counts.map(({ day }) => day)];
    if (!named.every((day) => day === null || DAY.test(day)))
      throw new Error('the notional of an order is counted on what is no day');
    const sumWith = ({ day, units }: DayCount) => (days.get(day) ?? 0n) + units;
    const full = counts.findLast((count) => count.atMost !== undefined && sumWith(count) > count.atMost);
    if (full) return { fullDay: full.day };
    for (const count of counts) days.set(count.day, sumWith(count));
    records.set(key, decodeRecord(encodeRecord(record)));
    return 'written';
  };
  const failing: MemoryOrderStore['failing'] = new Set();
  const enter = (name: 'read' | 'create' | 'replace') => {
    calls.push(name);
    if (failing.has(name)) throw new Error('the store does not work');
  };
  return {
    outlivesAnswers: true,
    records,
    calls,
    failing,
    read: async (key) => {
      enter('read');
      return records.get(key);
    },
    create: async (key, record, counts) => {
      enter('create');
      return records.has(key) ? 'conflict' : write(key, record, counts);
    },
    replace: async (key, record, expected, counts) => {
      enter('replace');
      return isAsExpected(records.get(key), expected) ? write(key, record, counts) : 'conflict';
    },
    countedOn: (day) => days.get(day) ?? 0n,
  };
}
