import { createLog, type Log } from '../../../shared/log.ts';

export interface CollectedLog {
  readonly log: Log;
  /** What was written, parsed. */
  readonly lines: Record<string, unknown>[];
}

/** A log that keeps its lines. */
export function collectLog(): CollectedLog {
  const lines: Record<string, unknown>[] = [];
  return { log: createLog({ level: 'debug', write: (line) => lines.push(JSON.parse(line)), now: () => 0 }), lines };
}
