import type { OrderRecord } from './record.ts';

/** What a record must be at the moment it is replaced. Every kind requires that there is one. */
export type Expected = 'finished' | 'unfinished' | { readonly heldBy: string };

/**
 * Where the records of idempotency keys are kept. Writes are atomic and conditional, and durable when they are
 * answered; reads see every write answered before. Every call settles within `STORE_CALL_MS`; it may throw any error,
 * after which the write may or may not have happened.
 */
export interface OrderStore {
  read(key: string): Promise<OrderRecord | undefined>;
  /** Writes the first record of a key; `false` when it has one. */
  create(key: string, record: OrderRecord): Promise<boolean>;
  /** Replaces a key's record; `false` when it is not as expected. */
  replace(key: string, record: OrderRecord, expected: Expected): Promise<boolean>;
}

/** The party that may send the order of a record, and nothing for a record that has its answer. */
export function holderOf(record: OrderRecord): string | undefined {
  return record.state === 'unfinished' ? record.lease.owner : undefined;
}
