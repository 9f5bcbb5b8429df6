import { type Bench, inTurn, percentilesOf } from '../bench.ts';
import { load } from '../load.ts';
import { burnCore } from '../processes.ts';
import { BOOK_PATH, ORDER, startProxy, startVenue, VENUE_BOOK_PATH, VENUE_DELAY_MS } from '../services.ts';
import { SIGNED_ORDER } from '../venue/signed-order.ts';

/** Of both sides: the machine is as busy for the proxy. */
const P99_OF_BOTH = { value: 0.99, baseline: 0.99 } as const;

function row(name: string, figure: string) {
  const baseline = 'bare node:http proxy beside the same';
  return {
    name,
    figure: `${figure} p99 beside a process that burns a core`,
    baseline,
    unit: 'ms',
    percentiles: P99_OF_BOTH,
  } as const;
}

/** The slowest percent on a machine that somebody else keeps busy, against what the machine does to a proxy. */
export const noise: Bench = {
  rows: [row('order-p99-noisy', 'order'), row('book-p99-noisy', 'book')],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    await using _neighbour = burnCore();
    const order = (amount: number) => load({ url: `${service.url}/v1/orders`, ...ORDER, amount });
    const proxied = (amount: number) => load({ url: `${proxy.url}/order`, ...ORDER, body: SIGNED_ORDER, amount });
    const book = (url: string, amount: number) => load({ url, amount, connections: 40 });
    const measure = async (round: number, amount: number) => {
      // In turn: side by side, the service would be one more noisy neighbour to the proxy.
      const orders = await inTurn(
        round,
        () => order(amount),
        () => proxied(amount),
      );
      const books = await inTurn(
        round,
        () => book(service.url + BOOK_PATH, amount),
        () => book(proxy.url + VENUE_BOOK_PATH, amount),
      );
      return {
        'order-p99-noisy': percentilesOf(P99_OF_BOTH, ...orders),
        'book-p99-noisy': percentilesOf(P99_OF_BOTH, ...books),
      };
    };
    await measure(0, stage.count(500));
    for (let round = 0; ; round += 1) yield await measure(round, stage.percentileCount);
  },
};
