import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../shared/settings/formats.ts';
import { DeskError } from './access.ts';
import type { OrderEvent } from './follow-state.ts';
import type { Place } from './place.ts';

/** An event that waits for the receiver of a webhook. Times are in milliseconds of the Unix epoch. */
export interface Waiting {
  readonly id: string;
  readonly body: string;
  /** The attempts so far. */
  readonly attempts: number;
}

/** The events that wait for the receiver of a webhook. */
export interface Queue {
  /** Adds events; returns how many of the oldest had to go, since the queue is bounded. */
  add(events: readonly OrderEvent[], now: number): number;
  /** Returns the event whose attempt is due. */
  next(now: number): Waiting | undefined;
  postpone(id: string, due: number): void;
  remove(id: string): void;
  clear(): void;
}

/** Some 60 MB. */
const MOST_WAITING = 100_000;

const SET_UP = `
  CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS queue (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS queue_by_due ON queue (due);
`;

/** Opens the file of a follower; a new one gets mode 0600. It has the place, and the queue of a webhook. */
export function openFollowFile(path: string): { readonly place: Place; readonly queue: Queue; close(): void } {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    const db = new DatabaseSync(path, { timeout: 5_000 });
    db.exec(SET_UP);
    return { place: placeIn(db), queue: queueIn(db), close: () => db.close() };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    throw new ConfigError(`The file of the follower (${path}) cannot be used: ${why}.`, { cause });
  }
}

function placeIn(db: DatabaseSync): Place {
  return {
    load: () => {
      const row = db.prepare('SELECT state FROM place').get();
      return row && String(row['state']);
    },
    save: (text) => void db.prepare('INSERT OR REPLACE INTO place VALUES (1, ?)').run(text),
  };
}

function queueIn(db: DatabaseSync): Queue {
  return {
    add(events, now) {
      const insert = db.prepare('INSERT OR IGNORE INTO queue (id, body, due, attempts) VALUES (?, ?, ?, 0)');
      const bound = db.prepare('DELETE FROM queue WHERE number <= (SELECT max(number) FROM queue) - ?');
      try {
        db.exec('BEGIN IMMEDIATE');
        for (const event of events) insert.run(event.id, JSON.stringify(event), now);
        const { changes } = bound.run(MOST_WAITING);
        db.exec('COMMIT');
        return Number(changes);
      } catch (cause) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw new DeskError('The queue of the receiver cannot be written: its events are told later.', { cause });
      }
    },
    next(now) {
      const row = db
        .prepare('SELECT id, body, attempts FROM queue WHERE due <= ? ORDER BY due, number LIMIT 1')
        .get(now);
      return row && { id: String(row['id']), body: String(row['body']), attempts: Number(row['attempts']) };
    },
    postpone: (id, due) =>
      void db.prepare('UPDATE queue SET due = ?, attempts = attempts + 1 WHERE id = ?').run(due, id),
    remove: (id) => void db.prepare('DELETE FROM queue WHERE id = ?').run(id),
    clear: () => void db.exec('DELETE FROM queue'),
  };
}
