import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createMarketData } from '../../../../../shared/venue/polymarket/market-data.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { bookAnswer, v1TokenId, v2TokenId } from '../../../../support/venue/venue-answers.ts';

const TOKEN = v1TokenId(1);

async function readFrom(reply: Reply, tokenId = TOKEN) {
  const venue = await startVenue(() => reply);
  const data = createMarketData({ gammaUrl: venue.url, clobUrl: venue.url }, collectLog().log);
  return { venue, book: data.readBook(tokenId, callWithin()) };
}

async function bookOf(changes: Readonly<Record<string, unknown>>) {
  return (await readFrom({ body: bookAnswer(TOKEN, changes) })).book;
}

describe('a book', () => {
  it('comes out in our words, best first on both sides', async () => {
    const { venue, book } = await readFrom({ body: bookAnswer(TOKEN) });
    expect(await book).toStrictEqual({
      tokenId: TOKEN,
      conditionId: `0x${'3c'.repeat(32)}`,
      bids: [
        { price: '0.51', size: '7.25' },
        { price: '0.5', size: '1123' },
        { price: '0.49', size: '20.5' },
      ],
      asks: [
        { price: '0.53', size: '0.000001' },
        { price: '0.6', size: '900.5' },
      ],
      tickSize: '0.01',
      minOrderSize: '5',
      negRisk: false,
      lastTradePrice: '0.04',
      timestamp: '2026-10-05T23:10:10.525Z',
      hash: '5f0c1d2e',
    });
    expect(venue.seen.map(({ path, query }) => [path, query.toString()])).toStrictEqual([
      ['/book', `token_id=${TOKEN}`],
    ]);
  });

  it("is best first for any order of the venue's levels", async () => {
    const level = fc.integer({ min: 1, max: 9_999 }).map((n) => ({ price: String(n / 10_000), size: '1' }));
    const side = fc.uniqueArray(level, { selector: ({ price }) => price, maxLength: 12 });
    let body: unknown;
    const venue = await startVenue(() => ({ body: body ?? {} }));
    const data = createMarketData({ gammaUrl: venue.url, clobUrl: venue.url }, collectLog().log);
    await fc.assert(
      fc.asyncProperty(side, side, async (bids, asks) => {
        body = bookAnswer(TOKEN, { bids, asks });
        const book = await data.readBook(TOKEN, callWithin());
        const prices = (levels: readonly { price: string }[]) => levels.map(({ price }) => Number(price));
        expect(prices(book.bids)).toStrictEqual(prices(bids).sort((a, b) => b - a));
        expect(prices(book.asks)).toStrictEqual(prices(asks).sort((a, b) => a - b));
      }),
      { numRuns: 60 },
    );
  });

  it('has empty sides, and none of its levels is without shares', async () => {
    const { bids, asks } = await bookOf({ bids: [], asks: [{ price: '0.7', size: '0.00' }] });
    expect({ bids, asks }).toStrictEqual({ bids: [], asks: [] });
  });

  it.each([
    ['last_trade_price', '', { lastTradePrice: null }],
    ['last_trade_price', null, { lastTradePrice: null }],
    ['last_trade_price', undefined, { lastTradePrice: null }],
    ['market', undefined, { conditionId: null }],
    ['market', `0x${'3c'.repeat(31)}`, { conditionId: `0x${'3c'.repeat(31)}00` }],
    ['timestamp', undefined, { timestamp: null }],
    ['timestamp', 'now', { timestamp: null }],
    ['timestamp', '9'.repeat(15), { timestamp: '+033658-09-27T01:46:39.999Z' }],
    ['timestamp', '9'.repeat(16), { timestamp: null }],
    ['hash', undefined, { hash: null }],
    ['hash', 'a"b', { hash: null }],
    ['neg_risk', true, { negRisk: true }],
    ['tick_size', '0.0010', { tickSize: '0.001' }],
    ['tick_size', '.01', {}],
    ['min_order_size', '5.', {}],
    ['bids', null, { bids: [] }],
    ['asks', [{ price: '.48', size: '030' }], { asks: [{ price: '0.48', size: '30' }] }],
    [
      'asks',
      [
        { price: '0.5', size: '7' },
        { price: '1', size: '9' },
      ],
      { asks: [{ price: '0.5', size: '7' }] },
    ],
    ['asks', [{ price: '0', size: '9' }], { asks: [] }],
    ['version', 'v1', {}],
    ['version', null, {}],
  ])('with %s %p differs in nothing else', async (name, value, expected) => {
    expect(await bookOf({ [name]: value })).toStrictEqual({ ...(await bookOf({})), ...expected });
  });

  it('reads numbers by the digits that the venue wrote', async () => {
    const body = JSON.stringify(bookAnswer(TOKEN))
      .replace('"tick_size":"0.01"', '"tick_size":0.01')
      .replace('"price":"0.53","size":"0.000001"', '"price":0.5300000000000000001,"size":12345678901234567.25');
    const { book } = await readFrom({ body });
    expect(await book).toMatchObject({
      tickSize: '0.01',
      asks: [{ price: '0.5300000000000000001', size: '12345678901234567.25' }, { price: '0.6' }],
    });
  });

  it('of protocol v2 names its version', async () => {
    const token = v2TokenId(3);
    const { book } = await readFrom({ body: bookAnswer(token, { version: 'v2' }) }, token);
    expect((await book).tokenId).toBe(token);
  });

  it.each([
    ['asset_id', v1TokenId(2)],
    ['asset_id', undefined],
    ['bids', undefined],
    ['asks', [{ price: '0.5' }]],
    ['bids', [{ price: '-0.5', size: '7' }]],
    ['bids', [{ price: '0.5', size: '-7' }]],
    ['bids', [{ price: '0.5', size: 'many' }]],
    ['tick_size', undefined],
    ['tick_size', ''],
    ['tick_size', '0'],
    ['tick_size', '1'],
    ['min_order_size', undefined],
    ['min_order_size', '-5'],
    ['neg_risk', undefined],
    ['neg_risk', 'false'],
  ])('is a venue_error when %s is %j: money is decided by it', async (name, value) => {
    await expect(bookOf({ [name]: value })).rejects.toMatchObject({ name: 'AppError', code: 'venue_error' });
  });

  it.each<[Reply, string]>([
    [{ status: 404, body: { error: 'No orderbook exists for the requested token id' } }, 'unknown_token'],
    [{ status: 400, body: { error: 'Invalid token id' } }, 'unknown_token'],
    [{ status: 400, body: { error: 'context canceled' } }, 'venue_error'],
    [{ status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'venue_error'],
    [{ body: 'null' }, 'venue_error'],
    [{ body: '{"asset_id":' }, 'venue_error'],
  ])('after %j is the error %s', async (reply, code) => {
    const { book } = await readFrom(reply);
    await expect(book).rejects.toMatchObject({ name: 'AppError', code });
  });
});
