import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;
/** Bounds the wait for a program that reads the file while it is opened, in milliseconds. */
const OPEN_WAIT_MS = 1_000;

/** Creates an empty file with mode 0600. Opens no file that exists: to close it would free a lock of this process. */
function createPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Takes a lock that the system frees when the process dies: a transaction on an SQLite file, whose `user_version` is the
 * process id. Throws while another process, or another store of this one, holds it.
 */
function takeLock(path: string): DatabaseSync {
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
    throw new Error(`process ${pid} has it open; stop that process, or set another SERVICE_STORE`);
  }
}

/** The main file, its log and the index of the log, and the lock. */
const PARTS = ['', '-wal', '-shm', '.lock'] as const;

/** Returns the system's identity of a file, and its size; `undefined` if there is none. */
function look(path: string): { readonly id: string; readonly size: bigint } | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && { id: `${stats.dev}:${stats.ino}`, size: stats.size };
}

/** Watches the files of a store that is open. */
function watchFiles(path: string) {
  const seen = new Map(PARTS.map((part) => [part, look(path + part)]));
  let isLost = false;
  return {
    /** Throws from the moment another program has removed, replaced or truncated one of them. */
    requireIntact: (): void => {
      for (const [part, before] of seen) {
        const now = look(path + part);
        isLost ||= !now || !before || now.id !== before.id || now.size < before.size;
        seen.set(part, now);
      }
      if (isLost) throw new Error('A file of the order store was removed, replaced or emptied; restart the service.');
    },
    /** Accepts that the log was truncated. */
    noteEmptyLog: (): void => {
      seen.set('-wal', { id: seen.get('-wal')?.id ?? '', size: 0n });
    },
  };
}

/**
 * Takes ownership of a file and opens it; a new one gets mode 0600, its folder 0700. `setUp` writes to it, and returns true
 * if it was empty. Throws if another process owns it, if it is no regular file, or if it is missing beside a log of orders.
 */
export function ownFile(path: string, setUp: (db: DatabaseSync) => boolean) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite keeps log and index beside the target of a link.
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a regular file');
  using opening = new DisposableStack();
  opening.use(takeLock(`${path}.lock`));
  // SQLite would delete this log.
  if (!look(path)?.size && look(`${path}-wal`)?.size) {
    throw new Error(
      'it is missing or empty beside its -wal; restore it, or remove the -wal to start without its orders',
    );
  }
  createPrivate(path);
  const db = opening.use(new DatabaseSync(path, { timeout: OPEN_WAIT_MS }));
  const isNew = setUp(db);
  // Those of a copy may have another mode; SQLite creates log and index with that of the main file.
  for (const part of PARTS) chmodSync(path + part, 0o600);
  const opened = opening.move();
  return { db, isNew, ...watchFiles(path), close: () => opened.dispose() };
}

/** An open file that belongs to this process until `close`. */
export type OwnFile = ReturnType<typeof ownFile>;
