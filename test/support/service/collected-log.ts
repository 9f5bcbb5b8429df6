import { createLog, type Log, type LogOptions } from '../../../shared/log.ts';

/** A log and the lines that were written to it. */
export interface CollectedLog {
  readonly log: Log;
  /** The lines that were written, parsed. */
  readonly lines: Record<string, unknown>[];
}

/** A log that keeps its lines; all of them by default. */
export function collectLog(options: Partial<LogOptions> = {}): CollectedLog {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { log: createLog({ level: 'debug', write, now: () => 0, ...options }), lines };
}
