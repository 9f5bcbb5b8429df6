import type { Bench } from '../bench.ts';
import { load } from '../load.ts';
import { residentMemory } from '../processes.ts';
import { BOOK_PATH, MARKETS_PATH, ORDER, startVenue } from '../services.ts';

/** Requests of a round: books mostly, one order in ten. */
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
      figure: 'resident memory after 50 000 requests',
      baseline: 'after 5 000',
      unit: 'MB',
      target: { atMost: 1.05 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    for (;;) {
      await using service = await stage.startService(venue.url);
      const [before, after] = [stage.count(5_000), stage.count(45_000)];
      const first = await use(service.url, before);
      const baseline = await residentMemory(service.pid);
      const second = await use(service.url, after);
      yield { memory: { value: await residentMemory(service.pid), baseline, errors: first + second } };
    }
  },
};

/** The cost of a long list against that of a short one. */
export const marketsGrowth: Bench = {
  rows: [
    {
      name: 'markets-500',
      figure: 'markets?limit=500 p50, venue at 0 ms',
      baseline: 'markets?limit=100',
      unit: 'ms',
      target: { atMost: 5.5 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url);
    const read = (limit: number, amount: number) =>
      load({ url: `${service.url}${MARKETS_PATH}?limit=${limit}`, amount, connections: 1 });
    await read(100, stage.count(40));
    await read(500, stage.count(40));
    const amount = stage.count(160);
    for (;;) {
      const short = await read(100, amount);
      const long = await read(500, amount);
      yield { 'markets-500': { value: long.p50, baseline: short.p50, errors: short.errors + long.errors } };
    }
  },
};
