import { holderOf, type OrderRecord, type OrderStore } from '../../../shared/orders/record.ts';

export interface MemoryOrderStore extends OrderStore {
  readonly records: Map<string, OrderRecord>;
  /** The calls so far, by name. */
  readonly calls: string[];
  /** Calls of these names fail. */
  readonly failing: Set<'read' | 'create' | 'replace'>;
}

/** An order store that counts and fails as it is told. */
export function createMemoryOrderStore(): MemoryOrderStore {
  const records = new Map<string, OrderRecord>();
  const calls: string[] = [];
  const failing: MemoryOrderStore['failing'] = new Set();
  const enter = (name: 'read' | 'create' | 'replace') => {
    calls.push(name);
    if (failing.has(name)) throw new Error('the store does not work');
  };
  return {
    records,
    calls,
    failing,
    read: async (key) => {
      enter('read');
      return records.get(key);
    },
    create: async (key, record) => {
      enter('create');
      if (records.has(key)) return false;
      records.set(key, record);
      return true;
    },
    replace: async (key, record, expected) => {
      enter('replace');
      const present = records.get(key);
      const fits =
        present && (typeof expected === 'string' ? present.state === expected : holderOf(present) === expected.heldBy);
      if (fits) records.set(key, record);
      return fits === true;
    },
  };
}
