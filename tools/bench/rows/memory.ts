import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWatchedService } from '../../support/watched.ts';
import type { Bench } from '../bench.ts';
import { load } from '../load.ts';
import { BOOK_PATH, ORDER, serviceEnv, startVenue } from '../services.ts';

/** Sends requests: books mostly, one order in ten. Returns the errors. */
async function use(url: string, amount: number): Promise<number> {
  const books = await load({ url: url + BOOK_PATH, amount: amount * 0.9 });
  const orders = await load({ url: `${url}/v1/orders`, ...ORDER, amount: amount * 0.1 });
  return books.errors + orders.errors;
}

/** The growth of memory in a long run. */
export const memory: Bench = {
  rows: [
    {
      name: 'memory',
      figure: 'heap after 50 000 requests and a collection',
      baseline: 'after 5 000',
      unit: 'MB',
      target: { atMost: 1.02 },
    },
  ],
  async *rounds(extent) {
    await using venue = await startVenue(0);
    for (;;) {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-memory-'));
      const env = {
        ...serviceEnv(venue.url),
        SERVICE_STORE: join(folder.path, 'orders.db'),
        SERVICE_LOG_LEVEL: 'error',
      };
      using service = await startWatchedService(env);
      const first = await use(service.url, extent.count(5_000));
      const baseline = (await service.look()).heapBytes / 1e6;
      const second = await use(service.url, extent.count(45_000));
      yield { memory: { value: (await service.look()).heapBytes / 1e6, baseline, errors: first + second } };
    }
  },
};
