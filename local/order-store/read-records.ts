import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { STORE_CALL_MS } from '../../shared/limits.ts';
import { LAYOUT } from './sqlite-file.ts';

/**
 * Reads the encoded records of a file of orders, also beside a service that is at work on it: nothing is written, and no
 * writer waits. Throws where there is no such file, or it is of another layout.
 */
export function* readRecordTexts(path: string): Generator<string, void> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new Error('there is no such file');
  using db = new DatabaseSync(path, { readOnly: true, timeout: STORE_CALL_MS });
  const layout = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (layout !== LAYOUT) throw new Error(`it has layout ${layout}, not ${LAYOUT}`);
  for (const { record } of db.prepare('SELECT record FROM orders').iterate()) yield String(record);
}
