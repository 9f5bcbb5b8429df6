import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Side } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import { FAULT_NAMES } from '../../../../packages/paper-venue/faults/faults.ts';
import { officialClient, WALLET } from '../../../../tools/support/paper-client.ts';
import { plainMarket } from '../../../support/venue/paper-markets.ts';
import { signOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { postOrder } from '../../../support/venue/signed-request.ts';

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
