import { type Bench, inTurn, type Percentile, percentilesOf, ratesOf } from '../bench.ts';
import { load } from '../load.ts';
import { startOfficialClient } from '../official-client.ts';
import { ORDER, startProxy, startVenue, VENUE_DELAY_MS } from '../services.ts';
import { SIGNED_ORDER } from '../venue/signed-order.ts';

const PATH = '/v1/orders';

function latency(name: string, percentile: Percentile, atMost: number) {
  return {
    name: `order-${name}`,
    figure: `order ${name}, venue at ${VENUE_DELAY_MS} ms`,
    baseline: `bare node:http proxy, ${name}`,
    unit: 'ms',
    percentile,
    target: { atMost },
  } as const;
}

/** Orders at a venue that takes its time: what signing and the rest add to the hop that any service before it is. */
export const orderLatency: Bench = {
  rows: [latency('p50', 0.5, 1.05), latency('p99', 0.99, 1.15)],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const ours = (amount: number) => load({ url: service.url + PATH, ...ORDER, amount });
    const theirs = (amount: number) => load({ url: `${proxy.url}/order`, ...ORDER, body: SIGNED_ORDER, amount });
    await ours(stage.count(1_000));
    await theirs(stage.count(1_000));
    for (let round = 0; ; round += 1) {
      // In turn: side by side, the service would take the proxy's processor time and be excused by it.
      const loads = await inTurn(
        round,
        () => ours(stage.percentileCount),
        () => theirs(stage.percentileCount),
      );
      yield { 'order-p50': percentilesOf(0.5, ...loads), 'order-p99': percentilesOf(0.99, ...loads) };
    }
  },
};

/** Orders at a venue that answers at once: what a core can do. */
export const orderRate: Bench = {
  rows: [
    {
      name: 'order-rate',
      figure: 'orders, 10 connections, venue at 0 ms',
      baseline: 'official client in process',
      unit: 'req/s',
      target: { atLeast: 1.5 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url);
    await using client = await startOfficialClient(venue.url);
    const seconds = stage.seconds(2);
    const ours = () => load({ url: service.url + PATH, ...ORDER, seconds });
    const theirs = () => client.place(seconds);
    await ours();
    await theirs();
    for (let round = 0; ; round += 1) yield { 'order-rate': ratesOf(...(await inTurn(round, ours, theirs))) };
  },
};

/** The cost of an idempotency key, with the store on a file as usual. */
export const keyedOrderRate: Bench = {
  rows: [
    {
      name: 'order-rate-keyed',
      figure: 'keyed orders, 10 connections, venue at 0 ms',
      baseline: 'orders without a key',
      unit: 'req/s',
      target: { atLeast: 0.7 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url);
    let keys = 0;
    const headersOf = () => {
      keys += 1;
      return { 'idempotency-key': `bench-${keys}` };
    };
    const unkeyed = (seconds: number) => load({ url: service.url + PATH, ...ORDER, seconds });
    const keyed = (seconds: number) => load({ url: service.url + PATH, ...ORDER, seconds, headersOf });
    await unkeyed(stage.seconds(1));
    await keyed(stage.seconds(1));
    const seconds = stage.seconds(3);
    for (let round = 0; ; round += 1) {
      const loads = await inTurn(
        round,
        () => keyed(seconds),
        () => unkeyed(seconds),
      );
      yield { 'order-rate-keyed': ratesOf(...loads) };
    }
  },
};
