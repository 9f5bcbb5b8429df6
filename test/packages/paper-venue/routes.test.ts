import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Side } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import { isPositionId } from '../../../packages/paper-venue/exchange/catalogue.ts';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { officialClient, WALLET } from '../../../tools/support/paper-client.ts';
import {
  l2Headers,
  listMarkets,
  type OrderRequest,
  plainMarket,
  postOrder,
  type RunningPaper,
  signedRequest,
  signOrder,
  startPaper,
} from '../../support/venue/paper-venue.ts';

let paper: RunningPaper;
let creds: ApiKeyCreds;
let yes: string;
let no: string;
let clock = 0;

async function start(options: PaperVenueOptions = {}): Promise<void> {
  paper = await startPaper({ now: () => clock, ...options });
  ({ creds } = await officialClient(paper));
  ({ yes, no } = await plainMarket(paper));
}

beforeEach(async () => {
  clock = Date.now();
  await start();
});

it('lists the last trades, and cancels an order without credentials', async () => {
  const { client } = await officialClient(paper);
  const { orderID } = await client.createAndPostOrder({ tokenID: yes, price: 0.01, size: 5, side: Side.BUY });
  const cancel = async (order_id: string) => (await paper.send('POST', '/paper/cancel', { order_id })).status;
  expect([await cancel(orderID), await cancel(orderID), await cancel('0x00')]).toStrictEqual([200, 404, 404]);
  expect(paper.venue.orders()).toMatchObject([{ id: orderID, status: 'CANCELED' }]);
  await client.createAndPostOrder({ tokenID: yes, price: 0.53, size: 5, side: Side.BUY });
  expect((await paper.get('/paper/trades')).body).toStrictEqual({
    trades: [{ token_id: yes, side: 'BUY', price: '0.53', size: '5', at: expect.any(Number) }],
  });
});

it.each([
  ['POST', '/paper/accounts', { address: WALLET.address, colateral: '5' }, 400],
  ['POST', '/paper/accounts', { address: WALLET.address, shares: { token_id: '1', amount: '5' } }, 404],
  ['POST', '/paper/tick-size', { token_id: '1', tick_size: '0.1', tick: '0.1' }, 400],
  ['POST', '/paper/faults', { fault: 'restart', retryafter: 9 }, 400],
  ['POST', '/nowhere', {}, 404],
  ['PUT', '/order', {}, 405],
  ['POST', '/order', 'x'.repeat(1_100_000), 413],
])('refuses a malformed request: %s %s', async (method, path, body, status) => {
  expect(await paper.send(method, path, body)).toMatchObject({ status });
});

it('gives a book the SHA-1 of its own text with an empty hash', async () => {
  const text = await (await fetch(`${paper.url}/book?token_id=${yes}`)).text();
  const { hash } = z.object({ hash: z.string() }).parse(JSON.parse(text));
  expect(createHash('sha1').update(text.replace(hash, '')).digest('hex')).toBe(hash);
});

it('lists the open markets of tokens, by the parameter of their protocol', async () => {
  const markets = await listMarkets(paper, '&closed=false');
  const of = (version: string) =>
    markets.filter((market) => market.version === version && market.yes !== '').slice(0, 2);
  const [v1, v2] = [of('v1'), of('v2')];
  const ids = (query: string) => listMarkets(paper, `&${query}`).then((found) => found.map(({ id }) => id));
  const query = (name: string, asked: typeof v1) => asked.map(({ no }) => `${name}=${no}`).join('&');
  const wanted = (asked: typeof v1) => asked.map(({ id }) => id);
  expect(await ids(query('clob_token_ids', v1))).toStrictEqual(wanted(v1));
  expect(await ids(query('position_ids', v2))).toStrictEqual(wanted(v2));
  expect(await ids(query('clob_token_ids', v2))).toStrictEqual([]);
  expect(await ids(query('position_ids', v1))).toStrictEqual([]);
  expect(await ids(`${query('clob_token_ids', v1)}&closed=true`)).toStrictEqual([]);
});

