import { type Bench, inTurn, type Samples } from '../bench.ts';
import { type LoadResult, load } from '../load.ts';
import {
  BOOK_PATH,
  MARKETS_PATH,
  startProxy,
  startVenue,
  VENUE_BOOK_PATH,
  VENUE_DELAY,
  VENUE_MARKETS_PATH,
} from '../services.ts';
import { TOKEN_IDS } from '../venue/records.ts';

const PROXY = 'bare node:http proxy';

const book = { name: 'book-p50', ours: BOOK_PATH, venue: VENUE_BOOK_PATH } as const;
const markets = { name: 'markets-p50', ours: MARKETS_PATH, venue: VENUE_MARKETS_PATH } as const;

function compare(ours: LoadResult, baseline: LoadResult, figure: 'p50' | 'rate') {
  return { value: ours[figure], baseline: baseline[figure], errors: ours.errors + baseline.errors };
}

/** Reads at a venue that takes its time: what the service adds to each. */
export const readLatency: Bench = {
  rows: [
    { name: book.name, figure: 'book p50, venue at 25 ms', baseline: PROXY, unit: 'ms', target: { atMost: 1.15 } },
    {
      name: markets.name,
      figure: 'markets p50, venue at 25 ms',
      baseline: PROXY,
      unit: 'ms',
      target: { atMost: 1.15 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const seconds = stage.seconds(2);
    const measure = async ({ ours, venue: theirs }: typeof book | typeof markets, round: number) => {
      const [a, b] = await inTurn(
        round,
        () => load({ url: service.url + ours, seconds }),
        () => load({ url: proxy.url + theirs, seconds }),
      );
      return compare(a, b, 'p50');
    };
    await measure(book, 0);
    await measure(markets, 0);
    for (let round = 0; ; round += 1) {
      const samples: Samples = {
        [book.name]: await measure(book, round),
        [markets.name]: await measure(markets, round),
      };
      yield samples;
    }
  },
};

/** Reads at a venue that answers at once: what a core can do. */
export const readRate: Bench = {
  rows: [
    {
      name: 'book-rate',
      figure: 'book, 10 connections, venue at 0 ms',
      baseline: PROXY,
      unit: 'req/s',
      target: { atLeast: 0.5 },
    },
    {
      name: 'book-rate-distinct',
      figure: 'book, each request another one, 10 connections',
      baseline: PROXY,
      unit: 'req/s',
    },
    {
      name: 'book-venue',
      figure: 'bare node:http proxy, book, 10 connections',
      baseline: 'the venue stub alone',
      unit: 'req/s',
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url, { row: 'book-rate' });
    await using distinctService = await stage.startService(venue.url, { row: 'book-rate-distinct' });
    await using proxy = await startProxy(venue.url);
    const seconds = stage.seconds(3);
    const ours = () => load({ url: service.url + BOOK_PATH, seconds });
    const theirs = () => load({ url: proxy.url + VENUE_BOOK_PATH, seconds });
    const paths = TOKEN_IDS.map((token) => `/v1/book/${token}`);
    const distinct = () => load({ url: distinctService.url, paths, seconds });
    const alone = () => load({ url: venue.url + VENUE_BOOK_PATH, seconds: seconds / 2 });
    await ours();
    await theirs();
    await distinct();
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(round, ours, theirs);
      yield {
        'book-rate': compare(a, b, 'rate'),
        // Nothing to share here: what each request costs by itself.
        'book-rate-distinct': compare(await distinct(), b, 'rate'),
        'book-venue': compare(b, await alone(), 'rate'),
      };
    }
  },
};
