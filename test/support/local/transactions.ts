import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Counts the transactions in the log of an SQLite file since it was last begun anew, each of which is one flush of the log.
 * The last frame of each, and no other, says how large the file is, and frames of before have another salt
 * (sqlite.org/fileformat2.html, "The Write-Ahead Log").
 */
export function transactionsIn(path: string): number {
  const log = readFileSync(`${path}-wal`);
  if (log.length === 0) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let count = 0;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    if (log.readUInt32BE(at + 4) > 0 && salt.equals(log.subarray(at + 8, at + 16))) count += 1;
  }
  return count;
}

/** Returns what changes in the log of an SQLite file whenever something is written to it. */
export function stateOfLog(path: string): string {
  return createHash('sha256')
    .update(readFileSync(`${path}-wal`))
    .digest('hex');
}
