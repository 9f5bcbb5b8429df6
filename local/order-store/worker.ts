import { parentPort, workerData } from 'node:worker_threads';
import { STORE_REPORT_MS } from '../../shared/limits.ts';
import { type CallResult, createOrderFile, type OrderCall, type OrderFile, reasonOf } from './sqlite-file.ts';

/** Data that the thread is started with. */
export interface StoreThreadData {
  readonly path: string;
  /** Of the file that an earlier thread has opened. */
  readonly identity: string | undefined;
}

/** One call of the store. */
export interface StoreRequest {
  readonly id: number;
  /** By `process.hrtime`, a clock that all threads share. Not begun afterwards: its caller was told that it failed. */
  readonly deadlineNs: bigint;
  readonly call: OrderCall | { readonly ask: 'close' };
}

/** The ends of requests that ended together. */
export interface StoreResponse {
  readonly identity: string | undefined;
  readonly results: readonly CallResult[];
}

/** The writes of one group at most: the first of a crowd are answered before the last are begun. */
const MAX_WRITES = 256;

interface TimedCall extends StoreRequest {
  readonly call: OrderCall;
}

type Group = readonly TimedCall[];

/** Separates the reads that follow no write of their key from the rest: they wait for no lock and no flush. */
function part(group: Group): readonly [reads: TimedCall[], writes: TimedCall[]] {
  const [reads, writes]: [TimedCall[], TimedCall[]] = [[], []];
  const written = new Set<string>();
  let isCleaned = false;
  for (const timed of group) {
    const { call } = timed;
    const isFree = call.ask === 'open' || (call.ask === 'read' && !isCleaned && !written.has(call.key));
    (isFree ? reads : writes).push(timed);
    if ('row' in call) written.add(call.row.key);
    isCleaned ||= call.ask === 'clean';
  }
  return [reads, writes];
}

function failed(group: Group, failure: string): readonly CallResult[] {
  return group.map(({ id }) => ({ id, failure }));
}

/** Returns the milliseconds that a call has left. */
function leftOf({ deadlineNs }: TimedCall): number {
  return Number(deadlineNs - process.hrtime.bigint()) / 1e6;
}

/** Waits no longer than the first of a group can: the rest is for saying that it was in vain. */
function patienceOf(group: Group): number {
  const leftMs = Math.min(...group.map(leftOf));
  return Math.max(0, Math.floor(leftMs) - STORE_REPORT_MS);
}

/**
 * Answers requests in a thread of its own, which may wait for a lock or a disk. All that came while it did are a group,
 * and the writes of a group share one flush.
 */
function serve({ path, identity }: StoreThreadData): void {
  const file = createOrderFile(path, identity);
  const waiting: TimedCall[] = [];
  let closing: number | undefined;
  const respond = (results: readonly CallResult[]) => {
    if (results.length > 0) parentPort?.postMessage({ identity: file.identity(), results } satisfies StoreResponse);
  };
  /** Returns those that have more than a time left, and fails the others. */
  const inTime = (group: Group, leastMs: number, failure: string): Group => {
    const byTime = Map.groupBy(group, (timed) => leftOf(timed) > leastMs);
    respond(failed(byTime.get(false) ?? [], failure));
    return byTime.get(true) ?? [];
  };
  const answer = (group: Group, ask: OrderFile['read' | 'write']) => {
    if (group.length === 0) return;
    try {
      const results = ask(group, patienceOf(group));
      if (results !== 'locked') return respond(results);
      // Reads that came in the meantime are answered before the next attempt.
      waiting.unshift(...inTime(group, STORE_REPORT_MS, 'Another process holds the file of the order store.'));
    } catch (error) {
      respond(failed(group, reasonOf(error)));
    }
  };
  const work = () => {
    const [reads, writes] = part(inTime(waiting.splice(0), 0, 'The order store came to a call after its time.'));
    answer(reads, file.read);
    waiting.push(...writes.splice(MAX_WRITES));
    answer(writes, file.write);
    if (waiting.length > 0) setImmediate(work);
    else if (closing !== undefined) {
      file.close();
      respond([{ id: closing }]);
    }
  };
  parentPort?.on('message', ({ id, deadlineNs, call }: StoreRequest) => {
    // What else has come by now is in the queue of messages, and is here before the work begins.
    if (waiting.length === 0 && closing === undefined) setImmediate(work);
    if (call.ask === 'close') closing = id;
    else waiting.push({ id, deadlineNs, call });
  });
}

serve(workerData);
