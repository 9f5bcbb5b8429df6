import {
  type BigIntStats,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * A store is three files: the main one, its log (`-wal`), which has what was written last, and the index of the log
 * (`-shm`), by which processes that share the store see each other's writes. They belong together: a process that has
 * another log or index than the rest knows other keys than they do.
 */
export const BESIDE = ['-wal', '-shm'] as const;

/** SQLite makes the index in pieces of this size and maps them: to touch one that was cut off ends the process. */
const INDEX_BYTES = 32_768;

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** Returns the system's identity of a file, which tells it from a file that replaced it. */
function nameOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Returns the identity of a main file; `undefined` if there is none, or it was emptied. */
export function identify(path: string): string | undefined {
  const stats = look(path);
  // One that was opened has a page at least.
  return stats && stats.size > 0n ? nameOf(stats) : undefined;
}

/**
 * Makes a directory and those above it. Not Node's `recursive`: where a file system answers ENOENT to every new
 * directory, as /proc does, it never ends.
 */
export function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

const SAVED = '-saved';

/**
 * Writes all that an open store has to a file beside its place, where its main file was removed. Returns true once it is
 * there; else it may be another process that shares the store and saves it.
 */
export function saveRemoved(db: DatabaseSync, path: string): boolean {
  if (look(path)) return false;
  try {
    // It may have gone with its directory.
    makeDirectory(dirname(path));
    closeSync(openSync(path + SAVED, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(path + SAVED);
    return true;
  } catch {
    return false;
  }
}

/** Restores the main file from what was saved. */
export function putBack(path: string): void {
  if (!look(path) && !BESIDE.some((suffix) => look(path + suffix))) renameSync(path + SAVED, path);
}

/** Leaves a log beside a main file that was emptied: SQLite removes it, and the next start would find a new store. */
export function keepTrace(path: string): void {
  if (!look(path) || identify(path) !== undefined) return;
  closeSync(openSync(`${path}-wal`, 'a', 0o600));
}

/** Throws if the main file is gone but its other files are not: a new main file would know no key. */
export function requireMainFile(path: string): void {
  if (identify(path) !== undefined || ![...BESIDE, SAVED].some((suffix) => look(path + suffix))) return;
  throw new Error(
    'it is gone or empty, and its -wal, -shm or -saved is still there: put it back, or remove these too to forget every key',
  );
}

/**
 * Remembers log and index of a store that was just opened. `frames` counts the frames of the log by its index, and throws
 * where they cannot be read.
 */
export function rememberLog(path: string, frames: () => number) {
  const namesNow = () => BESIDE.map((suffix) => look(path + suffix)).map((stats) => stats && nameOf(stats));
  const names = namesNow();
  const sizeOf = (suffix: (typeof BESIDE)[number]) => look(path + suffix)?.size ?? 0n;
  // It was cut off by a process that had moved all of it into the main file, or by somebody else.
  const wasEmptied = () => {
    try {
      return sizeOf('-wal') === 0n && frames() > 0;
    } catch {
      return true;
    }
  };
  return {
    /** Returns true while both are those of the opening, and neither was emptied. */
    isIntact: () =>
      namesNow().every((name, index) => name !== undefined && name === names[index]) &&
      sizeOf('-shm') >= INDEX_BYTES &&
      !wasEmptied(),
    /** Makes an index that was cut off long enough to be touched. */
    mend: () => {
      if (namesNow()[1] === names[1] && sizeOf('-shm') < INDEX_BYTES) truncateSync(`${path}-shm`, INDEX_BYTES);
    },
    /** Removes both, where they are those of the opening. */
    remove: () => {
      for (const [index, suffix] of BESIDE.entries()) {
        const name = namesNow()[index];
        if (name !== undefined && name === names[index]) unlinkSync(path + suffix);
      }
    },
  };
}

const PAUSE_MS = 20;
/** Longer than a process takes to open or to close the file. */
const MOST_PATIENCE_MS = 1_000;

const SQLITE_BUSY = 5;

/** Returns true for the error of a call that waited in vain for another process. */
export function isBusy(error: unknown): boolean {
  return Error.isError(error) && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** Returns true if no other process has a main file open. It then holds the file for a moment, as its only user. */
function isUnused(path: string): boolean {
  using db = new DatabaseSync(path, { timeout: 0 });
  try {
    // In this mode SQLite opens a file with a log only where nobody else has it open.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return true;
  } catch (error) {
    // What else is wrong with the file is said when it is opened.
    return !isBusy(error);
  }
}

/**
 * Throws where another process is at work on the main file, and its log or index is not beside it any more: what it
 * wrote last would not be seen. Waits no longer than `patienceMs` for one that is just opening or closing the file.
 */
export function requireSharedLog(path: string, patienceMs: number): void {
  if (identify(path) === undefined) return;
  const end = performance.now() + Math.min(patienceMs, MOST_PATIENCE_MS);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!BESIDE.every((suffix) => look(path + suffix)) && !isUnused(path)) {
    if (performance.now() > end) {
      throw new Error(
        'Another process is at work on the file of the order store, and the -wal or -shm beside it was removed: stop that process first.',
      );
    }
    Atomics.wait(pause, 0, 0, PAUSE_MS);
  }
}
