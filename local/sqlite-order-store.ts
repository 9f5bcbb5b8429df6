import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { STORE_CALL_MS } from '../shared/limits.ts';
import type { Log } from '../shared/log.ts';
import {
  decodeRecord,
  type Expected,
  encodeRecord,
  holderOf,
  type OrderRecord,
  type OrderStore,
} from '../shared/orders/record.ts';

export interface OrderStoreSettings {
  /** Path of the database file; its directory is made where it is missing. */
  readonly path: string;
  readonly log: Log;
  /** Tells the time in milliseconds of the Unix epoch. */
  readonly now?: () => number;
}

/** A store on a file. `close` is for an orderly end; none is needed for durability. */
export interface FileOrderStore extends OrderStore {
  close(): void;
}

/** Raised with the table's layout; a file of another layout is refused instead of misread. */
const LAYOUT = 1;

/** Expired rows are small and nothing depends on their end: they are removed once an hour. */
const CLEANING_INTERVAL_MS = 3_600_000;

/**
 * WAL with a full sync: a record is on the disk, not only in the system's cache, before its order is sent, at the price
 * of one flush a write. A process that is killed leaves a log that the next one reads.
 */
const SETUP = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS orders (
    idempotency_key TEXT PRIMARY KEY,
    record TEXT NOT NULL,
    lease_owner TEXT,
    expires_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS orders_by_end ON orders (expires_at) WHERE expires_at IS NOT NULL;
  PRAGMA user_version = ${LAYOUT};
`;

const storedRow = z.object({ record: z.string() });
const storedLayout = z.object({ user_version: z.int() });

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

/** Signed orders are sensitive: the file is its owner's alone, and SQLite gives its `-wal` and `-shm` the same mode. */
function openFile(path: string): DatabaseSync {
  makeDirectory(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  // Another process at work on the same file holds it for the few milliseconds of a write.
  const db = new DatabaseSync(path, { timeout: STORE_CALL_MS });
  try {
    const { user_version: layout } = storedLayout.parse(db.prepare('PRAGMA user_version').get());
    if (layout !== 0 && layout !== LAYOUT) throw new Error(`The order store has layout ${layout}, not ${LAYOUT}.`);
    db.exec(SETUP);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
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
    close: () => db.close(),
  };
}

type Statements = ReturnType<typeof prepare>;

function toRow(key: string, record: OrderRecord): [string, string | null, number | null, string] {
  const end = record.state === 'finished' ? record.keepUntil : null;
  return [encodeRecord(record), holderOf(record) ?? null, end, key];
}

function replace(statements: Statements, key: string, record: OrderRecord, expected: Expected): boolean {
  const { replaceFinished, replaceUnfinished, replaceHeld } = statements;
  const row = toRow(key, record);
  if (expected === 'finished') return replaceFinished.run(...row).changes === 1;
  if (expected === 'unfinished') return replaceUnfinished.run(...row).changes === 1;
  return replaceHeld.run(...row, expected.heldBy).changes === 1;
}

/**
 * Keeps orders in an SQLite file. A file that cannot be opened or used does not stop the service: each call fails, and
 * the next one opens the file again. A file that is removed or replaced while it is open fails every call from then on:
 * what is written to it would be gone with the process, and a new one knows nothing of the keys that clients repeat.
 */
export function openOrderStore({ path, log, now = Date.now }: OrderStoreSettings): FileOrderStore {
  let open: Statements | undefined;
  let identity: string | undefined;
  let cleanedAt = 0;
  const close = () => {
    open?.close();
    [open, identity] = [undefined, undefined];
  };
  const use = async <T>(action: (statements: Statements) => T): Promise<T> => {
    if (open && identify(path) !== identity) {
      throw new Error('The file of the order store was removed or replaced while in use; restart the service.');
    }
    try {
      open ??= prepare(openFile(path));
      identity ??= identify(path);
      return action(open);
    } catch (error) {
      close();
      throw error;
    }
  };
  const clean = (statements: Statements) => {
    if (now() - cleanedAt < CLEANING_INTERVAL_MS) return;
    cleanedAt = now();
    statements.clean.run(now());
  };
  // Opened early, so that an operator reads of a useless path at the start and not in the first order.
  use(clean).catch((error: unknown) => log.error('order store not opened', { error }));
  return {
    read: (key) =>
      use(({ read }) => {
        const row = read.get(key);
        return row && decodeRecord(storedRow.parse(row).record);
      }),
    create: (key, record) =>
      use((statements) => {
        clean(statements);
        return statements.create.run(...toRow(key, record)).changes === 1;
      }),
    replace: (key, record, expected) => use((statements) => replace(statements, key, record, expected)),
    close,
  };
}
