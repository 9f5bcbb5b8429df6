import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyCreds } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import type { PaperVenueOptions } from '../../../../packages/paper-venue/state/state.ts';
import { officialClient } from '../../../../tools/support/paper-client.ts';
import { plainMarket } from '../../../support/venue/paper-markets.ts';
import { type OrderRequest, signOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { l2Headers, postOrder, signedRequest } from '../../../support/venue/signed-request.ts';

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
