import { describe, expect, it } from '@jest/globals';
import { createMarketData } from '../../../../../shared/venue/polymarket/market-data.ts';
import type { MarketQuery } from '../../../../../shared/venue/port.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, type Script, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { gammaMarket, v1TokenId, v2TokenId } from '../../../../support/venue/venue-answers.ts';

type Page = { readonly markets: readonly unknown[]; readonly next_cursor?: unknown };

/** A market data service before a venue that answers by this script; `ids`: of the markets that it lists. */
async function withVenue(script: Script) {
  const venue = await startVenue(script);
  const { log, lines } = collectLog();
  const { listMarkets } = createMarketData({ gammaUrl: venue.url, clobUrl: venue.url }, log);
  const list = async (query: MarketQuery = { limit: 20 }, trace = {}) => {
    const { items: markets, has_more: hasMore } = await listMarkets(query, { ...callWithin(), trace });
    return { markets, hasMore, ids: markets.map(({ id }) => Number(id)) };
  };
  return { venue, listMarkets, list, lines };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const range = (from: number, to: number, changes = {}) => numbers(from, to).map((id) => gammaMarket(id, changes));
const CLOSED = { acceptingOrders: false };
/** Every second one is closed. */
const HALF = numbers(1, 41).map((id) => gammaMarket(id, id % 2 ? {} : CLOSED));
const VOLUMES = [
  [100, 5],
  [40, 5],
  [9, 5],
  [20, null],
  [8, '6.50'],
  [7, 1e3],
  [30, '5.0'],
] as const;

interface Row {
  readonly has: string;
  readonly limit?: number;
  readonly pages: readonly Page[];
  readonly ids: readonly number[];
  readonly hasMore?: true;
  /** Limit and cursor of each page that is asked for. */
  readonly asked: readonly string[];
}

describe('the list of markets', () => {
  it.each<Row>([
    { has: 'no more than a limit needs', limit: 3, pages: [{ markets: range(1, 4) }], ids: [1, 2, 3], asked: ['23'] },
    {
      has: 'no row beyond those that are asked for',
      limit: 1,
      pages: [{ markets: [...range(1, 22), gammaMarket(22, { volume24hr: 1e9 })] }],
      ...{ ids: [1], hasMore: true, asked: ['21'] },
    },
    {
      has: 'those behind the cursor until the limit is reached, in full pages then',
      limit: 30,
      pages: [
        { markets: HALF, next_cursor: 'a+b=' },
        { markets: range(41, 80), next_cursor: 'c' },
      ],
      ids: [...numbers(0, 20).map((n) => 2 * n + 1), ...numbers(41, 51)],
      hasMore: true,
      asked: ['50', '100 a+b='],
    },
    {
      has: 'those beyond a short and an empty page',
      pages: [{ markets: range(1, 2), next_cursor: 'a' }, { markets: [], next_cursor: 'b' }, { markets: range(2, 4) }],
      ids: [1, 2, 3],
      asked: ['40', '100 a', '100 b'],
    },
    ...[null, ''].map((next_cursor) => {
      const pages = [{ markets: range(1, 2), next_cursor }];
      return { has: `its end at the cursor ${next_cursor}`, pages, ids: [1], asked: ['40'] };
    }),
    {
      has: 'a market that moved between pages once',
      pages: [{ markets: range(1, 4), next_cursor: 'a' }, { markets: range(3, 6) }],
      ids: numbers(1, 6),
      asked: ['40', '100 a'],
    },
    ...[1, 100].map((limit): Row => {
      const pages = [{ markets: range(1, 101), next_cursor: 'more' }];
      const rest = { ids: numbers(1, limit + 1), hasMore: true, asked: [`${Math.min(limit + 20, 100)}`] } as const;
      return { has: `${limit} of one page where all of it can be traded`, limit, pages, ...rest };
    }),
    {
      has: 'the most traded first, equal ones by id as a number, unknown ones last',
      pages: [{ markets: VOLUMES.map(([id, volume24hr]) => gammaMarket(id, { volume24hr })) }],
      ids: [7, 8, 9, 30, 40, 100, 20],
      asked: ['40'],
    },
  ])('has $has', async ({ limit = 20, pages, ids, hasMore = false, asked }) => {
    const { venue, list } = await withVenue((_request, index) => ({ body: pages[index] }));
    expect(await list({ limit })).toMatchObject({ ids, hasMore });
    const queries = venue.seen.map(({ query }) => [query.get('limit'), query.get('after_cursor')]);
    expect(queries.map((query) => query.filter(Boolean).join(' '))).toStrictEqual(asked);
    expect(venue.calls()[0]).toBe('GET /markets/keyset');
    const fixed = { closed: 'false', order: 'volume24hr', ascending: 'false' };
    expect(Object.fromEntries(venue.seen[0]?.query ?? [])).toMatchObject(fixed);
  });

  it.each([
    [100, 5],
    [101, 6],
    [500, 9],
  ])('with limit %i ends after %i pages without a market, and has_more is true', async (limit, pages) => {
    const markets = range(1, 3, CLOSED);
    const { venue, list } = await withVenue((_request, index) => ({ body: { markets, next_cursor: `${index}` } }));
    expect(await list({ limit })).toStrictEqual({ markets: [], ids: [], hasMore: true });
    expect(venue.seen.length).toBe(pages);
  });

  it('logs each fault once: a market that is left out, and a cursor that does not move', async () => {
    const odd = { version: 'v9' };
    const markets = [gammaMarket(5, odd), gammaMarket(6, { ...odd, ...CLOSED }), gammaMarket(1), gammaMarket(2)];
    const { venue, list, lines } = await withVenue(() => ({ body: { markets, next_cursor: 'a' } }));
    const trace = { request_id: 'r-1' };
    for (const _ of [1, 2]) expect(await list({ limit: 20 }, trace)).toMatchObject({ ids: [1, 2], hasMore: true });
    expect(venue.seen.length).toBe(4);
    expect(lines).toMatchObject([
      { level: 'warn', message: 'market left out', market_id: '5', reason: 'version is not usable', ...trace },
      { level: 'warn', message: 'cursor of the market list stands still', ...trace },
    ]);
  });

  it('keeps the written digits of numbers, those of a fee schedule too', async () => {
    const [digits, exact] = ['7.01234567890123456789e-3', '0.00701234567890123456789'];
    const namesakes = { rate: 1, exponent: { rate: [2], exponent: -3 }, feeSchedules: { rate: 4 } };
    const question = '{"rate": 6, "exponent": 7}';
    const event = { id: '9', slug: 'rate', title: '"rate":8' };
    const feeSchedule = { rebateRate: 0.25, rate: 'DIGITS', takerOnly: true, exponent: 'DIGITS' };
    const market = { ...namesakes, question, events: [{ ...event, ...namesakes }], feeSchedule };
    const written = { volume24hr: 'DIGITS', orderMinSize: 'DIGITS', liquidity: 'DIGITS' };
    const page = JSON.stringify({ rate: 5, markets: [gammaMarket(1, { ...market, ...written })] });
    const { list } = await withVenue(() => ({ body: page.replaceAll('"DIGITS"', digits) }));
    const decimals = { volume_24h: exact, min_order_size: exact, liquidity: exact };
    const fees = { taker_rate: exact, exponent: exact, taker_only: true };
    expect((await list()).markets).toMatchObject([{ question, event, fees, ...decimals }]);
  });

  it.each([
    ['no list', { body: { markets: 'none' } }],
    ['a bare list', { body: [] }],
    ['a cursor that is no text', { body: { markets: [], next_cursor: true } }],
    ['half of a page', { body: '{"markets":[{"id"' }],
    ['a list under another status', { status: 404, body: { markets: [] } }],
  ])('is a venue_error when the venue gives %s', async (_what, reply) => {
    const { list } = await withVenue(() => reply);
    await expect(list()).rejects.toMatchObject({ name: 'AppError', code: 'venue_error' });
  });

  it('ends with venue_timeout if the venue hangs on a later page', async () => {
    const page = { body: { markets: range(1, 2), next_cursor: 'a' } };
    const { listMarkets } = await withVenue((_request, index) => (index === 0 ? page : 'hang'));
    await expect(listMarkets({ limit: 500 }, callWithin(200))).rejects.toMatchObject({ code: 'venue_timeout' });
  });
});

/** The markets 1 to 3 of protocol v1, and 7 to 9 of v2. */
const ON_V1 = range(1, 4);
const ON_V2 = numbers(7, 10).map((id) => {
  const positionIds = [v2TokenId(2 * id), v2TokenId(2 * id + 1)];
  return gammaMarket(id, { version: 'v2', positionIds, volume24hr: 5_000 - id });
});

describe('the markets of some tokens', () => {
  it('are read by two calls side by side, one for each protocol, and come most traded first', async () => {
    const both = Promise.withResolvers<void>();
    const { venue, list } = await withVenue(async ({ query }, index) => {
      if (index === 1) both.resolve();
      await both.promise;
      return { body: { markets: query.has('position_ids') ? ON_V2 : ON_V1, next_cursor: 'more' } };
    });
    const [one, other] = [v1TokenId(2), v1TokenId(3)];
    // Both tokens of market 1, one of market 3 and of market 8, and two of no open market.
    const tokenIds = [v1TokenId(7), v2TokenId(90), one, v2TokenId(17), other, v1TokenId(99), one];
    expect(await list({ limit: 20, tokenIds })).toMatchObject({ ids: [8, 1, 3], hasMore: false });
    expect(await list({ limit: 2, tokenIds })).toMatchObject({ ids: [8, 1], hasMore: true });
    const asked = venue.seen
      .slice(0, 2)
      .map(({ query }) => [query.getAll('clob_token_ids'), query.getAll('position_ids')]);
    expect(asked.toSorted(([v1 = []], [other = []]) => other.length - v1.length)).toStrictEqual([
      [[v1TokenId(7), one, other, v1TokenId(99)], []],
      [[], [v2TokenId(90), v2TokenId(17)]],
    ]);
    const fixed = { closed: 'false', order: 'volume24hr', ascending: 'false', limit: '100' };
    expect(Object.fromEntries(venue.seen[0]?.query ?? [])).toMatchObject(fixed);
    expect([venue.seen.length, venue.calls()[1]]).toStrictEqual([4, 'GET /markets/keyset']);
  });

  it.each([
    ['v1', [v1TokenId(2)], [1]],
    ['v2', [v2TokenId(14), v2TokenId(16)], [7, 8]],
  ])('of protocol %s alone take one call', async (_protocol, tokenIds, ids) => {
    const { venue, list } = await withVenue(() => ({ body: { markets: [...ON_V1, ...ON_V2] } }));
    expect(await list({ limit: 20, tokenIds })).toMatchObject({ hasMore: false });
    expect((await list({ limit: 20, tokenIds })).ids).toStrictEqual(ids);
    expect(venue.seen.length).toBe(2);
  });

  it('are none where the tokens are of closed or unusable markets, which are logged as in the list', async () => {
    const markets = [gammaMarket(1, { version: 'v9' }), gammaMarket(2, CLOSED)];
    const { list, lines } = await withVenue(() => ({ body: { markets } }));
    expect(await list({ limit: 20, tokenIds: [v1TokenId(2), v1TokenId(4)] })).toMatchObject({
      ids: [],
      hasMore: false,
    });
    expect(lines).toMatchObject([{ message: 'market left out', market_id: '1' }]);
  });

  it('are an error where one of two calls fails', async () => {
    const { list } = await withVenue(({ query }) =>
      query.has('position_ids') ? { status: 404, body: {} } : { body: { markets: ON_V1 } },
    );
    const listed = list({ limit: 20, tokenIds: [v1TokenId(2), v2TokenId(14)] });
    await expect(listed).rejects.toMatchObject({ code: 'venue_error' });
  });

  it('end with venue_timeout if the venue hangs', async () => {
    const { listMarkets } = await withVenue(({ query }) =>
      query.has('position_ids') ? 'hang' : { body: { markets: [] } },
    );
    const query = { limit: 20, tokenIds: [v1TokenId(2), v2TokenId(14)] };
    await expect(listMarkets(query, callWithin(200))).rejects.toMatchObject({ code: 'venue_timeout' });
  });
});
