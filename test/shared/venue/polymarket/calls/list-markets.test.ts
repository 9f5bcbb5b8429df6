import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDecimal, parseNumber } from '../../../../../shared/decimal.ts';
import { createMarketData } from '../../../../../shared/venue/polymarket/market-data.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, type Script, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { gammaMarket } from '../../../../support/venue/venue-answers.ts';

type Page = { readonly markets: readonly unknown[]; readonly next_cursor?: unknown };

/** A market data service before a venue that answers by this script. */
async function withVenue(script: Script) {
  const venue = await startVenue(script);
  const { log, lines } = collectLog();
  const data = createMarketData({ gammaUrl: venue.url, clobUrl: venue.url }, log);
  return { venue, data, lines };
}

/** The venue gives these pages one after the other. */
function withPages(pages: readonly Page[]) {
  return withVenue((_request, index) => ({ body: pages[index] ?? { markets: [] } }));
}

function range(from: number, to: number, changes = {}): Record<string, unknown>[] {
  return Array.from({ length: to - from }, (_, index) => gammaMarket(from + index, changes));
}

describe('the list of markets', () => {
  it('asks for open markets, most traded first, no more than a limit needs', async () => {
    const { venue, data } = await withPages([{ markets: range(1, 4) }]);
    const { markets, hasMore } = await data.listMarkets(3, callWithin());
    expect(markets.map(({ id }) => id)).toStrictEqual(['1', '2', '3']);
    expect(hasMore).toBe(false);
    expect(venue.calls()).toStrictEqual(['GET /markets/keyset']);
    expect(Object.fromEntries(venue.seen[0]?.query ?? [])).toStrictEqual({
      closed: 'false',
      order: 'volume24hr',
      ascending: 'false',
      limit: '23',
    });
  });

  it('follows the cursor until the limit is reached, and takes full pages then', async () => {
    const half = range(1, 41).map((market, index) => (index % 2 ? { ...market, acceptingOrders: false } : market));
    const { venue, data } = await withPages([
      { markets: half, next_cursor: 'a+b=' },
      { markets: range(41, 80), next_cursor: 'c' },
    ]);
    const { markets, hasMore } = await data.listMarkets(30, callWithin());
    expect(markets.length).toBe(30);
    expect(hasMore).toBe(true);
    expect(venue.seen.map(({ query }) => [query.get('limit'), query.get('after_cursor')])).toStrictEqual([
      ['50', null],
      ['100', 'a+b='],
    ]);
  });

  it('does not take a short or an empty page for the end', async () => {
    const { venue, data } = await withPages([
      { markets: range(1, 2), next_cursor: 'a' },
      { markets: [], next_cursor: 'b' },
      { markets: range(2, 4) },
    ]);
    const { markets, hasMore } = await data.listMarkets(20, callWithin());
    expect({ ids: markets.map(({ id }) => id), hasMore }).toStrictEqual({ ids: ['1', '2', '3'], hasMore: false });
    expect(venue.seen.length).toBe(3);
  });

  it('ends where its cursor stands still, after two calls, with one warning', async () => {
    const { venue, data, lines } = await withVenue(() => ({ body: { markets: range(1, 3), next_cursor: 'a' } }));
    for (const _ of [1, 2]) {
      expect(await data.listMarkets(20, callWithin())).toMatchObject({
        markets: [{ id: '1' }, { id: '2' }],
        hasMore: true,
      });
    }
    expect(venue.seen.length).toBe(4);
    expect(lines).toMatchObject([{ level: 'warn', message: 'cursor of the market list stands still' }]);
  });

  it.each([['["",""]'], ['["Over","Over"]'], ['["Yes"," "]'], ['["No","No "]']])(
    'has no names for outcomes that cannot be told apart, and logs that once: %s',
    async (outcomes) => {
      const { data, lines } = await withVenue(() => ({ body: { markets: range(1, 2, { outcomes }) } }));
      for (const _ of [1, 2]) {
        const { markets } = await data.listMarkets(20, callWithin());
        expect(markets[0]?.outcomes.map(({ name }) => name)).toStrictEqual([null, null]);
      }
      expect(lines).toMatchObject([{ message: 'outcomes without distinct names', market_id: '1' }]);
    },
  );

  it.each([null, ''])('takes a cursor of %p for the end', async (next_cursor) => {
    const { venue, data } = await withPages([{ markets: range(1, 2), next_cursor }]);
    expect((await data.listMarkets(20, callWithin())).hasMore).toBe(false);
    expect(venue.seen.length).toBe(1);
  });

  it.each([
    [1, 5],
    [100, 5],
    [101, 6],
    [500, 9],
  ])(
    'for a limit of %i stops after %i pages without tradable markets, and says that there may be more',
    async (limit, pages) => {
      const { venue, data } = await withVenue((_request, index) => ({
        body: { markets: range(1, 3, { acceptingOrders: false }), next_cursor: `${index}` },
      }));
      expect(await data.listMarkets(limit, callWithin())).toStrictEqual({ markets: [], hasMore: true });
      expect(venue.seen.length).toBe(pages);
    },
  );

  it.each([1, 80, 100])('costs one page when %i markets are asked for and all of it can be traded', async (limit) => {
    const { venue, data } = await withPages([{ markets: range(1, 101), next_cursor: 'more' }]);
    const { markets, hasMore } = await data.listMarkets(limit, callWithin());
    expect({ count: markets.length, hasMore, pages: venue.seen.length }).toStrictEqual({
      count: limit,
      hasMore: true,
      pages: 1,
    });
  });

  it('shows a market that moved between pages once', async () => {
    const { data } = await withPages([{ markets: range(1, 4), next_cursor: 'a' }, { markets: range(3, 6) }]);
    const { markets } = await data.listMarkets(20, callWithin());
    expect(markets.map(({ id }) => id)).toStrictEqual(['1', '2', '3', '4', '5']);
  });

  it('sorts by volume, equal ones by id as a number, unknown ones last', async () => {
    const volumes: readonly [number, unknown][] = [
      [100, 5],
      [9, 5],
      [20, null],
      [8, '6.50'],
      [7, 1e3],
      [30, '5.0'],
    ];
    const { data } = await withPages([{ markets: volumes.map(([id, volume24hr]) => gammaMarket(id, { volume24hr })) }]);
    const { markets } = await data.listMarkets(20, callWithin());
    expect(markets.map(({ id }) => id)).toStrictEqual(['7', '8', '9', '30', '100', '20']);
  });

  it('orders markets of equal volume by id', async () => {
    const [one, other] = ['7', '07'].map((id) => gammaMarket(1, { id }));
    for (const markets of [
      [one, other],
      [other, one],
    ]) {
      const { data } = await withPages([{ markets }]);
      const list = await data.listMarkets(20, callWithin());
      expect(list.markets.map(({ id }) => id)).toStrictEqual(['7', '07']);
    }
  });

  it('keeps the digits of numbers as they were written', async () => {
    const text = JSON.stringify({ markets: [gammaMarket(1, { volume24hr: 'V', orderMinSize: 'M', liquidity: 'L' })] })
      .replace('"V"', '1234567890123456.123456789')
      .replace('"M"', '5E0')
      .replace('"L"', '1.5e-7');
    const { data } = await withVenue(() => ({ body: text }));
    const [market] = (await data.listMarkets(20, callWithin())).markets;
    expect([market?.volume24h, market?.minOrderSize, market?.liquidity]).toStrictEqual([
      '1234567890123456.123456789',
      '5',
      '0.00000015',
    ]);
  });

  it('keeps the digits of a fee schedule', async () => {
    let body = '';
    const { data } = await withVenue(() => ({ body }));
    const namesakes = { rate: 1, exponent: { rate: [2], exponent: -3 }, feeSchedules: { rate: 4 } };
    const question = '{"rate": 6, "exponent": 7}';
    const event = { id: '9', slug: 'rate', title: '"rate":8' };
    const feeSchedule = { rebateRate: 0.25, rate: 'R', takerOnly: true, exponent: 'E' };
    const market = {
      ...namesakes,
      question,
      clobRewards: [namesakes],
      events: [{ ...event, ...namesakes }],
      feeSchedule,
    };
    const template = JSON.stringify({ rate: 5, markets: [gammaMarket(1, market)] });
    const digits = fc.tuple(fc.nat(9), fc.stringMatching(/^\d{1,40}$/), fc.integer({ min: -20, max: 20 }));
    const property = fc.asyncProperty(digits, async ([whole, fraction, exponent]) => {
      const written = `${whole}.${fraction}e${exponent}`;
      body = template.replace('"R"', written).replace('"E"', written);
      const number = parseNumber(written);
      const exact = number && formatDecimal(number);
      expect((await data.listMarkets(20, callWithin())).markets).toMatchObject([
        { question, event, fees: { takerRate: exact, exponent: exact, takerOnly: true } },
      ]);
    });
    await fc.assert(property);
  });

  it('logs a market that is left out once, however often it is met, and closed ones never', async () => {
    const odd = gammaMarket(5, { version: 'v9' });
    const closed = gammaMarket(6, { acceptingOrders: false, clobTokenIds: null });
    const { data, lines } = await withVenue(() => ({ body: { markets: [odd, closed, gammaMarket(1)] } }));
    const trace = { request_id: 'r-1' };
    for (const _ of [1, 2]) expect((await data.listMarkets(20, { ...callWithin(), trace })).markets.length).toBe(1);
    expect(lines).toMatchObject([
      { level: 'warn', message: 'market left out', market_id: '5', reason: 'version is not usable', ...trace },
    ]);
  });

  it.each([
    ['no list', { markets: 'none' }],
    ['a bare list', []],
    ['a cursor that is no text', { markets: [], next_cursor: true }],
    ['half of a page', '{"markets":[{"id"'],
  ])('is a venue_error when the venue gives %s', async (_what, body) => {
    const { data } = await withVenue(() => ({ body }));
    await expect(data.listMarkets(1, callWithin())).rejects.toMatchObject({ name: 'AppError', code: 'venue_error' });
  });

  it('is late rather than endless when the venue hangs on a later page', async () => {
    const { data } = await withVenue((_request, index) =>
      index === 0 ? { body: { markets: range(1, 2), next_cursor: 'a' } } : 'hang',
    );
    await expect(data.listMarkets(500, callWithin(200))).rejects.toMatchObject({ code: 'venue_timeout' });
  });
});