describe('orders and trades', () => {
  const rows = z.object({
    data: z.array(z.looseObject({ id: z.string(), taker_order_id: z.string().optional(), status: z.string() })),
  });
  const placed = z.object({ orderID: z.string(), tradeIDs: z.array(z.string()) });

  function ask(path: string, query = '') {
    return paper.get(`${path}?${query}`, l2Headers(creds, { method: 'GET', path, at: clock }));
  }

  async function place(request: Partial<OrderRequest> = {}) {
    const { order } = await signOrder({ tokenId: yes, ...request });
    return placed.parse((await postOrder(paper, creds, order, { at: clock })).body);
  }

  async function list(path: string, query?: string) {
    return rows.parse((await ask(path, query)).body).data;
  }

  async function seen(id: string) {
    const [order, open, trades] = [
      await ask(`/data/order/${id}`),
      await list('/data/orders'),
      await list('/data/trades'),
    ];
    return { order: order.body !== null, open: open.length, trades: trades.length };
  }

  it('appear in lagging look-ups once they are old enough, and immediately elsewhere', async () => {
    await start({ lookUpLagMs: 8_000 });
    const rested = await place({ price: 0.4 });
    const filled = await place({ price: 0.53 });
    expect(filled.tradeIDs).toHaveLength(1);
    clock += 7_999;
    expect(await seen(rested.orderID)).toStrictEqual({ order: false, open: 0, trades: 0 });
    clock += 1;
    expect(await seen(rested.orderID)).toStrictEqual({ order: true, open: 1, trades: 1 });
    expect(await seen(filled.orderID)).toMatchObject({ order: true });
    const fresh = await place({ price: 0.4 });
    const body = { orderID: fresh.orderID };
    const cancelled = await signedRequest(paper, creds, { method: 'DELETE', path: '/order', body, at: clock });
    expect(cancelled.body).toMatchObject({ canceled: [fresh.orderID] });
  });

  const settle = (body: unknown) => paper.send('POST', '/paper/trades', body);

  it('fail to settle, all of an order or a single one', async () => {
    const [first, second] = [await place({ price: 0.53 }), await place({ price: 0.53 })];
    expect(await settle({ order_id: first.orderID, status: 'FAILED' })).toMatchObject({ status: 200 });
    const statuses = async () => (await list('/data/trades')).map(({ status }) => status);
    expect(await statuses()).toStrictEqual(['CONFIRMED', 'FAILED']);
    await settle({ id: second.tradeIDs[0], status: 'RETRYING' });
    expect(await statuses()).toStrictEqual(['RETRYING', 'FAILED']);
    expect((await ask(`/data/order/${first.orderID}`)).body).toMatchObject({ status: 'MATCHED', size_matched: '10' });
    expect(await settle({ id: first.orderID, status: 'FAILED' })).toMatchObject({ status: 404 });
  });

  it('come newest first, filtered by token and by start', async () => {
    const expected: { taker_order_id: string; match_time: string }[] = [];
    for (const tokenId of [yes, no, yes]) {
      clock += 1_000;
      const { orderID } = await place({ tokenId, price: 0.53 });
      expected.unshift({ taker_order_id: orderID, match_time: String(Math.floor(clock / 1_000)) });
    }
    const [newest, middle] = expected;
    expect(await list('/data/trades')).toMatchObject(expected);
    const since = `after=${middle?.match_time}`;
    expect(await list('/data/trades', since)).toMatchObject([newest ?? {}, middle ?? {}]);
    expect(await list('/data/trades', `asset_id=${no}&${since}`)).toMatchObject([middle ?? {}]);
  });
});

it('keeps the v1 ids of its markets out of the namespace of v2 and lays v2 ids out as the protocol does', async () => {
  for (const market of await listMarkets(paper)) {
    if (market.yes === '') continue;
    expect(isPositionId(BigInt(market.yes))).toBe(market.version === 'v2');
    if (market.version === 'v1') continue;
    expect(market.clobTokenIds).toBeNull();
    expect(BigInt(market.no)).toBe(BigInt(market.yes) + 1n);
    expect(BigInt(market.yes) >> 248n).toBe(market.negRisk ? 2n : 1n);
    expect(market.conditionId).toMatch(/^0x[0-9a-f]{62}$/);
    expect(await paper.get(`/clob-markets/${market.conditionId}`)).toMatchObject({ status: 404 });
    expect(await paper.get(`/clob-markets/${market.conditionId}00`)).toMatchObject({
      status: 200,
      body: { v: 'v2' },
    });
  }
});
