import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DAY_KEPT_MS } from '../../shared/limits.ts';
import {
  type DayCount,
  dayOf,
  fullBy,
  isReplaceable,
  type OrderStore,
  sumName,
  type Written,
} from '../../shared/orders/order-store.ts';
import { decodeRecord, encodeRecord, type OrderRecord, OtherVersionError } from '../../shared/orders/record.ts';
import { CREATE_INDEXES } from './file-records.ts';

/** A store in a file. `close` is for an orderly end; none is needed for durability. */
export interface FileOrderStore extends OrderStore {
  /** True for a new file, which has no earlier key. */
  readonly isNew: boolean;
  /** How long its tables and indexes took, in milliseconds: those of a large file of an earlier build take seconds. */
  readonly setUpMs: number;
  close(): Promise<void>;
}

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
/** Bounds the wait for a program that reads the file while it is opened, in milliseconds. */
const OPEN_WAIT_MS = 1_000;

/** The fixed SQLite releases: each minor version with the first patch that has the fix. */
const CURED: ReadonlyMap<string, number> = new Map([
  ['3.44', 6],
  ['3.50', 7],
  ['3.51', 3],
]);

/**
 * Throws for an SQLite that may damage a file where two connections write and empty the log at the same time
 * (https://www.sqlite.org/wal.html, "The WAL-Reset Bug"): readers of the file may do so.
 */
function requireCuredSqlite(version = 'none'): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major > 3 || (major === 3 && (minor > 51 || patch >= (CURED.get(`3.${minor}`) ?? Number.POSITIVE_INFINITY))))
    return;
  throw new Error(`the SQLite of this Node (${version}) may damage it; use Node 24.15 or later`);
}

/** Creates an empty file with mode 0600. Opens no file that exists: to close it would free a lock of this process. */
export function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Takes a lock that the system frees when the process dies: a transaction on an SQLite file, whose `user_version` is the
 * process id. Throws while another process, or another store of this one, holds it; `fix` ends the sentence.
 */
