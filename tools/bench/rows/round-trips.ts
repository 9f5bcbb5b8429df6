import type { Bench } from '../bench.ts';
import { type OneRequest, timeOne } from '../load.ts';
import { BOOK_PATH, ORDER, startService, startVenue, VENUE_DELAY_MS } from '../services.ts';

function row(name: string, figure: string) {
  const baseline = 'the fewest that can do';
  return {
    name,
    figure: `venue round trips in a row, ${figure}`,
    baseline,
    unit: 'trips',
    target: { atMost: 1 },
  } as const;
}

/** Requests that wait for one another, counted at the venue. The cold order has to obtain its API credentials too. */
export const roundTrips: Bench = {
  rows: [
    row('trips-cold-order', 'cold order'),
    row('trips-warm-order', 'warm order'),
    row('trips-book', 'book'),
    row('trips-markets', 'markets of one page'),
  ],
  async *rounds() {
    await using venue = await startVenue(VENUE_DELAY_MS);
    const count = async (url: string, init: OneRequest, expected: number, least: number) => {
      await venue.depth();
      await timeOne(url, init, expected);
      return { value: await venue.depth(), baseline: least, errors: 0 };
    };
    for (;;) {
      await using service = await startService(venue.url, { credentials: false });
      yield {
        'trips-cold-order': await count(`${service.url}/v1/orders`, ORDER, 201, 2),
        'trips-warm-order': await count(`${service.url}/v1/orders`, ORDER, 201, 1),
        'trips-book': await count(service.url + BOOK_PATH, {}, 200, 1),
        'trips-markets': await count(`${service.url}/v1/markets?limit=100`, {}, 200, 1),
      };
    }
  },
};
