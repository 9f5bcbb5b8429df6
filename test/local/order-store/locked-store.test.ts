import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LOCAL_BUDGET_MS, STORE_CALL_MS } from '../../../shared/limits.ts';
import { type Answer, send } from '../../support/service/http-client.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

const TOKEN = '105298970535051273227533034543530274481991146667489132305873747912264388385246';
const ORDER = JSON.stringify({ token_id: TOKEN, side: 'buy', price: '0.01', size: '5', post_only: true });

/** Holds the lock of a store from another process. */
async function holdLock(path: string): Promise<() => Promise<void>> {
  const script = join(import.meta.dirname, '../../support/local/hold-lock.ts');
  const holder = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return async () => {
    holder.kill('SIGKILL');
    await once(holder, 'close');
  };
}

describe('while another process holds the file of the store', () => {
  let directory: string;
  let url: string;
  let letGo: (() => Promise<void>) | undefined;
  const place = (key?: string) => {
    const headers = { host: 'localhost', 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
    return send(url, { method: 'POST', path: '/v1/orders', headers, body: ORDER });
  };
  const timed = async (asking: Promise<Answer>) => {
    const startedAt = performance.now();
    const { status, text } = await asking;
    return { status, code: JSON.parse(text).code, timeMs: performance.now() - startedAt };
  };
  const read = (path: string) => timed(send(url, { path, headers: { host: 'localhost' } }));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'locked-store-'));
    const store = join(directory, 'orders.db');
    ({ url } = await startPaperService({ SERVICE_STORE: store }));
    // The first order makes the API credentials ready.
    await place('before');
    letGo = await holdLock(store);
  });
  afterEach(async () => {
    await letGo?.();
    await rm(directory, { recursive: true });
  });

  it('orders are refused in time, with a key or without, and no read waits', async () => {
    const keys = Array.from({ length: 12 }, (_, index) => (index % 2 ? `key-${index}` : undefined));
    const orders = Promise.all(keys.map((key) => timed(place(key))));
    let done = false;
    const ended = orders.finally(() => {
      done = true;
    });
    const others = [];
    while (!done) {
      others.push(await read('/health'), await read(`/v1/book/${TOKEN}`));
    }
    await ended;
    expect(others.length).toBeGreaterThan(30);
    expect(others.filter(({ status }) => status >= 300)).toStrictEqual([]);
    expect(others.filter(({ timeMs }) => timeMs > LOCAL_BUDGET_MS)).toStrictEqual([]);
    for (const { status, code, timeMs } of await orders) {
      expect([status, code]).toStrictEqual([503, 'store_unavailable']);
      // One call to read, one to write.
      expect(timeMs).toBeLessThan(2 * STORE_CALL_MS + LOCAL_BUDGET_MS);
    }
  });

  it('a key that was used is replayed, and a new one is served once the file is free', async () => {
    const replayed = await place('before');
    expect([replayed.status, replayed.headers['idempotency-replayed']]).toStrictEqual([201, 'true']);
    await letGo?.();
    letGo = undefined;
    expect(await timed(place('after'))).toMatchObject({ status: 201 });
  });
});
