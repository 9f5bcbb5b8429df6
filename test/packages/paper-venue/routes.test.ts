import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Side } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import { isPositionId } from '../../../packages/paper-venue/exchange/catalogue.ts';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { officialClient, WALLET } from '../../../tools/support/paper-client.ts';
import { send } from '../../support/service/http-client.ts';
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

describe('what tests can ask', () => {
  it('which trades were the last, and takes an order off the book without credentials', async () => {
    const { client } = await officialClient(paper);
    const { orderID } = await client.createAndPostOrder({ tokenID: yes, price: 0.01, size: 5, side: Side.BUY });
    const cancel = async (order_id: string) => (await paper.send('POST', '/paper/cancel', { order_id })).status;
    expect(await cancel(orderID)).toBe(200);
    expect(paper.venue.orders()).toMatchObject([{ id: orderID, status: 'CANCELED' }]);
    expect([await cancel(orderID), await cancel('0x00')]).toStrictEqual([404, 404]);
    expect((await paper.get('/paper/trades')).body).toStrictEqual({ trades: [] });
    await client.createAndPostOrder({ tokenID: yes, price: 0.53, size: 5, side: Side.BUY });
    expect((await paper.get('/paper/trades')).body).toStrictEqual({
      trades: [{ token_id: yes, side: 'BUY', price: '0.53', size: '5', at: expect.any(Number) }],
    });
  });

  it('a fresh start, without orders, credentials and faults', async () => {
    const { order } = await signOrder({ tokenId: yes });
    expect(await postOrder(paper, creds, order)).toMatchObject({ status: 200 });
    paper.venue.arm({ fault: 'hang', times: 5 });
    await paper.send('POST', '/paper/reset');
    expect(paper.venue.orders()).toStrictEqual([]);
    expect(await postOrder(paper, creds, order)).toMatchObject({ status: 401 });
  });

  it.each([
    ['/paper/accounts', { address: WALLET.address, colateral: '5' }, 400],
    ['/paper/accounts', { address: WALLET.address, shares: { token_id: '1', amount: '5' } }, 404],
    ['/paper/tick-size', { token_id: '1', tick_size: '0.1', tick: '0.1' }, 400],
    ['/paper/faults', { fault: 'restart', retryafter: 9 }, 400],
  ])('nothing that would be left undone: %s of %j', async (path, body, status) => {
    expect(await paper.send('POST', path, body)).toMatchObject({ status });
    expect((await paper.get('/paper/faults')).body).toStrictEqual({ armed: [] });
  });

  it('404 for unknown paths, 405 for other methods', async () => {
    expect(await paper.get('/nowhere')).toMatchObject({ status: 404 });
    expect(await paper.send('PUT', '/order')).toMatchObject({ status: 405 });
    const large = 'x'.repeat(1_100_000);
    expect(await paper.send('POST', '/order', large)).toMatchObject({ status: 413 });
  });
});

it('gives a book the SHA-1 of its own text with an empty hash', async () => {
  const text = await (await fetch(`${paper.url}/book?token_id=${yes}`)).text();
  const { hash } = z.object({ hash: z.string() }).parse(JSON.parse(text));
  expect(createHash('sha1').update(text.replace(hash, '')).digest('hex')).toBe(hash);
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

  it('appear in look-ups that lag once they are old enough, and nothing else waits for it', async () => {
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
    for (const unknown of [{ status: 'FAILED' }, { id: first.orderID, status: 'FAILED' }]) {
      expect(await settle(unknown)).toMatchObject({ status: 404, body: { error: 'trade not found' } });
    }
    expect(await settle({ order_id: first.orderID, status: 'LOST' })).toMatchObject({ status: 400 });
  });

  it('come newest first with the second of their match, of one token, and from a second on', async () => {
    const seconds = () => String(Math.floor(clock / 1_000));
    const expected: { taker_order_id: string; asset_id: string; match_time: string }[] = [];
    for (const tokenId of [yes, no, yes]) {
      clock += 1_000;
      const { orderID } = await place({ tokenId, price: 0.53 });
      expected.unshift({ taker_order_id: orderID, asset_id: tokenId, match_time: seconds() });
    }
    const [newest, middle, oldest] = expected;
    expect(await list('/data/trades')).toMatchObject(expected);
    expect(await list('/data/trades', `after=${seconds()}`)).toMatchObject([newest ?? {}]);
    expect(await list('/data/trades', `asset_id=${yes}`)).toMatchObject([newest ?? {}, oldest ?? {}]);
    expect(await list('/data/trades', `asset_id=${no}&after=${Number(seconds()) - 1}`)).toMatchObject([middle ?? {}]);
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

describe('web pages', () => {
  it('read market data, and neither read nor steer the exercise, nor trade in it', async () => {
    const { host, port } = new URL(paper.url);
    const hosts = [{ host: 'evil.example' }, { host: `evil.example:${port}` }, { host: '127.0.0.1.evil.example' }];
    const pages = [{ host, origin: 'http://localhost:3000' }, { host, origin: 'null' }, ...hosts];
    const asked = paper.venue.requests().length;
    for (const headers of pages) {
      for (const path of [
        'GET /paper/orders',
        'POST /paper/faults',
        'DELETE /paper/faults',
        'POST /order',
        'OPTIONS /order',
      ]) {
        const [method = '', target = ''] = path.split(' ');
        const body = method === 'POST' ? '{"fault":"hang"}' : '';
        const { status } = await send(paper.url, { method, path: target, headers, body });
        expect({ path, headers, status }).toStrictEqual({ path, headers, status: 403 });
      }
    }
    expect(paper.venue.requests()).toHaveLength(asked);
    const headers = { host: 'evil.example', origin: 'https://evil.example' };
    expect((await send(paper.url, { path: '/time', headers })).status).toBe(200);
  });

  it('are not the programs that name the venue by an address or localhost', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST:8081', '[::1]:8081', '192.168.0.7']) {
      const body = '{"fault":"hang"}';
      const { status } = await send(paper.url, { method: 'POST', path: '/paper/faults', headers: { host }, body });
      expect({ host, status }).toStrictEqual({ host, status: 200 });
    }
  });
});
