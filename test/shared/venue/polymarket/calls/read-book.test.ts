import { describe, expect, it } from '@jest/globals';
import { createMarketData } from '../../../../../shared/venue/polymarket/market-data.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { bookAnswer, v1TokenId, v2TokenId } from '../../../../support/venue/venue-answers.ts';

const TOKEN = v1TokenId(1);

/** Reads a book from a venue that answers by this. */
async function withReply(reply: () => Reply) {
  const venue = await startVenue(reply);
  const { readBook } = createMarketData({ gammaUrl: venue.url, clobUrl: venue.url }, collectLog().log);
  return { venue, read: (tokenId = TOKEN) => readBook(tokenId, callWithin()) };
}

const level = (price: string, size: string) => ({ price, size });
const BOOK = {
  token_id: TOKEN,
  condition_id: `0x${'3c'.repeat(32)}`,
  bids: [level('0.51', '7.25'), level('0.5', '1123'), level('0.49', '20.5')],
  asks: [level('0.53', '0.000001'), level('0.6', '900.5')],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: '0.04',
  timestamp: '2026-10-05T23:10:10.525Z',
  hash: '5f0c1d2e',
};

describe('a book', () => {
  it('is asked for by its token, whatever its protocol', async () => {
    let token = TOKEN;
    const { venue, read } = await withReply(() => ({ body: bookAnswer(token) }));
    expect(await read()).toStrictEqual(BOOK);
    token = v2TokenId(1);
    expect(await read(token)).toMatchObject({ token_id: token });
    const asked = venue.seen.map(({ path, query }) => `${path}?${query}`);
    expect(asked).toStrictEqual([`/book?token_id=${TOKEN}`, `/book?token_id=${token}`]);
  });

  it.each<readonly [string, unknown, object]>([
    ...['', null, undefined, '52'].map((none) => ['last_trade_price', none, { last_trade_price: null }] as const),
    ['market', undefined, { condition_id: null }],
    ['market', `0x${'3c'.repeat(31)}`, { condition_id: `0x${'3c'.repeat(31)}00` }],
    ...[undefined, 'now', '9'.repeat(16)].map((none) => ['timestamp', none, { timestamp: null }] as const),
    ['timestamp', '9'.repeat(15), { timestamp: '+033658-09-27T01:46:39.999Z' }],
    ...[undefined, 'a"b'].map((none) => ['hash', none, { hash: null }] as const),
    ['neg_risk', true, { neg_risk: true }],
    ['tick_size', '0.0010', { tick_size: '0.001' }],
    ['tick_size', '.01', {}],
    ['min_order_size', '5.', {}],
    ...[null, []].map((none) => ['bids', none, { bids: [] }] as const),
    ['asks', [level('.48', '030')], { asks: [level('0.48', '30')] }],
    // Levels without shares, and those at which no order can be placed.
    [
      'asks',
      [level('0.7', '0.00'), level('0.5', '7'), level('1', '9'), level('0', '9')],
      { asks: [level('0.5', '7')] },
    ],
    ...['v1', null].map((version) => ['version', version, {}] as const),
  ])('with %s %p differs in nothing else', async (name, value, expected) => {
    const { read } = await withReply(() => ({ body: bookAnswer(TOKEN, { [name]: value }) }));
    expect(await read()).toStrictEqual({ ...BOOK, ...expected });
  });

  it('has the digits that the venue wrote where they are numbers', async () => {
    const body = JSON.stringify(bookAnswer(TOKEN))
      .replace('"tick_size":"0.01"', '"tick_size":0.01')
      .replace('"price":"0.53","size":"0.000001"', '"price":0.5300000000000000001,"size":12345678901234567.25');
    const asks = [level('0.5300000000000000001', '12345678901234567.25'), level('0.6', '900.5')];
    expect(await (await withReply(() => ({ body }))).read()).toStrictEqual({ ...BOOK, asks });
  });

  const odd = (changes: object): Reply => ({ body: bookAnswer(TOKEN, { ...changes }) });
  it.each<readonly [Reply, string]>([
    [{ status: 404, body: { error: 'No orderbook exists for the requested token id' } }, 'unknown_token'],
    [{ status: 400, body: { error: 'Invalid token id' } }, 'unknown_token'],
    [{ status: 400, body: { error: 'context canceled' } }, 'venue_error'],
    [{ status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' }, 'venue_error'],
    [{ body: 'null' }, 'venue_error'],
    [{ body: '{"asset_id":' }, 'venue_error'],
    // Money is decided by these.
    ...[v1TokenId(2), undefined].map((asset_id) => [odd({ asset_id }), 'venue_error'] as const),
    ...[
      undefined,
      'many',
      [level('-0.5', '7')],
      [level('1.5', '7')],
      [level('0.5', '-7')],
      [level('0.5', 'many')],
      [{ price: '0.5' }],
    ].map((bids) => [odd({ bids }), 'venue_error'] as const),
    ...[undefined, '', '0', '1'].map((tick_size) => [odd({ tick_size }), 'venue_error'] as const),
    ...[undefined, '-5'].map((min_order_size) => [odd({ min_order_size }), 'venue_error'] as const),
    ...[undefined, 'false'].map((neg_risk) => [odd({ neg_risk }), 'venue_error'] as const),
  ])('after %p is the error %s', async (reply, code) => {
    const { read } = await withReply(() => reply);
    await expect(read()).rejects.toMatchObject({ name: 'AppError', code });
  });
});
