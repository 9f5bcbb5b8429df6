import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { FULL_EXTENT } from '../../support/full-extent.ts';
import { plainMarket } from '../../support/venue/paper-markets.ts';
import { signOrder } from '../../support/venue/paper-order.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';
import { postOrder } from '../../support/venue/signed-request.ts';

const runs = { numRuns: FULL_EXTENT ? 120 : 40, seed: 20_261_120 };
const oddity = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('0', '-1', '1e400', '9'.repeat(78), '9'.repeat(400), '0x0', null, Number.MAX_VALUE, -0),
);

describe('the paper venue never answers with an internal error', () => {
  it('to any value in any member of a signed order', async () => {
    const paper = await startPaper();
    const { creds } = await officialClient(paper);
    const { yes } = await plainMarket(paper);
    const { order } = await signOrder({ tokenId: yes });
    const inner = fc.constantFrom(...Object.keys(order));
    const outer = fc.constantFrom('owner', 'orderType', 'postOnly', 'deferExec', 'order');
    const change = fc.tuple(fc.oneof(inner, outer), oddity);
    await fc.assert(
      fc.asyncProperty(change, async ([member, value]) => {
        const { status } = Object.hasOwn(order, member)
          ? await postOrder(paper, creds, { ...order, [member]: value })
          : await postOrder(paper, creds, order, { [member]: value });
        expect([200, 400, 404]).toContain(status);
      }),
      runs,
    );
  });

  it('to any signed amounts, of which it accepts only those on the grid', async () => {
    const paper = await startPaper();
    const { creds } = await officialClient(paper);
    const { yes } = await plainMarket(paper);
    const amount = fc.oneof(
      fc.bigInt(0n, 30_000_000n),
      fc.bigInt(0n, 3_000n).map((lots) => lots * 10_000n),
    );
    const type = fc.constantFrom('GTC', 'FOK', 'FAK');
    const side = fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL');
    await fc.assert(
      fc.asyncProperty(amount, amount, type, side, async (maker, taker, orderType, asked) => {
        const amounts = { makerAmount: String(maker), takerAmount: String(taker) };
        const { order } = await signOrder({ tokenId: yes, side: asked, ...amounts });
        const { status } = await postOrder(paper, creds, order, { orderType });
        expect([200, 400]).toContain(status);
        const [collateral, shares] = asked === 'BUY' ? [maker, taker] : [taker, maker];
        if (status === 200 && orderType === 'GTC') expect((collateral * 100n) % shares).toBe(0n);
      }),
      runs,
    );
  });

  it('to any query', async () => {
    const paper = await startPaper();
    const path = fc.constantFrom(
      '/markets/keyset',
      '/book',
      '/tick-size',
      '/markets-by-token/',
      '/clob-markets/',
      '/data/trades',
    );
    const name = fc.constantFrom(
      'limit',
      'order',
      'after_cursor',
      'ascending',
      'token_id',
      'id',
      'next_cursor',
      'side',
    );
    await fc.assert(
      fc.asyncProperty(path, name, fc.string({ unit: 'binary' }), async (where, key, value) => {
        const { status } = await paper.get(`${where}?${new URLSearchParams([[key, value]])}`);
        expect(status).toBeLessThan(500);
      }),
      runs,
    );
  });

  it.each(['//', '/\\', 'http://other/ok', '/%zz', '/book?%', '/data/order/../../ok'])(
    'to the path %s',
    async (path) => {
      const { url } = await startPaper();
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`),
        );
        socket.once('data', (data) => {
          socket.destroy();
          resolve(String(data));
        });
        socket.once('error', reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    },
  );
});
