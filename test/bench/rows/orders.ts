import { type Bench, inTurn } from '../bench.ts';
import { load } from '../load.ts';
import { startOfficialClient } from '../official-client.ts';
import { ORDER, startVenue, VENUE_DELAY } from '../services.ts';
import { SIGNED_ORDER } from '../venue/signed-order.ts';

const VENUE = "the venue's own answer";

/** Orders at a venue that takes its time: what signing and the rest add to each. */
export const orderLatency: Bench = {
  rows: [
    { name: 'order-p50', figure: 'order p50, venue at 25 ms', baseline: VENUE, unit: 'ms', target: { atMost: 1.1 } },
    { name: 'order-p99', figure: 'order p99, venue at 25 ms', baseline: VENUE, unit: 'ms', target: { atMost: 1.5 } },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY);
    await using service = await stage.startService(venue.url);
    const seconds = stage.seconds(3);
    const ours = () => load({ url: `${service.url}/v1/orders`, ...ORDER, seconds });
    const theirs = () => load({ url: `${venue.url}/order`, ...ORDER, body: SIGNED_ORDER, seconds });
    await ours();
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(round, ours, theirs);
      const errors = a.errors + b.errors;
      // The venue's p50 in both: a slow answer of the load generator must not excuse one of ours.
      yield {
        'order-p50': { value: a.p50, baseline: b.p50, errors },
        'order-p99': { value: a.p99, baseline: b.p50, errors },
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
      target: { atLeast: 1 },
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
    const seconds = stage.seconds(3);
    const ours = () => load({ url: `${service.url}/v1/orders`, ...ORDER, seconds });
    const theirs = () => client.place(seconds);
    const alone = () => load({ url: `${venue.url}/order`, ...ORDER, body: SIGNED_ORDER, seconds: seconds / 2 });
    await ours();
    await theirs();
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(round, ours, theirs);
      const stub = await alone();
      yield {
        'order-rate': { value: a.rate, baseline: b.rate, errors: a.errors + b.errors },
        'order-venue': { value: a.rate, baseline: stub.rate, errors: a.errors + stub.errors },
      };
    }
  },
};
