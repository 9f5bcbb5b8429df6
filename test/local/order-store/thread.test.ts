import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderCall } from '../../../local/order-store/sqlite-file.ts';
import { createStoreThread, type StoreThread } from '../../../local/order-store/store.ts';
import type { StoreRequest } from '../../../local/order-store/worker.ts';
import { STORE_CALL_MS } from '../../../shared/limits.ts';
import { stateOfLog, transactionsIn } from '../../support/local/transactions.ts';

const WORKER = new URL('../../../local/order-store/worker.ts', import.meta.url);
const CRASHING = new URL('../../support/local/crashing-worker.ts', import.meta.url);

const read = (key: string): OrderCall => ({ ask: 'read', key });
const create = (key: string): OrderCall => {
  return { ask: 'create', row: { key, record: `record of ${key}`, holder: 'a', expiresAt: null }, counts: [] };
};

describe('the thread of the local store', () => {
  let directory: string;
  let path: string;
  let threads: StoreThread[];
  const start = (script?: URL) => {
    const thread = createStoreThread(path, script);
    threads.push(thread);
    return thread;
  };

  /** Holds the file as another process that writes, until it is rolled back or closed. */
  const holdFile = () => {
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    return other;
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'store-thread-'));
    path = join(directory, 'data', 'orders.db');
    threads = [];
  });
  afterEach(async () => {
    await Promise.all(threads.map((thread) => thread.end()));
    rmSync(directory, { recursive: true });
  });

  it('answers calls in their order', async () => {
    const { call } = start();
    const calls = [read('a'), create('a'), create('a'), read('a')];
    const answers = await Promise.all(calls.map((each) => call(each)));
    expect(answers).toStrictEqual([undefined, 'written', 'conflict', 'record of a']);
  });

  it('fails the calls that a crash meets, and starts again with the next one, on the same file alone', async () => {
    const { call } = start(CRASHING);
    await call(create('a'));
    const met = await Promise.allSettled([call(read('crash')), call(read('a'))]);
    expect(met.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    expect(await call(read('a'))).toBe('record of a');
    await expect(call(read('crash'))).rejects.toThrow('The thread of the order store ended.');
    rmSync(join(directory, 'data'), { recursive: true });
    await expect(call(read('a'))).rejects.toThrow('restart the service');
  });

  it('keeps a group whose thread died before it could answer', async () => {
    const { call } = start(CRASHING);
    await call(create('a'));
    const keys = ['b', 'crash after', 'c'];
    const met = await Promise.allSettled(keys.map((key) => call(create(key))));
    // The first may have been a group of its own, and the last have come when the group had been made.
    expect(met[1]?.status).toBe('rejected');
    const kept = await Promise.all(keys.map((key) => call(read(key))));
    expect(kept.slice(0, 2)).toStrictEqual(['record of b', 'record of crash after']);
  });

  it('fails the calls where it cannot start', async () => {
    const { call } = start(new URL('file:///nowhere.ts'));
    await expect(call(read('a'))).rejects.toThrow('The thread of the order store failed: ');
  });

  it('gives up in time while another process holds the file, says why, and does nothing of it afterwards', async () => {
    const { call } = start();
    await call(create('a'));
    const other = holdFile();
    const startedAt = performance.now();
    const keys = ['b', 'c', 'd'];
    const writes = Promise.allSettled(keys.map((key) => call(create(key))));
    // Its queue waits, this thread does not.
    await sleep(10);
    expect(performance.now() - startedAt).toBeLessThan(STORE_CALL_MS / 2);
    const [first, ...later] = await writes;
    expect(performance.now() - startedAt).toBeLessThan(STORE_CALL_MS * 2);
    // SQLite gives up a moment before the call does; on a busy machine the call may be first.
    const message = expect.stringMatching(/^Another process holds the file|did not answer in time/);
    expect(first).toMatchObject({ status: 'rejected', reason: { message } });
    for (const write of later) expect(write.status).toBe('rejected');
    other.exec('ROLLBACK');
    other.close();
    expect(await Promise.all(keys.map((key) => call(read(key))))).toStrictEqual([undefined, undefined, undefined]);
  });

  it('answers reads while writes wait for another process, and writes them at one flush then', async () => {
    const { call } = start();
    await call(create('a'));
    const other = holdFile();
    const keys = ['b', 'c', 'd', 'e', 'f'];
    const writes = Promise.all([...keys, 'b'].map((key) => call(create(key))));
    const behind = call(read('b'));
    // Behind them in the queue: when it is answered, all of them are there.
    expect(await call(read('a'))).toBe('record of a');
    const state = stateOfLog(path);
    other.exec('ROLLBACK');
    expect(await writes).toStrictEqual([...keys.map(() => 'written'), 'conflict']);
    expect(await behind).toBe('record of b');
    expect(stateOfLog(path)).not.toBe(state);
    expect(transactionsIn(path)).toBe(1);
    other.close();
  });

  it('answers reads while more writes wait for another process than one group has, and then writes all', async () => {
    const { call } = start();
    await call(create('a'));
    const other = holdFile();
    const writes = Promise.all(Array.from({ length: 600 }, (_, index) => call(create(`key ${index}`))));
    expect(await call(read('a'))).toBe('record of a');
    other.exec('ROLLBACK');
    expect(new Set(await writes)).toStrictEqual(new Set(['written']));
    other.close();
  });

  it('writes in their order what has waited for long, more than a group of it too, and before it ends', async () => {
    const { call, end } = start();
    await call(create('a'));
    const other = holdFile();
    const keys = Array.from({ length: 300 }, (_, index) => `key ${index}`);
    const writes = Promise.all([...keys, 'key 0'].map((key) => call(create(key))));
    const ending = end();
    // Longer than one attempt waits for the lock.
    await sleep(300);
    other.exec('ROLLBACK');
    other.close();
    expect(await writes).toStrictEqual([...keys.map(() => 'written'), 'conflict']);
    await ending;
  });

  it('reads and opens while another process holds the file', async () => {
    await start().call(create('a'));
    const other = holdFile();
    expect(await start().call(read('a'))).toBe('record of a');
    other.close();
  });

  it('does not begin a call after its time', async () => {
    const worker = new Worker(WORKER, { workerData: { path } });
    const ask = async (id: number, call: OrderCall, leftMs: number) => {
      const deadlineNs = process.hrtime.bigint() + BigInt(leftMs) * 1_000_000n;
      worker.postMessage({ id, deadlineNs, call } satisfies StoreRequest);
      return (await once(worker, 'message'))[0];
    };
    const responses = [await ask(1, create('a'), 0), await ask(2, read('a'), STORE_CALL_MS)];
    await worker.terminate();
    expect(responses).toMatchObject([
      { results: [{ id: 1, failure: 'The order store came to a call after its time.' }] },
      { results: [{ id: 2, answer: undefined }], identity: expect.any(String) },
    ]);
  });

  it('fails a call that it does not come to in time', async () => {
    const { call } = start(new URL('data:text/javascript,setInterval(() => undefined, 60000)'));
    const startedAt = performance.now();
    await expect(call(read('a'))).rejects.toThrow('did not answer in time');
    expect(performance.now() - startedAt).toBeGreaterThan(STORE_CALL_MS - 50);
  });

  it('waits for the start longer than for a call: a busy machine is none that cannot open the file', async () => {
    const script = `
      import { parentPort } from 'node:worker_threads';
      const answer = ({ id }) => parentPort.postMessage({ results: [{ id, answer: 'made' }] });
      parentPort.on('message', (request) => setTimeout(answer, ${STORE_CALL_MS + 100}, request));`;
    const { call } = start(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const [opening, reading] = await Promise.allSettled([call({ ask: 'open' }), call(read('a'))]);
    expect([opening.status, reading.status]).toStrictEqual(['fulfilled', 'rejected']);
  });

  it('ends after the calls before, and takes no more', async () => {
    const { call, end } = start();
    const before = call(create('a'));
    const ending = end();
    await expect(call(create('b'))).rejects.toThrow('The order store is closed.');
    expect(await before).toBe('written');
    await ending;
    expect(await start().call(read('a'))).toBe('record of a');
    expect(await start().call(read('b'))).toBeUndefined();
  });

  it('keeps no process alive, and sees nothing of its environment', async () => {
    const script = `
      const { createStoreThread } = await import(${JSON.stringify(new URL('../../../local/order-store/store.ts', import.meta.url).href)});
      const show = 'data:text/javascript,' + encodeURIComponent(\`
        import { parentPort } from 'node:worker_threads';
        const resultOf = (id) => ({ id, answer: JSON.stringify(process.env) });
        parentPort.on('message', ({ id }) => parentPort.postMessage({ results: [resultOf(id)] }));
      \`);
      console.log(await createStoreThread('unused', new URL(show)).call({ ask: 'open' }));
    `;
    const settings = join(directory, 'settings');
    writeFileSync(settings, `SERVICE_API_SECRET=${'22'.repeat(32)}\n`);
    const args = [`--env-file=${settings}`, '--input-type=module', '--eval', script];
    const env = { PATH: process.env['PATH'], SERVICE_PRIVATE_KEY: '11'.repeat(32) };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 30_000 });
    expect(stdout).toBe('{}\n');
  });
});
