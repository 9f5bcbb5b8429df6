import { describe, expect, it } from '@jest/globals';
import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { healthEndpoint } from '../../functions/health/endpoint.ts';
import { marketsEndpoint } from '../../functions/markets/endpoint.ts';
import { ask } from '../support/service/gateway-event.ts';
import { fakeMarketData, MARKET, TOKEN_ID } from '../support/venue/fake-venue.ts';

describe('health', () => {
  const readOnly = {
    mode: 'read-only',
    walletAddress: null,
    funderAddress: undefined,
    clientVerification: 'off',
  } as const;

  it('says what the service is', async () => {
    expect((await ask(healthEndpoint(readOnly), { query: 'x=1' })).body).toStrictEqual({
      status: 'ok',
      mode: 'read-only',
      wallet_address: null,
      client_verification: 'off',
      settlement_chain: 'polygon',
      venue: 'polymarket',
      version: '1.0.0',
    });
  });

  it('names the wallet, the funder where there is one, and whether clients sign their orders', async () => {
    const wallet = { walletAddress: '0xA', funderAddress: '0xB' };
    const facts = { mode: 'order-placing', ...wallet, clientVerification: 'required' } as const;
    expect((await ask(healthEndpoint(facts))).body).toStrictEqual({
      status: 'ok',
      mode: 'order-placing',
      wallet_address: '0xA',
      funder_address: '0xB',
      client_verification: 'required',
      settlement_chain: 'polygon',
      venue: 'polymarket',
      version: '1.0.0',
    });
  });
});

/** Asks for markets, and tells what limit the venue was asked for. */
async function listMarkets(query: string) {
  const limits: number[] = [];
  const listMarkets = async (limit: number) => {
    limits.push(limit);
    return { markets: [MARKET], hasMore: true };
  };
  return { ...(await ask(marketsEndpoint(fakeMarketData({ listMarkets })), { query })), limits };
}

describe('markets', () => {
  it('are answered in wire names', async () => {
    expect((await listMarkets('')).body).toStrictEqual({
      items: [
        {
          id: '512345',
          condition_id: `0x${'ab'.repeat(32)}`,
          slug: 'a-market',
          question: 'Will it?',
          end_date: '2026-12-31T12:00:00Z',
          tick_size: '0.01',
          min_order_size: '5',
          neg_risk: null,
          volume_24h: '1022.5',
          liquidity: null,
          best_bid: '0.51',
          best_ask: '0.52',
          event: { id: '99', slug: 'an-event', title: null },
          fees: { taker_rate: '0.04', exponent: '1', taker_only: true },
          outcomes: [{ name: 'Yes', token_id: TOKEN_ID, price: '0.515' }],
        },
      ],
      has_more: true,
    });
  });

  it('have null for an event and fees that the venue does not tell', async () => {
    const listMarkets = async () => ({ markets: [{ ...MARKET, event: null, fees: null }], hasMore: false });
    const { body } = await ask(marketsEndpoint(fakeMarketData({ listMarkets })));
    expect(body).toMatchObject({ items: [{ event: null, fees: null }] });
  });

  it.each([
    ['', 20],
    ['limit=1', 1],
    ['limit=20', 20],
    ['limit=500', 500],
    ['limit=%35', 5],
  ])('with "%s" are %i at most', async (query, limit) => {
    expect((await listMarkets(query)).limits).toStrictEqual([limit]);
  });

  it.each([
    '0',
    '-1',
    '1.5',
    '05',
    '+5',
    'abc',
    '',
    '501',
    '1000',
    '1e2',
    '%205',
    '5%20',
    '0x5',
    '٥',
    'limit',
    'null',
    '5&limit=5',
    '5&limit=6',
  ])('are refused with limit=%s', async (value) => {
    const { body, limits } = await listMarkets(`limit=${value}`);
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      detail: 'The query is not valid: limit must be an integer from 1 to 500, given once.',
      request_id: expect.any(String),
      errors: [{ field: 'limit', detail: 'must be an integer from 1 to 500, given once.' }],
    });
    expect(limits).toStrictEqual([]);
  });

  it.each([
    ['Limit=5', 'Limit'],
    ['limit=5&offset=1', 'offset'],
    ['?limit=5', '?limit'],
    ['limits=5', 'limits'],
    ['a', 'a'],
    [`${'a'.repeat(99)}%F0%9F%98%80`, `${'a'.repeat(99)}?`],
  ])('are refused with the unknown parameter of %s', async (query, field) => {
    const { body } = await listMarkets(query);
    expect(body).toMatchObject({
      status: 400,
      errors: [{ field, detail: 'is not a parameter of this endpoint; the only one is limit.' }],
    });
  });
});

const book = bookEndpoint(fakeMarketData());
const pathParameters = { token_id: TOKEN_ID };

describe('a book', () => {
  it('is answered in wire names, with its hash as entity tag', async () => {
    const { result, body } = await ask(book, { pathParameters });
    expect(body).toStrictEqual({
      token_id: TOKEN_ID,
      condition_id: `0x${'ab'.repeat(32)}`,
      bids: [{ price: '0.51', size: '1123' }],
      asks: [{ price: '0.52', size: '900.5' }],
      tick_size: '0.01',
      min_order_size: '5',
      neg_risk: false,
      last_trade_price: null,
      timestamp: '2026-10-05T09:10:10.525Z',
      hash: 'b7e1',
    });
    expect(result.headers).toMatchObject({ etag: '"b7e1"', 'cache-control': 'no-cache' });
  });

  it.each(['"b7e1"', 'W/"b7e1"', '"x", "b7e1"', '*', '"x" , W/"b7e1"'])(
    'is not sent again to who has it: %s',
    async (tag) => {
      const { result } = await ask(book, { pathParameters, headers: { 'if-none-match': tag } });
      expect([result.statusCode, result.body, result.headers?.['etag']]).toStrictEqual([304, undefined, '"b7e1"']);
      expect(result.headers?.['content-type']).toBeUndefined();
    },
  );

  it.each(['b7e1', '"b7e"', '"x"', '', 'W/b7e1'])('is sent to who has another: %s', async (tag) => {
    const { result } = await ask(book, { pathParameters, headers: { 'if-none-match': tag } });
    expect(result.statusCode).toBe(200);
  });

  it.each([
    '',
    '01',
    '-1',
    '+1',
    '1.0',
    '0x1',
    '1e3',
    'abc',
    ' 1',
    '1 ',
    '1/2',
    '٣',
    '9'.repeat(78),
    String(2n ** 256n),
    '1'.repeat(100_000),
  ])('of %s is refused without asking the venue', async (tokenId) => {
    const readBook = () => Promise.reject(new Error('asked'));
    const { body } = await ask(bookEndpoint(fakeMarketData({ readBook })), { pathParameters: { token_id: tokenId } });
    const detail =
      'must be an outcome token id: a uint256 in decimal, without sign or leading zeros, as outcomes[].token_id of GET /v1/markets has it.';
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      detail: `The path is not valid: token_id ${detail}`,
      request_id: expect.any(String),
      errors: [{ field: 'token_id', detail }],
    });
  });

  it.each(['0', '1', String(2n ** 256n - 1n)])('of %s, which may be a token, is asked for', async (tokenId) => {
    const { body } = await ask(book, { pathParameters: { token_id: tokenId } });
    expect(body).toMatchObject({ status: 404, code: 'unknown_token' });
  });

  it('ignores a query', async () => {
    expect((await ask(book, { pathParameters, query: 'depth=1' })).result.statusCode).toBe(200);
  });
});
