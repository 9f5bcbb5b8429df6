import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { STORE_CALL_MS, STORE_OPEN_MS } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import {
  decodeRecord,
  encodeRecord,
  holderOf,
  type OrderRecord,
  type OrderStore,
  type Written,
} from '../../shared/orders/record.ts';
import type { OrderAnswer, OrderCall, OrderRow } from './sqlite-file.ts';
import type { StoreRequest, StoreResponse, StoreThreadData } from './worker.ts';

/** The file of a store, and its clocks. */
export interface OrderStoreSettings {
  /** Path of the database file; its directory is made where it is missing. */
  readonly path: string;
  readonly log: Log;
  /** Our wall clock, in milliseconds of the Unix epoch. */
  readonly now?: () => number;
  /** A monotonic clock in milliseconds. */
  readonly uptime?: () => number;
}

/** A store on a file. `close` is for an orderly end; none is needed for durability. */
export interface FileOrderStore extends OrderStore {
  /** Opens the file before it is needed. Returns `made` for a new one, which knows no earlier key. */
  open(): Promise<'made' | 'found'>;
  close(): Promise<void>;
}

/** Expired rows are small and nothing depends on their end: they are removed once an hour. */
const CLEANING_INTERVAL_MS = 3_600_000;

function toRow(key: string, record: OrderRecord): OrderRow {
  const expiresAt = record.state === 'finished' ? record.keepUntil : null;
  return { key, record: encodeRecord(record), holder: holderOf(record) ?? null, expiresAt };
}

function toWritten(answer: OrderAnswer): Written {
  if (answer === 'written' || answer === 'conflict' || typeof answer === 'object') return answer;
  throw new Error('the thread of the order store gave the answer to another call');
}

/**
 * Keeps orders in an SQLite file, in a thread of its own: a disk that is slow, or another process that holds the file,
 * delays only the calls of the store. A file that cannot be opened or used does not stop the service: each call fails,
 * and the next one opens the file again.
 */
export function openOrderStore(settings: OrderStoreSettings): FileOrderStore {
  const { path, log, now = Date.now, uptime = () => performance.now() } = settings;
  const { call, end } = createStoreThread(path);
  let cleanedAt: number | undefined;
  /** A clock that is ahead would remove keys before their time, for good: the earlier of two has to have passed it. */
  const clean = async (record: OrderRecord) => {
    const time = uptime();
    if (cleanedAt !== undefined && time - cleanedAt < CLEANING_INTERVAL_MS) return;
    cleanedAt = time;
    await call({ ask: 'clean', beforeMs: Math.min(record.signedAt.venue, record.signedAt.own, now()) }).catch(
      (error: unknown) => log.warn('expired keys not removed', { error }),
    );
  };
  return {
    outlivesAnswers: true,
    open: async () => ((await call({ ask: 'open' })) === 'made' ? 'made' : 'found'),
    read: async (key) => {
      const text = await call({ ask: 'read', key });
      return typeof text === 'string' ? decodeRecord(text) : undefined;
    },
    create: async (key, record, counts = []) => {
      const created = call({ ask: 'create', row: toRow(key, record), counts });
      // Behind it in the queue, and not awaited.
      void clean(record);
      return toWritten(await created);
    },
    replace: async (key, record, expected, counts = []) =>
      toWritten(await call({ ask: 'replace', row: toRow(key, record), expected, counts })),
    countedOn: async (day) => {
      const units = await call({ ask: 'counted', day });
      return typeof units === 'bigint' ? units : 0n;
    },
    close: end,
  };
}

/** Returns the environment of a thread: it keeps what Node compiles where this one does, and starts in half the time. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

/**
 * The thread makes few new objects. Without these it would take the 16 MB that `npm start` gives the requests: 20 MB more
 * after 50,000 of them. What runs already keeps what it has.
 */
const SMALL_YOUNG_SPACE = ['--min-semi-space-size=1', '--max-semi-space-size=1'] as const;

type Waiting = PromiseWithResolvers<OrderAnswer> & { readonly timer: NodeJS.Timeout };

/** Starts the thread, and another one with the first call after a crash. `script` is for tests. */
export function createStoreThread(
  path: string,
  // The package has both files as JavaScript.
  script: URL = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url),
) {
  let identity: string | undefined;
  let lastId = 0;
  let ended = false;
  const start = () => {
    const workerData: StoreThreadData = { path, identity };
    // Without the environment and the flags that would read a file of it: it has no use for the wallet key.
    for (const option of SMALL_YOUNG_SPACE) setFlagsFromString(option);
    const worker = new Worker(script, { workerData, env: compileCache(), execArgv: [] });
    const waiting = new Map<number, Waiting>();
    const settle = (id: number, finish: (call: Waiting) => void) => {
      const call = waiting.get(id);
      if (!call) return;
      waiting.delete(id);
      clearTimeout(call.timer);
      finish(call);
    };
    const fail = (reason: string) => {
      if (running?.worker === worker) running = undefined;
      for (const id of waiting.keys()) settle(id, ({ reject }) => reject(new Error(reason)));
    };
    worker.on('message', ({ identity: seen, results }: StoreResponse) => {
      identity = seen;
      for (const { id, answer, failure } of results) {
        settle(id, ({ resolve, reject }) => (failure === undefined ? resolve(answer) : reject(new Error(failure))));
      }
    });
    worker.on('error', (error: Error) => fail(`The thread of the order store failed: ${error.message}`));
    worker.on('exit', () => fail('The thread of the order store ended.'));
    // A process that has nothing else to do does not wait for it. Last, since a listener undoes it.
    worker.unref();
    const request = (call: StoreRequest['call']): Promise<OrderAnswer> => {
      lastId += 1;
      const id = lastId;
      const late = () => settle(id, ({ reject }) => reject(new Error('The order store did not answer in time.')));
      const settled = Promise.withResolvers<OrderAnswer>();
      const limitMs = call.ask === 'open' ? STORE_OPEN_MS : STORE_CALL_MS;
      waiting.set(id, { ...settled, timer: setTimeout(late, limitMs) });
      const deadlineNs = process.hrtime.bigint() + BigInt(limitMs) * 1_000_000n;
      worker.postMessage({ id, deadlineNs, call } satisfies StoreRequest);
      return settled.promise;
    };
    return { worker, request };
  };
  let running: ReturnType<typeof start> | undefined = start();
  return {
    /** Settles within `STORE_CALL_MS`, and `open` within `STORE_OPEN_MS`; a call that failed may or may not have been done. */
    call: async (call: OrderCall): Promise<OrderAnswer> => {
      if (ended) throw new Error('The order store is closed.');
      running ??= start();
      return running.request(call);
    },
    /** Ends the thread after the calls before; those after it fail. */
    end: async (): Promise<void> => {
      ended = true;
      if (!running) return;
      const { worker, request } = running;
      // A thread that does not come to it waits for a disk or a lock, and would keep the stop waiting too.
      const closed = await request({ ask: 'close' }).then(
        () => true,
        () => false,
      );
      const terminated = worker.terminate();
      if (closed) await terminated;
    },
  };
}

/** A file of orders in a thread of its own. */
export type StoreThread = ReturnType<typeof createStoreThread>;
