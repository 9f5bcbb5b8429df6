import type { Log } from '../../shared/log.ts';
import {
  decodeRecord,
  encodeRecord,
  holderOf,
  type OrderRecord,
  type OrderStore,
  type Written,
} from '../../shared/orders/record.ts';
import type { OrderAnswer, OrderRow } from './sqlite-file.ts';
import { createStoreThread } from './thread.ts';

export interface OrderStoreSettings {
  /** Path of the database file; its directory is made where it is missing. */
  readonly path: string;
  readonly log: Log;
  /** Tells the time in milliseconds of the Unix epoch. */
  readonly now?: () => number;
  /** Tells the milliseconds since some moment, by a clock that nobody sets. */
  readonly uptime?: () => number;
}

/** A store on a file. `close` is for an orderly end; none is needed for durability. */
export interface FileOrderStore extends OrderStore {
  /** Opens the file before it is needed. Tells whether it had to be made: then it knows no earlier key. */
  open(): Promise<'made' | 'found'>;
  close(): Promise<void>;
}

/** Expired rows are small and nothing depends on their end: they are removed once an hour. */
const CLEANING_INTERVAL_MS = 3_600_000;

function toRow(key: string, record: OrderRecord): OrderRow {
  const expiresAt = record.state === 'finished' ? record.keepUntil : null;
  return { key, record: encodeRecord(record), holder: holderOf(record) ?? null, expiresAt };
}

function toWritten(answer: OrderAnswer): Written {
  if (answer === 'written' || answer === 'conflict' || answer === 'above_cap') return answer;
  throw new Error('the thread of the order store gave the answer to another call');
}

/**
 * Keeps orders in an SQLite file, in a thread of its own: a disk that is slow, or another process that holds the file,
 * keeps nobody waiting but the calls. A file that cannot be opened or used does not stop the service: each call fails,
 * and the next one opens the file again.
 */
export function openOrderStore(settings: OrderStoreSettings): FileOrderStore {
  const { path, log, now = Date.now, uptime = () => performance.now() } = settings;
  const { call, end } = createStoreThread(path);
  let cleanedAt: number | undefined;
  /** A clock that is ahead would remove keys before their time, for good: the earlier of two has to have passed it. */
  const clean = async (record: OrderRecord) => {
    const time = uptime();
    if (cleanedAt !== undefined && time - cleanedAt < CLEANING_INTERVAL_MS) return;
    cleanedAt = time;
    await call({ ask: 'clean', beforeMs: Math.min(record.signedAt, now()) }).catch((error: unknown) =>
      log.warn('expired keys not removed', { error }),
    );
  };
  return {
    open: async () => ((await call({ ask: 'open' })) === 'made' ? 'made' : 'found'),
    read: async (key) => {
      const text = await call({ ask: 'read', key });
      return typeof text === 'string' ? decodeRecord(text) : undefined;
    },
    create: async (key, record, count) => {
      const created = call({ ask: 'create', row: toRow(key, record), count });
      // Behind it in the queue: nobody waits for it.
      void clean(record);
      return toWritten(await created);
    },
    replace: async (key, record, expected, count) =>
      toWritten(await call({ ask: 'replace', row: toRow(key, record), expected, count })),
    countedOn: async (day) => {
      const units = await call({ ask: 'counted', day });
      return typeof units === 'bigint' ? units : 0n;
    },
    close: end,
  };
}
