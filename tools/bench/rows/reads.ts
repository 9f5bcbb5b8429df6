import { type Bench, inTurn, percentilesOf, ratesOf } from '../bench.ts';
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

function latency(name: string, of: string) {
  return {
    name,
    figure: `${of} p50, venue at ${VENUE_DELAY_MS} ms`,
    baseline: PROXY,
    unit: 'ms',
    percentile: 0.5,
    target: { atMost: 1.15 },
  } as const;
}

/** Reads at a venue that takes its time: what the service adds to each. */
export const readLatency: Bench = {
  rows: [latency(book.name, 'book'), latency(markets.name, 'markets')],
  async *rounds(stage) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await stage.startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const measure = async (of: typeof book | typeof markets, round: number, amount: number) => {
      const { ours, venue: theirs, connections } = of;
      const loads = await inTurn(
        round,
        () => load({ url: service.url + ours, amount, connections }),
        () => load({ url: proxy.url + theirs, amount, connections }),
      );
      return percentilesOf(0.5, ...loads);
    };
    const few = stage.count(800);
    await measure(book, 0, few);
    await measure(markets, 0, few);
    for (let round = 0; ; round += 1) {
      yield {
        [book.name]: await measure(book, round, stage.percentileCount),
        [markets.name]: await measure(markets, round, few),
      };
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
      target: { atLeast: 0.4 },
    },
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    await using service = await stage.startService(venue.url, { rows: ['book-rate'] });
    await using distinctService = await stage.startService(venue.url, { rows: ['book-rate-distinct'] });
    await using proxy = await startProxy(venue.url);
    const seconds = stage.seconds(2);
    const ours = () => load({ url: service.url + BOOK_PATH, seconds });
    const theirs = () => load({ url: proxy.url + VENUE_BOOK_PATH, seconds });
    // Each connection has a book of its own: two requests at the same time are never for the same one.
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
