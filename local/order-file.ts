import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STORE_CALL_MS } from '../shared/limits.ts';
import type { Expected } from '../shared/orders/record.ts';

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

/** A file of orders. Every call opens it where it is not open; one that fails closes it. */
export interface OrderFile {
  /** Tells whether the file had to be made: then it knows no key of before. */
  open(): 'made' | 'found';
  /** Gives the encoded record of a key. */
  read(key: string): string | undefined;
  create(row: OrderRow): boolean;
  replace(row: OrderRow, expected: Expected): boolean;
  /** Removes the finished orders that have expired before a time. */
  clean(beforeMs: number): void;
  close(): void;
}

/** Raised with the table's layout; a file of another layout is refused instead of misread. */
const LAYOUT = 1;

/** Waits so long for further finished orders before the log is emptied of their signed bytes, and between attempts. */
const EMPTYING_PAUSE_MS = 250;

/**
 * WAL with a full sync: a record is on the disk, not only in the system's cache, before its order is sent, at the price
 * of one flush a write. A process that is killed leaves a log that the next one reads. On macOS a flush reaches the disk
 * only with `fullfsync`. What is overwritten or removed is gone from the file, signed bytes above all.
 */
const SETTINGS = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
  PRAGMA secure_delete = ON;
`;

const TABLE = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS orders (
    idempotency_key TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    lease_owner TEXT,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS orders_by_end ON orders (expires_at) WHERE expires_at IS NOT NULL;
  PRAGMA user_version = ${LAYOUT};
  COMMIT;
`;

/** Not Node's `recursive`: where a file system answers ENOENT to every new directory, as /proc does, it never ends. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** Makes what is missing. A file that has its table is not written to: whoever holds its lock does not stop a start. */
function setUp(db: DatabaseSync): 'made' | 'found' {
  const layout = db.prepare('PRAGMA user_version').get()?.['user_version'];
  if (layout !== 0 && layout !== LAYOUT) throw new Error(`The order store has layout ${layout}, not ${LAYOUT}.`);
  db.exec(SETTINGS);
  if (layout === LAYOUT) return 'found';
  db.exec(TABLE);
  return 'made';
}

/** Tells one file from another that has come to its path; `undefined` when there is none. */
function identify(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function prepare(db: DatabaseSync) {
  const update = 'UPDATE orders SET record = ?, lease_owner = ?, expires_at = ? WHERE idempotency_key = ?';
  return {
    read: db.prepare('SELECT record FROM orders WHERE idempotency_key = ?'),
    create: db.prepare(
      'INSERT INTO orders (record, lease_owner, expires_at, idempotency_key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    replaceFinished: db.prepare(`${update} AND lease_owner IS NULL`),
    replaceUnfinished: db.prepare(`${update} AND lease_owner IS NOT NULL`),
    replaceHeld: db.prepare(`${update} AND lease_owner = ?`),
    clean: db.prepare('DELETE FROM orders WHERE expires_at < ?'),
    emptyLog: db.prepare('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}

interface OpenFile {
  readonly db: DatabaseSync;
  readonly found: 'made' | 'found';
  readonly statements: ReturnType<typeof prepare>;
}

/** Signed orders are sensitive: the file is its owner's alone, and SQLite gives its `-wal` and `-shm` the same mode. */
function openFile(path: string): OpenFile {
  makeDirectory(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  // Another process at work on the same file holds it for the few milliseconds of a write.
  const db = new DatabaseSync(path, { timeout: STORE_CALL_MS });
  try {
    const found = setUp(db);
    return { db, found, statements: prepare(db) };
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
  } finally {
    db.exec(`PRAGMA busy_timeout = ${STORE_CALL_MS}`);
  }
}

function toValues({ key, record, holder, expiresAt }: OrderRow): [string, string | null, number | null, string] {
  return [record, holder, expiresAt, key];
}

function replace({ statements }: OpenFile, row: OrderRow, expected: Expected): boolean {
  const { replaceFinished, replaceUnfinished, replaceHeld } = statements;
  const values = toValues(row);
  if (expected === 'finished') return replaceFinished.run(...values).changes === 1;
  if (expected === 'unfinished') return replaceUnfinished.run(...values).changes === 1;
  return replaceHeld.run(...values, expected.heldBy).changes === 1;
}

/**
 * Keeps rows in an SQLite file. A file that is removed or replaced after it was first opened fails every call from then
 * on: what is written to it would be gone with the process, and a new one knows nothing of the keys that clients repeat.
 */
export function createOrderFile(path: string): OrderFile {
  let open: OpenFile | undefined;
  let identity: string | undefined;
  let emptying: NodeJS.Timeout | undefined;
  const emptySoon = () => {
    emptying ??= setTimeout(() => {
      emptying = undefined;
      if (open && !emptyLog(open)) emptySoon();
    }, EMPTYING_PAUSE_MS).unref();
  };
  const close = () => {
    clearTimeout(emptying);
    if (open) emptyLog(open);
    open?.db.close();
    [open, emptying] = [undefined, undefined];
  };
  const use = <T>(action: (file: OpenFile) => T): T => {
    if (identity !== undefined && identify(path) !== identity) {
      throw new Error('The file of the order store was removed or replaced while in use; restart the service.');
    }
    try {
      if (!open) {
        open = openFile(path);
        // A process that was killed leaves signed orders in the log.
        if (!emptyLog(open)) emptySoon();
      }
      identity ??= identify(path);
      return action(open);
    } catch (error) {
      close();
      throw error;
    }
  };
  return {
    open: () => use(({ found }) => found),
    read: (key) =>
      use(({ statements }) => {
        const record = statements.read.get(key)?.['record'];
        return typeof record === 'string' ? record : undefined;
      }),
    create: (row) => use(({ statements }) => statements.create.run(...toValues(row)).changes === 1),
    replace: (row, expected) =>
      use((file) => {
        const replaced = replace(file, row, expected);
        if (replaced && row.holder === null) emptySoon();
        return replaced;
      }),
    clean: (beforeMs) => use(({ statements }) => void statements.clean.run(beforeMs)),
    close,
  };
}
