import { getCompileCacheDir } from 'node:module';
import { dirname, extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { STORE_CALL_MS, STORE_OPEN_MS } from '../../shared/limits.ts';
import type { CallResult, OrderAnswer, OrderCall } from './sqlite-file.ts';

/** Facts that a thread is started with. */
export interface StoreThreadData {
  readonly path: string;
  /** Of the file that an earlier thread has opened. */
  readonly identity: string | undefined;
}

export interface StoreRequest {
  readonly id: number;
  /** By `monotonicMs`. Not begun afterwards: its caller has been told that it failed. */
  readonly deadlineMs: number;
  readonly call: OrderCall | { readonly ask: 'close' };
}

/** The ends of requests that ended together. */
export interface StoreResponse {
  readonly identity: string | undefined;
  readonly results: readonly CallResult[];
}

/** A file of orders in a thread of its own. */
export interface StoreThread {
  /** Settles within `STORE_CALL_MS`, and `open` within `STORE_OPEN_MS`; a call that failed may or may not have been done. */
  call(call: OrderCall): Promise<OrderAnswer>;
  /** Ends the thread after the calls before; those after it fail. */
  end(): Promise<void>;
}

/** Tells the time by a clock that all threads share and nobody sets. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Has a thread keep what Node compiles where this one does: it starts in half the time. */
function compileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

type Waiting = PromiseWithResolvers<OrderAnswer> & { readonly timer: NodeJS.Timeout };

/** Starts the thread, and another one with the first call after a crash. `script` is for tests. */
export function createStoreThread(
  path: string,
  // The package has both files as JavaScript.
  script: URL = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url),
): StoreThread {
  let identity: string | undefined;
  let lastId = 0;
  let ended = false;
  const start = () => {
    const workerData: StoreThreadData = { path, identity };
    // Without the environment and the flags that would read a file of it: the wallet key is none of its business.
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
      worker.postMessage({ id, deadlineMs: monotonicMs() + limitMs, call } satisfies StoreRequest);
      return settled.promise;
    };
    return { worker, request };
  };
  let running: ReturnType<typeof start> | undefined = start();
  return {
    call: async (call) => {
      if (ended) throw new Error('The order store is closed.');
      running ??= start();
      return running.request(call);
    },
    end: async () => {
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
