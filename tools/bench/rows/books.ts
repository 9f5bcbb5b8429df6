import { type Bench, inTurn, ratesOf } from '../bench.ts';
import { load } from '../load.ts';
import { BOOK_PATH, startProxy, startService, startVenue } from '../services.ts';
import { TOKEN_ID, TOKEN_IDS } from '../venue/records.ts';

function row(name: string, figure: string, atLeast: number) {
  return { name, figure, baseline: 'bare node:http proxy', unit: 'req/s', target: { atLeast } } as const;
}

/** Books of a venue that answers at once: the rate of one core. */
export const bookRate: Bench = {
  rows: [
    row('book-rate', 'book, 10 connections, venue at 0 ms', 0.5),
    row('book-rate-distinct', 'book, each request another one, 10 connections', 0.4),
  ],
  async *rounds(extent) {
    await using venue = await startVenue(0);
    await using service = await startService(venue.url);
    await using distinctService = await startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const seconds = extent.seconds(2);
    const ours = () => load({ url: service.url + BOOK_PATH, seconds });
    const theirs = () => load({ url: `${proxy.url}/book?token_id=${TOKEN_ID}`, seconds });
    // Each connection asks for a book of its own: identical reads in flight share a call.
    const pathOf = (connection: number) => `/v1/book/${TOKEN_IDS[connection]}`;
    const distinct = () => load({ url: distinctService.url, pathOf, seconds });
    await ours();
    await theirs();
    await distinct();
    for (let round = 0; ; round += 1) {
      const [shared, proxied] = await inTurn(round, ours, theirs);
      yield { 'book-rate': ratesOf(shared, proxied), 'book-rate-distinct': ratesOf(await distinct(), proxied) };
    }
  },
};
