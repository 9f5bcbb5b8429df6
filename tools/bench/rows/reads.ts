import { type Bench, inTurn, P50, percentilesOf, ratesOf, type Samples } from '../bench.ts';
import { load } from '../load.ts';
import {
  BOOK_PATH,
  MARKETS_PATH,
  startProxy,
  startVenue,
  VENUE_BOOK_PATH,
  VENUE_DELAY_MS,
  VENUE_MARKETS_PATH,
} from '../services.ts';
import { TOKEN_IDS } from '../venue/records.ts';

const PROXY = 'bare node:http proxy';

/** A core answers six times as many books as 40 connections ask for at 25 ms. */
const book = { name: 'book-p50', ours: BOOK_PATH, venue: VENUE_BOOK_PATH, connections: 40 } as const;
/** At more connections 240 KB for each answer would keep the proxy busy: of these fewer are measured. */
const markets = { name: 'markets-p50', ours: MARKETS_PATH, venue: VENUE_MARKETS_PATH, connections: 10 } as const;

/** Reads at a venue that takes its time: what the service adds to each. */
export const readLatency: Bench = {
  rows: [
    {
      name: book.name,
      figure: 'book p50, venue at 25 ms',
      baseline: PROXY,
      unit: 'ms',
      percentiles: P50,
      target: { atMost: 1.15 },
    },
    {
      name: markets.name,
      figure: 'markets p50, venue at 25 ms',
      baseline: PROXY,
      unit: 'ms',
      percentiles: P50,
      target: { atMost: 1.15 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const measure = async (of: typeof book | typeof markets, round: number, amount: number) => {
      const { ours, venue: theirs, connections } = of;
      const [a, b] = await inTurn(
        round,
        () => load({ url: service.url + ours, amount, connections }),
        () => load({ url: proxy.url + theirs, amount, connections }),
      );
      return percentilesOf(P50, a, b);
    };
    const few = stage.count(800);
    await measure(book, 0, few);
    await measure(markets, 0, few);
    for (let round = 0; ; round += 1) {
      const samples: Samples = {
        [book.name]: await measure(book, round, stage.percentileCount),
        [markets.name]: await measure(markets, round, few),
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
      target: { atLeast: 0.5 },
    },
    {
      name: 'book-rate-changed',
      figure: 'book, each request another one that has changed, 10 connections',
      baseline: PROXY,
      unit: 'req/s',
    },
    {
      name: 'book-rate-distinct-100',
      figure: 'book, each request another one, 100 connections',
      baseline: '10 connections',
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
    await using service = await stage.startService(venue.url, { rows: ['book-rate'] });
    await using distinctService = await stage.startService(venue.url, {
      rows: ['book-rate-distinct', 'book-rate-changed', 'book-rate-distinct-100'],
    });
    await using proxy = await startProxy(venue.url);
    const seconds = stage.seconds(2);
    const ours = () => load({ url: service.url + BOOK_PATH, seconds });
    const theirs = () => load({ url: proxy.url + VENUE_BOOK_PATH, seconds });
    // Each connection has a book of its own: two requests at the same time are never for the same one.
    const pathOf = (connection: number) => `/v1/book/${TOKEN_IDS[connection]}`;
    const distinct = (connections = 10) => load({ url: distinctService.url, pathOf, seconds, connections });
    const changed = async () => {
      await venue.changeBooks(true);
      try {
        return await distinct();
      } finally {
        await venue.changeBooks(false);
      }
    };
    const alone = () => load({ url: venue.url + VENUE_BOOK_PATH, seconds: seconds / 2 });
    await ours();
    await theirs();
    await distinct();
    await changed();
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(round, ours, theirs);
      // Nothing to share here: what each request costs by itself.
      const [ten, busy, hundred] = [await distinct(), await changed(), await distinct(100)];
      yield {
        'book-rate': ratesOf(a, b),
        'book-rate-distinct': ratesOf(ten, b),
        'book-rate-changed': ratesOf(busy, b),
        'book-rate-distinct-100': ratesOf(hundred, ten),
        'book-venue': ratesOf(b, await alone()),
      };
    }
  },
};
