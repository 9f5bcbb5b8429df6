import type { Writable } from 'node:stream';
import { errorCode } from './node-error.ts';

/** The levels of the log, the least urgent first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Events that an alarm waits for, whatever was answered: a deployment counts their lines (infra/monitoring/metrics.ts). */
export type CountedEvent =
  | 'unreadable_keys'
  | 'foreign_keys'
  | 'wrong_clocks'
  | 'contradicted_records'
  | 'lease_faults'
  | 'daily_cap_warnings';

type Fields = Readonly<Record<string, unknown>> & { readonly metric?: CountedEvent };

type WriteFields = (message: string, fields?: Fields) => void;

/** Writes one JSON object a line. An `Error` among the fields becomes name, code, message and causes. */
export interface Log extends Readonly<Record<LogLevel, WriteFields>> {
  /** Writes at level `info` whatever the threshold: the trace of an order must not depend on a setting. */
  readonly audit: WriteFields;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly write?: ((line: string) => unknown) | undefined;
  readonly now?: () => number;
}

/** The maximum number of causes: bounds a cycle. */
const MAX_CAUSES = 5;

function describeError(error: Error, depth: number): Readonly<Record<string, unknown>> {
  const { cause } = error;
  const code = errorCode(error);
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    message: error.message,
    ...(error.name !== 'AppError' && { stack: error.stack }),
    ...(cause instanceof Error && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

function replacer(_key: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value, 0);
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Returns true for fields that JSON writes as they are: the replacer would visit each of them (2 % of the time of a book). */
function isPlain(fields: Fields): boolean {
  return Object.values(fields).every((value) => value === null || !['object', 'bigint'].includes(typeof value));
}

/** Bytes that are kept in memory for a reader that has stopped reading. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

type Write = (line: string) => void;

/**
 * Writes lines to a stream whose reader may stop or go away. Drops lines that it cannot write, so that a full log fails no
 * order.
 */
export function createLineWriter(stream: Writable, maxUnreadBytes = MAX_UNREAD_BYTES): Write {
  // Without a listener an error of the stream ends the process.
  stream.on('error', () => undefined);
  return (line) => {
    if (stream.writableLength <= maxUnreadBytes) stream.write(`${line}\n`);
  };
}

/** Node writes to a terminal synchronously: a session that nobody reads would stop the service. */
function neverWaitForTerminal(): void {
  const handle: unknown = process.stdout.isTTY && Reflect.get(process.stdout, '_handle');
  if (typeof handle !== 'object' || !handle || !('setBlocking' in handle)) return;
  if (typeof handle.setBlocking === 'function') handle.setBlocking(false);
}

let stdout: Write | undefined;

/** Writes a line of the log to the standard output, which it opens with the first line. */
function writeToStdout(line: string): void {
  if (!stdout) {
    neverWaitForTerminal();
    process.stderr.on('error', () => undefined);
    stdout = createLineWriter(process.stdout);
  }
  stdout(line);
}

/** Creates a log of the lines from `level` on; `write` takes each without its line end. `now` is in epoch milliseconds. */
export function createLog({ level, write = writeToStdout, now = Date.now }: LogOptions): Log {
  const threshold = LOG_LEVELS.indexOf(level);
  const at =
    (index: number, name: LogLevel) =>
    (message: string, fields: Fields = {}) => {
      if (index < threshold) return;
      const line = { time: new Date(now()).toISOString(), level: name, message, ...fields };
      write(JSON.stringify(line, isPlain(fields) ? undefined : replacer));
    };
  const always = LOG_LEVELS.length;
  return {
    debug: at(0, 'debug'),
    info: at(1, 'info'),
    warn: at(2, 'warn'),
    error: at(3, 'error'),
    audit: at(always, 'info'),
  };
}
