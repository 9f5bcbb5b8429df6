import { readFileSync } from 'node:fs';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Counts the transactions in the log of an SQLite file, each of which is one flush to the disk. The last frame of each,
 * and no other, says how large the file is (sqlite.org/fileformat2.html, "The Write-Ahead Log").
 */
export function transactionsIn(path: string): number {
  const log = readFileSync(`${path}-wal`);
  if (log.length === 0) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  let count = 0;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    if (log.readUInt32BE(at + 4) > 0) count += 1;
  }
  return count;
}
