import { chmodSync, closeSync, fchmodSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DAY_KEPT_MS } from '../../shared/limits.ts';
import type { DayCount, Expected, Written } from '../../shared/orders/record.ts';
import {
  BESIDE,
  identify,
  isBusy,
  keepTrace,
  makeDirectory,
  putBack,
  rememberLog,
  requireMainFile,
  requireSharedLog,
  saveRemoved,
} from './store-files.ts';

/** An order as the table has it. */
export interface OrderRow {
  readonly key: string;
  /** The encoded record. */
  readonly record: string;
  /** The holder of the lease; `null` once the order is finished. */
  readonly holder: string | null;
  /** In milliseconds of the Unix epoch; `null` until the order is finished. */
  readonly expiresAt: number | null;
}

/** The calls that a file of orders can answer. */
export type OrderCall =
  /** Answers whether the file had to be made: then it knows no earlier key. */
  | { readonly ask: 'open' }
  /** Answers the encoded record of a key. */
  | { readonly ask: 'read'; readonly key: string }
  | { readonly ask: 'create'; readonly row: OrderRow; readonly counts: readonly DayCount[] }
  | {
      readonly ask: 'replace';
      readonly row: OrderRow;
      readonly expected: Expected;
      readonly counts: readonly DayCount[];
    }
  /** Answers the notional that is counted for a day. */
  | { readonly ask: 'counted'; readonly day: string }
  /** Removes the finished orders that have expired before a time. */
  | { readonly ask: 'clean'; readonly beforeMs: number };

/** The answer to a call. */
export type OrderAnswer = 'made' | 'found' | Written | string | bigint | undefined;

/** A call of several that are made at once. */
export interface NumberedCall {
  readonly id: number;
  readonly call: OrderCall;
}

/** The end of a call: its answer, or the reason for its failure. */
export interface CallResult {
  readonly id: number;
  readonly answer?: OrderAnswer;
  readonly failure?: string;
}

/** Raised with the layout of the tables; a file of a later layout is refused instead of misread. */
export const LAYOUT = 1;

/** Delay before the WAL, which holds signed bytes, is truncated, and between attempts. */
const EMPTYING_PAUSE_MS = 250;

/** One wait for the lock of another process; a write makes several, and reads have their turn in between. */
const LOCK_WAIT_MS = 100;

/**
 * WAL with a full sync: a record is on the disk, not only in the system's cache, before its order is sent, at the price
 * of one flush for the writes that come together. A process that is killed leaves a log that the next one reads. On macOS
 * a flush reaches the disk only with `fullfsync`. What is overwritten or removed is gone from the file, signed bytes above
 * all. The last line makes the log, if there is none: SQLite would with the first transaction.
 */
const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
  PRAGMA secure_delete = ON;
  SELECT count(*) FROM sqlite_master;
`;

const TABLES = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS orders (
    idempotency_key TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    lease_owner TEXT,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS orders_by_end ON orders (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS days (day TEXT PRIMARY KEY, units INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${LAYOUT};
  COMMIT;
`;

/** Creates what is missing. A file that has its tables is not written to: another process's lock does not stop a start. */
function setUp(db: DatabaseSync): 'made' | 'found' {
  const layout = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (!(layout >= 0 && layout <= LAYOUT)) throw new Error(`The order store has layout ${layout}, not ${LAYOUT}.`);
  db.exec(SETTINGS);
  if (layout < LAYOUT) db.exec(TABLES);
  return layout === 0 ? 'made' : 'found';
}

