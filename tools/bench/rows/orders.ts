import { type Bench, inTurn, P50, P99, percentilesOf, ratesOf } from '../bench.ts';
import { load } from '../load.ts';
import { startOfficialClient } from '../official-client.ts';
import { ORDER, startProxy, startVenue, VENUE_DELAY_MS } from '../services.ts';
import { SIGNED_ORDER } from '../venue/signed-order.ts';

const VENUE = "the venue's own answer";
const PROXY = 'bare node:http proxy, orders';

/** Orders at a venue that takes its time: what signing and the rest add to each. */
export const orderLatency: Bench = {
  rows: [
    {
      name: 'order-p50',
      figure: 'order p50, venue at 25 ms',
      baseline: VENUE,
      unit: 'ms',
      percentiles: P50,
      target: { atMost: 1.04 },
    },
    {
      name: 'order-p99',
      figure: 'order p99, venue at 25 ms',
      baseline: `${VENUE}, p50`,
      unit: 'ms',
      percentiles: P99,
      target: { atMost: 1.25 },
    },
    {
      name: 'venue-p99',
      figure: `${VENUE}, p99`,
      baseline: 'its p50',
      unit: 'ms',
      percentiles: P99,
    },
    {
      name: 'proxy-order-p50',
      figure: `${PROXY}, p50`,
      baseline: VENUE,
      unit: 'ms',
      percentiles: P50,
    },
    {
      name: 'proxy-order-p99',
      figure: `${PROXY}, p99`,
      baseline: `${VENUE}, p50`,
      unit: 'ms',
      percentiles: P99,
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const amount = stage.percentileCount;
    const ours = (count = amount) => load({ url: `${service.url}/v1/orders`, ...ORDER, amount: count });
    const signed = (url: string, count = amount) =>
      load({ url: `${url}/order`, ...ORDER, body: SIGNED_ORDER, amount: count });
    await ours(stage.count(1_000));
    await signed(proxy.url, stage.count(1_000));
    for (;;) {
      // Side by side: both have the same moments of the machine, and it takes half the time.
      const [a, b] = await Promise.all([ours(), signed(venue.url)]);
      const [piped, direct] = await Promise.all([signed(proxy.url), signed(venue.url)]);
      yield {
        'order-p50': percentilesOf(P50, a, b),
        'order-p99': percentilesOf(P99, a, b),
        'venue-p99': percentilesOf(P99, b, b),
        'proxy-order-p50': percentilesOf(P50, piped, direct),
        'proxy-order-p99': percentilesOf(P99, piped, direct),
      };
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
      target: { atLeast: 1.3 },
    },
    {
      name: 'order-rate-100',
      figure: 'orders, 100 connections, venue at 0 ms',
      baseline: '10 connections',
      unit: 'req/s',
    },
    {
      name: 'order-venue',
      figure: 'orders, 10 connections, venue at 0 ms',
      baseline: 'the venue stub alone',
      unit: 'req/s',
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url);
    await using client = await startOfficialClient(venue.url);
    const seconds = stage.seconds(2);
    const ours = (connections = 10) => load({ url: `${service.url}/v1/orders`, ...ORDER, seconds, connections });
    const theirs = () => client.place(seconds);
    const alone = () => load({ url: `${venue.url}/order`, ...ORDER, body: SIGNED_ORDER, seconds: seconds / 2 });
    await ours();
    await theirs();
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(round, ours, theirs);
      const many = await ours(100);
      const stub = await alone();
      yield {
        'order-rate': ratesOf(a, b),
        'order-rate-100': ratesOf(many, a),
        'order-venue': ratesOf(a, stub),
      };
    }
  },
};
