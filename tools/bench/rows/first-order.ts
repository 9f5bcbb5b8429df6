import { type Bench, inTurn, type Stage } from '../bench.ts';
import { timeOne } from '../load.ts';
import { placeFirstOrder } from '../official-client.ts';
import { ORDER, startVenue, VENUE_DELAY_MS, type VenueStub } from '../services.ts';

const CLIENT = 'official client, fresh process';

async function placeOurs(stage: Stage, venue: VenueStub) {
  const startedAt = performance.now();
  await using service = await stage.startService(venue.url);
  const order = await timeOne(`${service.url}/v1/orders`, ORDER, 201);
  return { order, whole: performance.now() - startedAt };
}

/** The first order of a process that has placed none: alone, and with the start of the process. */
export const firstOrder: Bench = {
  rows: [
    {
      name: 'first-order',
      figure: 'first order of a fresh process, venue at 25 ms',
      baseline: CLIENT,
      unit: 'ms',
      target: { atMost: 0.5 },
    },
    {
      name: 'first-order-whole',
      figure: 'first order with the start of its process',
      baseline: CLIENT,
      unit: 'ms',
      withStart: true,
    },
  ],
  async *rounds(stage: Stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    const repeats = stage.count(3);
    for (let round = 0; ; round += 1) {
      // The venue's and the load generator's own first requests are not what is measured.
      await placeFirstOrder(venue.url);
      const samples = [];
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        samples.push(
          await inTurn(
            round + repeat,
            () => placeOurs(stage, venue),
            () => placeFirstOrder(venue.url),
          ),
        );
      }
      const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
      const errors = samples.reduce((sum, [, { errors: failed }]) => sum + failed, 0);
      yield {
        'first-order': {
          value: mean(samples.map(([a]) => a.order)),
          baseline: mean(samples.map(([, b]) => b.order)),
          errors,
        },
        'first-order-whole': {
          value: mean(samples.map(([a]) => a.whole)),
          baseline: mean(samples.map(([, b]) => b.whole)),
          errors,
        },
      };
    }
  },
};