function prepare(db: DatabaseSync) {
  const counted = db.prepare('SELECT units FROM days WHERE day = ?');
  counted.setReadBigInts(true);
  const update = 'UPDATE orders SET record = ?, lease_owner = ?, expires_at = ? WHERE idempotency_key = ?';
  return {
    read: db.prepare('SELECT record FROM orders WHERE idempotency_key = ?'),
    create: db.prepare(
      'INSERT INTO orders (record, lease_owner, expires_at, idempotency_key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    replaceFinished: db.prepare(`${update} AND lease_owner IS NULL AND expires_at = ?`),
    replaceHeld: db.prepare(`${update} AND lease_owner = ?`),
    count: db.prepare(
      'INSERT INTO days (day, units) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET units = units + excluded.units',
    ),
    counted,
    clean: db.prepare('DELETE FROM orders WHERE expires_at < ?'),
    cleanDays: db.prepare('DELETE FROM days WHERE day < ?'),
    emptyLog: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
    moveLog: db.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  };
}

const SQLITE_HEAD = Buffer.from('SQLite format 3\0');

/** Creates a file that only its owner can read; restricts one that is there, unless it is not a database. */
function makePrivate(path: string): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    const head = Buffer.alloc(SQLITE_HEAD.length);
    if (readSync(file, head, { position: 0 }) === 0 || head.equals(SQLITE_HEAD)) fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

type OpenFile = ReturnType<typeof openFile>;

/** Signed orders are sensitive: the file is its owner's alone, and so are its `-wal` and `-shm`. */
function openFile(path: string, patienceMs: number) {
  makeDirectory(dirname(path));
  // A device such as /dev/null would be closed to everybody else, a pipe waits for its other end, and SQLite keeps log and
  // index beside the target of a link.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Error('it is there, and is no file, but a link, a folder or a device');
  }
  requireMainFile(path);
  makePrivate(path);
  requireSharedLog(path, patienceMs);
  const db = new DatabaseSync(path, { timeout: patienceMs });
  try {
    const found = setUp(db);
    // SQLite makes them with the mode of the main file. Those of a copy may have another one.
    for (const suffix of BESIDE) chmodSync(path + suffix, 0o600);
    const statements = prepare(db);
    return { db, found, statements, log: rememberLog(path, () => Number(statements.moveLog.get()?.['log'])) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Moves what the log holds into the file and cuts the log off; `false` while another process is at work on the file. */
function emptyLog({ db, statements }: OpenFile): boolean {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    return statements.emptyLog.get()?.['busy'] === 0;
  } catch {
    // What is wrong with the file is told by the calls that need it.
    return false;
  }
}

function toValues({ key, record, holder, expiresAt }: OrderRow): [string, string | null, number | null, string] {
  return [record, holder, expiresAt, key];
}

function replace({ statements }: OpenFile, row: OrderRow, expected: Expected): boolean {
  const { replaceFinished, replaceHeld } = statements;
  const values = toValues(row);
  if ('heldBy' in expected) return replaceHeld.run(...values, expected.heldBy).changes === 1;
  return replaceFinished.run(...values, expected.keptUntil).changes === 1;
}

function countedOn({ statements }: OpenFile, day: string): bigint {
  const units = statements.counted.get(day)?.['units'];
  return typeof units === 'bigint' ? units : 0n;
}

/** Writes a row and its counts of days. Unless it returns `written`, the caller must undo what was done. */
function write(file: OpenFile, act: () => boolean, counts: readonly DayCount[]): Written {
  if (!act()) return 'conflict';
  for (const { day, units } of counts) file.statements.count.run(day, units);
  const full = counts.findLast(({ day, atMost }) => atMost !== undefined && countedOn(file, day) > atMost);
  return full ? { fullDay: full.day } : 'written';
}

function clean({ statements }: OpenFile, beforeMs: number): undefined {
  statements.clean.run(beforeMs);
  statements.cleanDays.run(new Date(beforeMs - DAY_KEPT_MS).toISOString().slice(0, 10));
}

function answer(file: OpenFile, call: OrderCall): OrderAnswer {
  const { found, statements } = file;
  switch (call.ask) {
    case 'open':
      return found;
    case 'read': {
      const record = statements.read.get(call.key)?.['record'];
      return typeof record === 'string' ? record : undefined;
    }
    case 'create':
      return write(file, () => statements.create.run(...toValues(call.row)).changes === 1, call.counts);
    case 'replace':
      return write(file, () => replace(file, call.row, call.expected), call.counts);
    case 'counted':
      return countedOn(file, call.day);
    case 'clean':
      return clean(file, call.beforeMs);
  }
}

/** Returns the reason why a call has no answer. */
export function reasonOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}

/** Does one call of a transaction, all of it or nothing. Throws where SQLite has given up the transaction itself. */
function attempt(file: OpenFile, { id, call }: NumberedCall): CallResult {
  const { db } = file;
  // COMMIT ends the last one.
  db.exec('SAVEPOINT call');
  try {
    const answered = answer(file, call);
    if (typeof answered === 'object') db.exec('ROLLBACK TO call');
    return { id, answer: answered };
  } catch (error) {
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO call');
    return { id, failure: reasonOf(error) };
  }
}

/** Begins a transaction; `false` while another process holds the file. */
function begin({ db }: OpenFile, patienceMs: number): boolean {
  db.exec(`PRAGMA busy_timeout = ${Math.min(patienceMs, LOCK_WAIT_MS)}`);
  try {
    db.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Returns true if a call leaves signed bytes behind: those of the replaced row, in the log. */
function leavesBytes({ call }: NumberedCall): boolean {
  return call.ask === 'replace' && call.row.holder === null;
}

/**
 * Returns true if the order of a call is sent next: its record is moved into the main file, where the log does not
 * matter. A program that has been reading the file since before the write keeps it in the log.
 */
function precedesSending({ call }: NumberedCall): boolean {
  return 'row' in call && call.row.holder !== null;
}

const MOVE_ATTEMPTS = 10;
const MOVE_PAUSE_MS = 2;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Moves the log into the main file; waits a moment for a process that is doing so, or is in the middle of reading. */
function moveLog({ statements }: OpenFile): void {
  for (let attempt = 1; attempt <= MOVE_ATTEMPTS; attempt += 1) {
    const { log, checkpointed } = statements.moveLog.get() ?? {};
    if (log === checkpointed) return;
    Atomics.wait(pause, 0, 0, MOVE_PAUSE_MS);
  }
}

/** The identity of a store that was lost: no file has it. */
const LOST = 'lost';

const LOST_SENTENCE =
  'The file of the order store, or the -wal or -shm beside it, was removed, replaced or emptied while in use; restart the service.';

/**
 * Keeps rows in an SQLite file, which the first call opens. A fault of the file fails all calls that were made together
 * and closes it. Waits no longer than `patienceMs` for other processes using it. Once a file of the store is removed,
 * replaced or emptied after the first opening, every call fails: what is written to it would be gone with the process,
 * and a new one would not know the keys that clients repeat. What the open file still has is moved into the main
 * file first. `identity` is that of the first opening, where another thread did it.
 */
export function createOrderFile(path: string, identity?: string) {
  let open: OpenFile | undefined;
  let known = identity;
  let emptying: NodeJS.Timeout | undefined;
  const emptySoon = (file: OpenFile) => {
    emptying ??= setTimeout(() => {
      emptying = undefined;
      if (isIntact(file) && !emptyLog(file)) emptySoon(file);
    }, EMPTYING_PAUSE_MS).unref();
  };
  const close = () => {
    const file = open;
    clearTimeout(emptying);
    [open, emptying] = [undefined, undefined];
    if (!file) return;
    if (isIntact(file)) emptyLog(file);
    file.log.mend();
    const isSaved = known === LOST && saveRemoved(file.db, path);
    // SQLite itself moves what the log has into the main file, where no other process is at work on it.
    file.db.close();
    if (isSaved) {
      file.log.remove();
      putBack(path);
    }
    if (known === LOST) keepTrace(path);
  };
  const isIntact = ({ log }: OpenFile) => identify(path) === known && log.isIntact();
  const opened = (patienceMs: number): OpenFile => {
    if (known !== undefined && identify(path) !== known) known = LOST;
    if (known === LOST) throw new Error(LOST_SENTENCE);
    const file = openFile(path, patienceMs);
    open = file;
    known ??= identify(path);
    // A process that was killed leaves signed orders in the log.
    if (!emptyLog(file)) emptySoon(file);
    return file;
  };
  const requireIntact = (file: OpenFile) => {
    if (isIntact(file)) return;
    known = LOST;
    throw new Error(LOST_SENTENCE);
  };
  const use = <T>(patienceMs: number, act: (file: OpenFile) => T): T => {
    try {
      const file = open ?? opened(patienceMs);
      requireIntact(file);
      return act(file);
    } catch (error) {
      close();
      throw error;
    }
  };
  return {
    /** Answers calls that write nothing. */
    read: (calls: readonly NumberedCall[], patienceMs: number): readonly CallResult[] =>
      use(patienceMs, (file) => {
        file.db.exec(`PRAGMA busy_timeout = ${patienceMs}`);
        return calls.map(({ id, call }) => ({ id, answer: answer(file, call) }));
      }),
    /**
     * Answers calls in their order, in one transaction: they share a flush to the disk, and none is answered before it. A
     * call that fails does not undo the others. `locked` while another process holds the file: nothing was begun.
     */
    write: (calls: readonly NumberedCall[], patienceMs: number): readonly CallResult[] | 'locked' =>
      use(patienceMs, (file) => {
        if (!begin(file, patienceMs)) return 'locked';
        const results = calls.map((call) => attempt(file, call));
        file.db.exec('COMMIT');
        if (calls.some(precedesSending)) moveLog(file);
        // What went into a log that has lost its name meanwhile is not on the disk.
        requireIntact(file);
        if (calls.some(leavesBytes)) emptySoon(file);
        // Perhaps a fault of the file: what is asked next opens it again.
        if (results.some(({ failure }) => failure !== undefined)) close();
        return results;
      }),
    /** Returns the identity of the file; `undefined` until it was first opened. */
    identity: () => known,
    /** Closes the file. A loss that no call has met is noticed here: what the open file has would be gone. */
    close: (): void => {
      if (open && !isIntact(open)) known = LOST;
      close();
    },
  };
}

/** A file of orders. */
export type OrderFile = ReturnType<typeof createOrderFile>;
