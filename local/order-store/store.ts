import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DAY_KEPT_MS, STORE_CALL_MS } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import {
  type DayCount,
  fullBy,
  isReplaceable,
  type OrderStore,
  sumName,
  type Written,
} from '../../shared/orders/order-store.ts';
import { decodeRecord, encodeRecord, type OrderRecord } from '../../shared/orders/record.ts';
import { type OwnFile, ownFile } from './own-file.ts';

/** A store in a file. `close` is for an orderly end; none is needed for durability. */
export interface FileOrderStore extends OrderStore {
  /** True for a new file, which has no earlier key. */
  readonly isNew: boolean;
  close(): Promise<void>;
}

/** Raised with the layout of the tables; a file of a later layout is refused instead of misread. */
const LAYOUT = 2;
/** The log is emptied one or two of these after the last write. */
const TIDY_PAUSE_MS = 400;
/** Expired orders are removed once in this time. */
const CLEANING_INTERVAL_MS = 3_600_000;

/**
 * WAL with a full sync: a write takes one flush, of the log. On macOS a flush reaches the disk only with `fullfsync`.
 * `secure_delete` overwrites the signed bytes of finished orders. Later calls wait for no other program.
 */
const SET_UP = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
  PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON; PRAGMA secure_delete = ON;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS orders (
    idempotency_key TEXT PRIMARY KEY, record TEXT NOT NULL, expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS orders_by_end ON orders (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, units INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${LAYOUT};
  COMMIT; PRAGMA busy_timeout = 0;
`;

/** Creates the tables that are missing. Returns true if the file had none. */
function setUp(db: DatabaseSync): boolean {
  const layout = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (layout !== 0 && layout !== LAYOUT) throw new Error(`it has layout ${layout}, not ${LAYOUT}`);
  db.exec(SET_UP);
  return layout === 0;
}

/** Reads the encoded records of a file, also while a service has it open. */
export function* readRecordTexts(path: string): Generator<string, void> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
  using db = new DatabaseSync(path, { readOnly: true, timeout: STORE_CALL_MS });
  for (const { record } of db.prepare('SELECT record FROM orders').iterate()) yield String(record);
}

/** Runs the acts of one turn of the event loop in one transaction, with one flush to the disk, which they all await. */
function createTransactions({ db, requireIntact }: OwnFile) {
  let waiting: { readonly act: () => Written; readonly settled: PromiseWithResolvers<Written> }[] = [];
  const commit = (): void => {
    const acts = waiting;
    waiting = [];
    try {
      requireIntact();
      db.exec('BEGIN IMMEDIATE');
      const done = acts.map(({ act, settled }) => ({ written: act(), settled }));
      db.exec('COMMIT');
      // A write to a file that was removed meanwhile is lost.
      requireIntact();
      for (const { written, settled } of done) settled.resolve(written);
    } catch (error) {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK');
      for (const { settled } of acts) settled.reject(error);
    }
  };
  return (act: () => Written): Promise<Written> => {
    const settled = Promise.withResolvers<Written>();
    if (waiting.push({ act, settled }) === 1) setImmediate(commit);
    return settled.promise;
  };
}

/** Empties the log, which has signed bytes, once no write came for a moment, and removes expired orders. */
function createTidying({ db, requireIntact, noteEmptyLog }: OwnFile, log: Log) {
  const emptyLog = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  const clean = db.prepare('DELETE FROM orders WHERE expires_at < ?');
  const cleanDays = db.prepare('DELETE FROM days WHERE day < ?');
  let [time, cleanedAt, isQuiet, isDone] = [0, 0, true, false];
  const tidy = (): void => {
    if (!db.isOpen) clearInterval(timer);
    if (isDone || !db.isOpen) return;
    isDone = true;
    try {
      requireIntact();
      if (time - cleanedAt >= CLEANING_INTERVAL_MS) {
        clean.run(time);
        cleanDays.run(new Date(time - DAY_KEPT_MS).toISOString().slice(0, 10));
        cleanedAt = time;
      }
      // Under load the log is reused: to let it grow again would cost each write 0.1 ms. A program that reads it keeps it.
      isDone = isQuiet && emptyLog.get()?.['busy'] === 0;
      if (isDone) noteEmptyLog();
      else db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      log.warn('the log of the order store was not emptied', { error });
    }
    isQuiet = true;
  };
  const timer = setInterval(tidy, TIDY_PAUSE_MS).unref();
  tidy();
  return (record: OrderRecord | undefined): void => {
    // The earlier of two clocks: one that is ahead would remove orders before their time.
    if (record) time = Math.min(record.signedAt, Date.now());
    [isQuiet, isDone] = [false, false];
  };
}

/**
 * Keeps orders in an SQLite file of which this process is the only owner. Its calls are synchronous: a disk that hangs stops
 * the process. Throws where the file cannot be used.
 */
export function openOrderStore({ path, log }: { readonly path: string; readonly log: Log }): FileOrderStore {
  const file = ownFile(path, setUp);
  const { db, isNew, requireIntact } = file;
  const tidySoon = createTidying(file, log);
  const transact = createTransactions(file);
  const textOf = db.prepare('SELECT record FROM orders WHERE idempotency_key = ?');
  const put = db.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM orders WHERE idempotency_key = ?');
  const sumOf = db.prepare('SELECT units FROM days WHERE day = ?');
  sumOf.setReadBigInts(true);
  const add = db.prepare('INSERT INTO days VALUES (?, ?) ON CONFLICT DO UPDATE SET units = units + excluded.units');
  const sumWith = (count: DayCount): bigint => BigInt(String(sumOf.get(sumName(count))?.['units'] ?? 0)) + count.units;
  /** The holders that this process has stored, by key. Any other one is dead. */
  const holders = new Map<string, string>();
  const find = (key: string): OrderRecord | undefined => {
    const text = textOf.get(key)?.['record'];
    if (text === undefined) return undefined;
    const record = decodeRecord(String(text));
    if (record.state === 'finished' || record.lease.owner === holders.get(key)) return record;
    return { ...record, lease: { ...record.lease, until: 0 } };
  };
  return {
    isNew,
    read: async (key) => {
      requireIntact();
      return find(key);
    },
    write: async (key, record, over, counts = []) => {
      const written = await transact(() => {
        const standing = find(key);
        if (!isReplaceable(standing, over)) return { standing };
        const full = counts.find((count) => count.atMost !== undefined && sumWith(count) > count.atMost);
        if (full) return fullBy(full);
        if (record) put.run(key, encodeRecord(record), record.state === 'finished' ? record.keepUntil : null);
        else remove.run(key);
        for (const count of counts) add.run(sumName(count), count.units);
        return 'written';
      });
      if (written !== 'written') return written;
      if (record?.state === 'unfinished') holders.set(key, record.lease.owner);
      else holders.delete(key);
      tidySoon(record);
      return written;
    },
    close: async () => {
      // Behind the writes that wait.
      await transact(() => 'written').catch(() => undefined);
      file.close();
    },
  };
}
