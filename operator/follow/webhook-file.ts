import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivate, takeLock } from '../../local/file-store/store.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { formatTime } from '../../shared/time.ts';
import type { OrderEvent } from './event.ts';
import { decodeState, type FollowState, newState, type SavedState } from './state.ts';

/** An event that waits for the receiver. Times are in milliseconds of the Unix epoch. */
export interface Waiting {
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
  /** The time of the next attempt. */
  readonly due: number;
}

const SET_UP = `
  CREATE TABLE IF NOT EXISTS states (account TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS queue (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS queue_by_due ON queue (due);
`;

/** Takes the lock of a file and opens it; a new one gets mode 0600. Throws `ConfigError`. */
function openFile(path: string) {
  try {
    // Creates the folder: the service may never have run.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    using opening = new DisposableStack();
    opening.use(takeLock(`${path}.lock`, 'stop that process: a store has one webhook'));
    createPrivate(path);
    const db = opening.use(new DatabaseSync(path, { timeout: 1_000 }));
    db.exec(SET_UP);
    return { db, opened: opening.move() };
  } catch (cause) {
    const why = Error.isError(cause) ? cause.message : 'unknown';
    const fix = /malformed|not a database/.test(why) ? '; move it away and start over with --since' : '';
    throw new ConfigError(`The file of the webhook (${path}) cannot be used: ${why}${fix}.`, { cause });
  }
}

/**
 * Opens what a webhook keeps beside the store: the state of each account that was followed, and the events that wait for the
 * receiver. Its calls throw what SQLite throws, such as for a full disk, and have changed nothing then.
 */
export function openWebhookFile(path: string) {
  const { db, opened } = openFile(path);
  const get = db.prepare('SELECT revision, state FROM states WHERE account = ?');
  const put = db.prepare('INSERT OR REPLACE INTO states VALUES (?, ?, ?)');
  const insert = db.prepare('INSERT OR IGNORE INTO queue (id, body, due, attempts) VALUES (?, ?, ?, 0)');
  const first = db.prepare('SELECT id, body, attempts, due FROM queue ORDER BY due, number LIMIT 1');
  const later = db.prepare('UPDATE queue SET due = ?, attempts = attempts + 1 WHERE id = ?');
  const remove = db.prepare('DELETE FROM queue WHERE id = ?');
  return {
    load(account: string): SavedState | undefined {
      const row = get.get(account);
      return row && { revision: Number(row['revision']), text: String(row['state']) };
    },
    /** Saves a state and adds its events, both or neither. */
    save(account: string, { revision, text }: SavedState, events: readonly OrderEvent[]): void {
      try {
        db.exec('BEGIN IMMEDIATE');
        for (const event of events) insert.run(event.id, JSON.stringify(event), Date.now());
        put.run(account, revision, text);
        db.exec('COMMIT');
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
    /** Returns the event that is due first. */
    next(): Waiting | undefined {
      const row = first.get();
      if (!row) return undefined;
      const [attempts, due] = [Number(row['attempts']), Number(row['due'])];
      return { id: String(row['id']), body: String(row['body']), attempts, due };
    },
    postpone: (id: string, due: number) => void later.run(due, id),
    remove: (id: string) => void remove.run(id),
    clear: () => void db.exec('DELETE FROM queue'),
    close: () => opened.dispose(),
  };
}

export type WebhookFile = ReturnType<typeof openWebhookFile>;

/**
 * Loads the state of an account; a new account starts now, and any account at `since` if given. Throws `ConfigError` for a
 * damaged one.
 */
export function openState(file: WebhookFile, account: string, since: number | undefined): FollowState {
  const saved = file.load(account);
  if (!saved || since !== undefined) return newState(since, saved?.revision);
  const state = decodeState(saved);
  if (state) return state;
  throw new ConfigError(
    `The saved state of the follower is damaged, or of another version. Start over with --since ${formatTime(saved.revision)}.`,
  );
}
