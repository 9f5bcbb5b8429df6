import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Side } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import { isPositionId } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { FAULT_NAMES } from '../../../packages/paper-venue/faults/faults.ts';
import type { PaperVenueOptions } from '../../../packages/paper-venue/state/state.ts';
import { officialClient, WALLET } from '../../../tools/support/paper-client.ts';
import {
  findMarket,
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

beforeEach(async () => {
  paper = await startPaper();
  ({ creds } = await officialClient(paper));
  ({ yes } = await plainMarket(paper));
});

async function post(members = {}) {
  const { order } = await signOrder({ tokenId: yes, price: 0.4 });
  return postOrder(paper, creds, order, members);
}

describe('what tests can ask', () => {
  it('which requests arrived, when, and with which fault', async () => {
    await paper.send('DELETE', '/paper/requests');
    const before = Date.now();
    paper.venue.arm({ fault: 'edge-503', path: '/book' });
    await paper.get('/book?token_id=1');
    await post();
    const requests = paper.venue.requests();
    expect(requests).toMatchObject([
      { method: 'GET', path: '/book', query: 'token_id=1', fault: 'edge-503' },
      { method: 'POST', path: '/order', query: '', fault: null },
    ]);
    expect(requests.every(({ at }) => at >= before && at <= Date.now())).toBe(true);
    expect((await paper.get('/paper/requests')).body).toStrictEqual({ requests });
  });

  it('which orders of clients were accepted', async () => {
    const { body } = await post({ postOnly: true });
    const listed = await paper.get('/paper/orders');
    expect(listed.body).toMatchObject({
      orders: [
        {
          price: '0.4',
          original_size: '10',
          side: Side.BUY,
          post_only: true,
          maker_address: WALLET.address.toLowerCase(),
        },
      ],
    });
    expect(body).toMatchObject({ orderID: paper.venue.orders()[0]?.id });
  });

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

  it('a fresh start', async () => {
    await post();
    paper.venue.arm({ fault: 'hang', times: 5 });
    await paper.send('POST', '/paper/reset');
    expect(paper.venue.orders()).toStrictEqual([]);
    expect(await post()).toMatchObject({ status: 401 });
  });

  it('filled orders to be forgotten, and prefixed statuses', async () => {
    const forgetful = await startPaper({ forgetFilled: true, prefixedStatuses: true });
    const { client } = await officialClient(forgetful);
    const filled = await client.createAndPostOrder({ tokenID: yes, price: 0.53, size: 5, side: Side.BUY });
    const open = await client.createAndPostOrder({ tokenID: yes, price: 0.4, size: 5, side: Side.BUY });
    expect(await client.getOrder(filled.orderID)).toBeNull();
    expect(await client.getOrder(open.orderID)).toMatchObject({ status: 'ORDER_STATUS_LIVE' });
  });

  it('to say what this is, and which paths and faults are its own', async () => {
    const { status, body } = await paper.get('/');
    const self = z.looseObject({ about: z.string(), paths: z.array(z.string()), faults: z.array(z.string()) });
    const { about, paths, faults, ...settings } = self.parse(body);
    expect([status, about, settings]).toStrictEqual([
      200,
      expect.stringContaining('no real money'),
      { seed: 1, still: true },
    ]);
    expect(paths).toContain('POST /paper/faults');
    expect(paths.every((path) => /^(GET|POST|DELETE) \/paper\/[a-z-]+$/.test(path))).toBe(true);
    expect(faults).toStrictEqual([...FAULT_NAMES]);
    expect(paper.venue.requests().filter(({ path }) => path === '/')).toStrictEqual([]);
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

describe('orders and trades', () => {
  const rows = z.object({
    data: z.array(z.looseObject({ id: z.string(), taker_order_id: z.string().optional(), status: z.string() })),
  });
  const placed = z.object({ orderID: z.string(), tradeIDs: z.array(z.string()) });

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

  describe('look-ups that lag', () => {
    it('show orders and trades when they are old enough, and nothing else waits for it', async () => {
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

    it('begin and end while the venue runs, and end when it is reset', async () => {
      const { orderID } = await place();
      const tell = (lag_ms: unknown) => paper.send('POST', '/paper/look-ups', { lag_ms });
      expect(await tell(60_000)).toMatchObject({ status: 200, body: { done: true } });
      expect(await seen(orderID)).toMatchObject({ order: false });
      await tell(0);
      expect(await seen(orderID)).toMatchObject({ order: true });
      for (const wrong of [-1, 0.5, '8000', undefined]) expect(await tell(wrong)).toMatchObject({ status: 400 });
      await tell(60_000);
      await paper.send('POST', '/paper/reset');
      ({ creds } = await officialClient(paper));
      expect(await seen((await place()).orderID)).toMatchObject({ order: true });
    });
  });

  describe('trades', () => {
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

    it('have prefixed statuses where orders have', async () => {
      await start({ prefixedStatuses: true });
      const { orderID } = await place({ price: 0.53 });
      expect(await list('/data/trades')).toMatchObject([{ status: 'TRADE_STATUS_CONFIRMED' }]);
      await settle({ order_id: orderID, status: 'FAILED' });
      expect(await list('/data/trades')).toMatchObject([{ status: 'TRADE_STATUS_FAILED' }]);
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
});

const charges = z.object({ mbf: z.number(), tbf: z.number(), fd: z.unknown().optional() });
const page = z.object({ markets: z.array(z.looseObject({ id: z.string() })), next_cursor: z.string().optional() });

async function keyset(paper: RunningPaper, query: string) {
  const { body } = await paper.get(`/markets/keyset?${query}`);
  return page.parse(body);
}

describe('Gamma on the paper venue', () => {
  it('lists a market in the shape of the wire', async () => {
    const paper = await startPaper();
    const { markets } = await keyset(paper, 'slug=will-the-copper-lake-ferry-run-on-founders-day');
    expect(markets).toMatchObject([
      {
        outcomes: '["Yes","No"]',
        outcomePrices: '["0.52","0.48"]',
        clobTokenIds: expect.stringMatching(/^\["\d{60,78}","\d{60,78}"\]$/),
        volume: expect.stringMatching(/^\d+(\.\d+)?$/),
        volume24hr: expect.any(Number),
        orderPriceMinTickSize: 0.01,
        orderMinSize: 5,
        restricted: true,
        version: 'v1',
        conditionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        endDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    expect(markets[0]).not.toHaveProperty('positionIds');
  });

  it.each(['2026-11-21T12:00Z', '2033-02-01T00:00Z'])(
    'begins with what can be traded and has not ended (%s)',
    async (start) => {
      const now = Date.parse(start);
      const paper = await startPaper({ now: () => now });
      const { markets } = await keyset(paper, 'limit=23&order=volume24hr&ascending=false&closed=false');
      for (const { endDate, acceptingOrders, enableOrderBook, clobTokenIds, positionIds } of markets) {
        expect(Date.parse(String(endDate))).toBeGreaterThan(now);
        expect([acceptingOrders, enableOrderBook]).toStrictEqual([true, true]);
        expect(clobTokenIds ?? positionIds).toBeTruthy();
      }
    },
  );

  it('keeps v1 ids out of the namespace of v2 and lays v2 ids out as the protocol does', async () => {
    const paper = await startPaper();
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

  it('gives the markets of one event the same event, and says what each charges as the CLOB does', async () => {
    const paper = await startPaper();
    const { markets } = await keyset(paper, 'limit=100');
    const listed = z
      .array(
        z.object({
          events: z.tuple([z.object({ id: z.string(), title: z.string() })]),
          negRiskMarketID: z.string().optional(),
          conditionId: z.string(),
          enableOrderBook: z.boolean(),
          clobTokenIds: z.string().nullable(),
          positionIds: z.array(z.string()).optional(),
          feesEnabled: z.boolean(),
          feeSchedule: z.object({ rate: z.number(), exponent: z.literal(1), takerOnly: z.literal(true) }).nullable(),
        }),
      )
      .parse(markets);
    const groups = Map.groupBy(listed, ({ events, negRiskMarketID }) => `${events[0].id} ${negRiskMarketID ?? ''}`);
    expect([...groups.values()].map(({ length }) => length).filter((length) => length > 1)).toStrictEqual([6, 2]);
    expect(new Set(listed.map(({ events }) => events[0].id)).size).toBe(groups.size);
    const rates = listed.map(({ feesEnabled, feeSchedule }) => {
      expect(feesEnabled).toBe(feeSchedule !== null);
      return feeSchedule?.rate ?? 0;
    });
    expect([...new Set(rates)].toSorted()).toStrictEqual([0, 0.04, 0.05, 0.07]);
    for (const market of listed) {
      const { body, status } = await paper.get(`/clob-markets/${market.conditionId.padEnd(66, '0')}`);
      if (status === 404) continue;
      const { feeSchedule } = market;
      const baseFee = feeSchedule ? 1_000 : 0;
      const details = feeSchedule ? { r: feeSchedule.rate, e: 1, to: true } : undefined;
      const { mbf, tbf, fd } = charges.parse(body);
      expect({ mbf, tbf, fd }).toStrictEqual({ mbf: baseFee, tbf: baseFee, fd: details });
    }
  });

  it('pages without repeats and leaves the cursor out on the last page', async () => {
    const paper = await startPaper();
    const all = await keyset(paper, 'limit=1000');
    expect(all).not.toHaveProperty('next_cursor');
    expect(await keyset(paper, `limit=${all.markets.length}`)).not.toHaveProperty('next_cursor');
    expect(await keyset(paper, `limit=${all.markets.length - 1}`)).toHaveProperty('next_cursor');
    const seen: string[] = [];
    let cursor = '';
    do {
      const query = `limit=7&order=volume24hr&ascending=false${cursor && `&after_cursor=${cursor}`}`;
      const { markets, next_cursor } = await keyset(paper, query);
      seen.push(...markets.map(({ id }) => id));
      cursor = next_cursor ?? '';
    } while (cursor !== '');
    expect(seen.toSorted()).toStrictEqual(all.markets.map(({ id }) => id).toSorted());
  });

  it('sorts by the asked field both ways', async () => {
    const paper = await startPaper();
    const volumes = async (ascending: boolean) =>
      (await keyset(paper, `limit=100&order=volume24hr&ascending=${ascending}`)).markets.map((m) =>
        Number(m['volume24hr']),
      );
    const down = await volumes(false);
    expect(down).toStrictEqual(down.toSorted((left, right) => right - left));
    expect(await volumes(true)).toStrictEqual(down.toReversed());
  });

  it('finds a market by token, position, id or slug, and a closed one only when asked', async () => {
    const paper = await startPaper();
    const v1 = await findMarket(paper, ({ version }) => version === 'v1');
    const v2 = await findMarket(paper, ({ version }) => version === 'v2');
    const [closed] = await listMarkets(paper, '&closed=true');
    expect((await keyset(paper, `clob_token_ids=${v1.no}`)).markets).toMatchObject([{ id: v1.id }]);
    expect((await keyset(paper, `position_ids=${v2.yes}`)).markets).toMatchObject([{ id: v2.id }]);
    expect((await keyset(paper, `clob_token_ids=${v2.yes}`)).markets).toStrictEqual([]);
    expect((await keyset(paper, `id=${v1.id}&id=${v2.id}`)).markets).toHaveLength(2);
    expect((await keyset(paper, `id=${closed?.id}`)).markets).toStrictEqual([]);
    expect((await keyset(paper, `id=${closed?.id}&closed=true`)).markets).toHaveLength(1);
    expect((await keyset(paper, `slug=${v1.slug}`)).markets).toMatchObject([{ id: v1.id }]);
    expect((await keyset(paper, 'id=1')).markets).toStrictEqual([]);
  });

  it.each(['order=volume_24hr', 'limit=ten', 'offset=20', 'ascending=down', 'after_cursor=%21'])(
    'refuses %s',
    async (query) => {
      const paper = await startPaper();
      expect(await paper.get(`/markets/keyset?${query}`)).toMatchObject({
        status: 422,
        body: { type: 'validation error', error: expect.any(String) },
      });
    },
  );
});