export function takeLock(path: string, fix: string): DatabaseSync {
  createPrivate(path);
  const lock = new DatabaseSync(path);
  try {
    lock.exec(`BEGIN EXCLUSIVE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
    return lock;
  } catch (error) {
    lock.close();
    if (!(Error.isError(error) && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    using reader = new DatabaseSync(path, { readOnly: true, timeout: OPEN_WAIT_MS });
    const pid = reader.prepare('PRAGMA user_version').get()?.['user_version'];
    throw new Error(`process ${pid} has it open; ${fix}`);
  }
}

/** The main file, its log and the index of the log, and the lock. */
const SUFFIXES = ['', '-wal', '-shm', '.lock'] as const;

/** Returns the system's identity of a file, and its size; `undefined` if there is none. */
function statOf(path: string): { readonly id: string; readonly size: bigint } | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && { id: `${stats.dev}:${stats.ino}`, size: stats.size };
}

/** Creates the check of an open store's files: it throws once another program has removed, replaced or truncated one. */
function createFileCheck(path: string, db: DatabaseSync) {
  const seen = new Map(SUFFIXES.map((suffix) => [suffix, statOf(path + suffix)]));
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const pageSize = Number(db.prepare('PRAGMA page_size').get()?.['page_size']);
  /** Returns false where SQLite itself has made a file smaller: readers empty the log, or vacuum the main file. */
  const isCut = (suffix: string, size: bigint): boolean => {
    if (suffix === '') return size === 0n;
    if (suffix !== '-wal') return true;
    try {
      return Number(checkpoint.get()?.['log']) * pageSize > size;
    } catch {
      return true;
    }
  };
  let isLost = false;
  return (): void => {
    for (const [suffix, before] of seen) {
      const now = statOf(path + suffix);
      isLost ||= !now || !before || now.id !== before.id || (now.size < before.size && isCut(suffix, now.size));
      seen.set(suffix, now);
    }
    if (isLost) throw new Error('A file of the order store was removed, replaced or emptied; restart the service.');
  };
}

/** Throws for a file that is no regular one or has a second name, and for one that is missing beside a log of orders. */
export function requireUsable(path: string): void {
  // SQLite keeps log and index beside the target of a link.
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file?.isFile() === false) throw new Error('it is not a regular file');
  // Lock, log and index carry the name: under each name another process would open it.
  if (file && file.nlink > 1) throw new Error('it has a second name (a hard link); remove that name');
  // SQLite would delete this log.
  if (!file?.size && statOf(`${path}-wal`)?.size) {
    throw new Error(
      'it is missing or empty beside its -wal; restore it, or remove the -wal to start without its orders',
    );
  }
}

/**
 * Takes ownership of a file and opens it; a new one gets mode 0600, its folder 0700. `setUp` writes to it. Throws if another
 * process owns it, and as `requireUsable`.
 */
function ownFile<T>(path: string, setUp: (db: DatabaseSync) => T) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  using opening = new DisposableStack();
  opening.use(takeLock(`${path}.lock`, 'stop that process, or set another SERVICE_STORE'));
  requireUsable(path);
  createPrivate(path);
  const db = opening.use(new DatabaseSync(path, { timeout: OPEN_WAIT_MS }));
  const found = setUp(db);
  // A restored copy may have another mode; SQLite gives log and index the mode of the main file.
  for (const suffix of SUFFIXES) chmodSync(path + suffix, 0o600);
  const opened = opening.move();
  return { db, found, requireIntact: createFileCheck(path, db), close: () => opened.dispose() };
}

/** An open file that belongs to this process until `close`. */
type OwnFile = Omit<ReturnType<typeof ownFile>, 'found'>;

/** Increases with each change of the tables. A file of another layout is refused instead of misread. */
const LAYOUT = 3;
const CLEANING_INTERVAL_MS = 3_600_000;
/** The records that one transaction removes, in some 5 ms: its orders wait for them. */
const CLEANED_AT_ONCE = 50;

/**
 * WAL with a full sync: a write takes one flush, of the log. On macOS a flush reaches the disk only with `fullfsync`.
 * Later calls wait for no other program. An index is sorted in memory, since a container may have no room for temporary files,
 * and is there with the commit or not at all.
 */
const SET_UP = `
  PRAGMA temp_store = MEMORY;
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS orders (
    idempotency_key TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL, expires_at INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS orders_by_end ON orders (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, units INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${CREATE_INDEXES}
  PRAGMA user_version = ${LAYOUT};
  COMMIT; PRAGMA busy_timeout = 0;
`;

/** Creates the tables and indexes that are missing. */
function setUp(db: DatabaseSync): Pick<FileOrderStore, 'isNew' | 'setUpMs'> {
  const layout = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (layout !== 0 && layout !== LAYOUT) throw new OtherVersionError(layout, LAYOUT);
  const begun = performance.now();
  db.exec(SET_UP);
  return { isNew: layout === 0, setUpMs: performance.now() - begun };
}

/** Collects the writes of one turn of the event loop in one transaction: all of them await its one flush to the disk. */
function createTransactions({ db, requireIntact }: OwnFile, clean: () => void) {
  let waiting: { readonly act: () => Written; readonly settled: PromiseWithResolvers<Written> }[] = [];
  const commit = (): void => {
    const acts = waiting;
    waiting = [];
    try {
      requireIntact();
      db.exec('BEGIN IMMEDIATE');
      const done = acts.map(({ act, settled }) => ({ written: act(), settled }));
      clean();
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

/** Removes expired records and sums in the transactions of orders, a few in each until none is left. */
function createCleaning(db: DatabaseSync) {
  const clean = db.prepare(
    `DELETE FROM orders WHERE idempotency_key IN (
      SELECT idempotency_key FROM orders WHERE expires_at < ? LIMIT ${CLEANED_AT_ONCE}
    )`,
  );
  const cleanDays = db.prepare('DELETE FROM days WHERE day < ?');
  let cleanedAt = 0;
  return (time: number): void => {
    if (time - cleanedAt < CLEANING_INTERVAL_MS) return;
    if (Number(clean.run(time).changes) === CLEANED_AT_ONCE) return;
    cleanDays.run(dayOf(time - DAY_KEPT_MS));
    cleanedAt = time;
  };
}

/**
 * Keeps orders in an SQLite file of which this process is the only owner. Its calls are synchronous: a disk that hangs stops
 * the process. Throws where the file cannot be used.
 */
export function openOrderStore(path: string): FileOrderStore {
  requireCuredSqlite(process.versions['sqlite']);
  const file = ownFile(path, setUp);
  const { db, found, requireIntact } = file;
  const clean = createCleaning(db);
  /** When the newest order was signed. */
  let newest = 0;
  const transact = createTransactions(file, () => clean(newest));
  const select = db.prepare('SELECT record FROM orders WHERE idempotency_key = ?');
  const put = db.prepare(`INSERT INTO orders VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at`);
  const remove = db.prepare('DELETE FROM orders WHERE idempotency_key = ?');
  const sumOf = db.prepare('SELECT units FROM days WHERE day = ?');
  sumOf.setReadBigInts(true);
  const add = db.prepare('INSERT INTO days VALUES (?, ?) ON CONFLICT DO UPDATE SET units = units + excluded.units');
  const sumWith = (count: DayCount): bigint => BigInt(String(sumOf.get(sumName(count))?.['units'] ?? 0)) + count.units;
  /** Caches parsed unfinished records by their text: parsing again takes a tenth of the store's time. */
  const own = new Map<string, OrderRecord>();
  const textOf = (key: string): string | undefined => {
    const text = select.get(key)?.['record'];
    return text === undefined ? undefined : String(text);
  };
  const toRecord = (text: string): OrderRecord => {
    const record = own.get(text) ?? decodeRecord(text);
    // A lease of another process is void: that process is dead.
    if (record.state === 'finished' || own.has(text)) return record;
    return { ...record, lease: { ...record.lease, until: 0 } };
  };
  return {
    ...found,
    read: async (key) => {
      requireIntact();
      const text = textOf(key);
      return text === undefined ? undefined : toRecord(text);
    },
    write: async (key, record, over, counts = []) => {
      const next = record && { record, text: encodeRecord(record) };
      let before: string | undefined;
      const act = (): Written => {
        before = textOf(key);
        const standing = before === undefined ? undefined : toRecord(before);
        if (!isReplaceable(standing, over)) return { standing };
        const full = counts.find((count) => count.atMost !== undefined && sumWith(count) > count.atMost);
        if (full) return fullBy(full);
        if (next) put.run(key, next.text, next.record.state === 'finished' ? next.record.keepUntil : null);
        else remove.run(key);
        for (const count of counts) add.run(sumName(count), count.units);
        // Before the commit: the next call in this turn may read the record.
        if (next?.record.state === 'unfinished') own.set(next.text, next.record);
        newest = Math.max(newest, next?.record.signedAt ?? 0);
        return 'written';
      };
      try {
        const written = await transact(act);
        // Only after the commit: a rollback restores the previous record.
        if (written === 'written' && before !== undefined) own.delete(before);
        return written;
      } catch (error) {
        if (next) own.delete(next.text);
        throw error;
      }
    },
    close: async () => {
      // Runs after the queued writes.
      await transact(() => 'written').catch(() => undefined);
      file.close();
    },
  };
}
