import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, inTurn } from '../bench.ts';
import { timeOne } from '../load.ts';
import { placeFirstOrder } from '../official-client.ts';
import { ORDER, startService, startVenue, VENUE_DELAY_MS, type VenueStub } from '../services.ts';

/** From a clone, the service loads the venue's official client once it listens. */
const LOADED_MS = 1_500;

async function placeOurs(venue: VenueStub): Promise<number> {
  await using service = await startService(venue.url);
  await sleep(LOADED_MS);
  return await timeOne(`${service.url}/v1/orders`, ORDER, 201);
}

/** The first order of a process, without the start of the process. */
export const firstOrder: Bench = {
  rows: [
    {
      name: 'first-order',
      figure: `first order of a fresh process, venue at ${VENUE_DELAY_MS} ms`,
      baseline: 'official client, fresh process',
      unit: 'ms',
      target: { atMost: 0.7 },
    },
  ],
  async *rounds(extent) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    const repeats = extent.count(3);
    for (let round = 0; ; round += 1) {
      // Warms up the venue and the load generator.
      await placeFirstOrder(venue.url);
      let [value, baseline, errors] = [0, 0, 0];
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const [ours, theirs] = await inTurn(
          round + repeat,
          () => placeOurs(venue),
          () => placeFirstOrder(venue.url),
        );
        value += ours / repeats;
        baseline += theirs.order / repeats;
        errors += theirs.errors;
      }
      yield { 'first-order': { value, baseline, errors } };
    }
  },
};
