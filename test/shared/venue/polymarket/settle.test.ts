import { describe, expect, it } from '@jest/globals';
import { type Answers, lookedUp, NOT_FOUND, openWorld, resultOf } from '../../../support/orders/trading-world.ts';
import { callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';

/** Settles an order that was sent in an earlier request, nobody knows with which result. */
async function settled(answers: Answers, budget = 24_000) {
  const world = await openWorld(answers);
  const signed = await world.sign();
  const result = await resultOf(world.entry.settle(signed, callWithin(budget)), signed.orderId);
  const calls = world.venue.calls().slice(1);
  return { world, signed, result, calls, sent: calls.filter((call) => call === 'POST /order').length };
}

const fill: Answers['trades'] = (taker_order_id) => ({
  body: { data: [{ id: 't1', taker_order_id, transaction_hash: '0xaa' }], next_cursor: 'LTE=' },
});
const filled = (orderId: string) => ({ orderId, status: 'matched', transactionHashes: ['0xaa'], tradeIds: ['t1'] });
const refuse = (text: string) => (): Reply => ({ status: 400, body: { error: text } });

describe('an order of an earlier request', () => {
  it('is not sent again when the venue has it', async () => {
    const { signed, result, calls } = await settled({ order: (id) => lookedUp(id, 'LIVE') });
    expect(result).toStrictEqual({ orderId: signed.orderId, status: 'live', transactionHashes: [], tradeIds: [] });
    expect(calls).toStrictEqual([`GET /data/order/${signed.orderId}`]);
  });

  it.each<[string, Reply]>([
    ['404', NOT_FOUND],
    ['null', { body: 'null' }],
  ])('is sent with the same bytes when the look-up says %s', async (_what, order) => {
    const { world, signed, result, sent } = await settled({ order: () => order });
    expect({ result, sent }).toMatchObject({ result: { orderId: signed.orderId, status: 'live' }, sent: 1 });
    const body = world.venue.seen.find(({ method }) => method === 'POST')?.body ?? '';
    expect(body).toContain(`"order":${signed.payload},`);
    const again = await resultOf(world.entry.settle(signed, callWithin(24_000)), signed.orderId);
    expect(again).toMatchObject({ status: 'live' });
    expect(world.venue.seen.findLast(({ method }) => method === 'POST')?.body).toBe(body);
  });

  it('is not sent while the venue cannot be asked', async () => {
    const { signed, result, sent } = await settled({ order: () => ({ status: 500, body: { error: 'x' } }) });
    expect({ result, sent }).toStrictEqual({
      result: { code: 'outcome_unknown', facts: { orderId: signed.orderId } },
      sent: 0,
    });
  });

  it('is asked for a second time after one failure', async () => {
    const { result, sent } = await settled({ order: (id, index) => (index === 0 ? 'reset' : lookedUp(id, 'MATCHED')) });
    expect({ result, sent }).toMatchObject({ result: { status: 'matched' }, sent: 0 });
  });

  it('is not sent when no time is left to find out what came of it', async () => {
    const { result, sent } = await settled({}, 5_900);
    expect({ result, sent }).toMatchObject({ result: { code: 'outcome_unknown' }, sent: 0 });
  });

  it('is filled when it is a duplicate that only the trades remember', async () => {
    const { signed, result } = await settled({ post: refuse('order is invalid. Duplicated.'), trades: fill });
    expect(result).toStrictEqual(filled(signed.orderId));
  });

  it('is filled when its own fill is the reason of the refusal', async () => {
    const { signed, result } = await settled({ post: refuse('not enough balance / allowance'), trades: fill });
    expect(result).toStrictEqual(filled(signed.orderId));
  });

  it('is refused when the venue refuses it and no trade speaks against that', async () => {
    const { result, sent } = await settled({ post: refuse('not enough balance / allowance') });
    expect({ result, sent }).toStrictEqual({ result: { code: 'insufficient_balance', facts: {} }, sent: 1 });
  });

  const endless: Answers['trades'] = () => ({ body: { data: [], next_cursor: 'again' } });

  it.each<[string, Answers['trades']]>([
    ['cannot be read', () => ({ status: 500, body: { error: 'x' } })],
    ['make no sense', () => ({ body: { data: 'none' } })],
    ['never end', endless],
  ])('stays unknown when the venue refuses it and the trades %s', async (_what, trades) => {
    const { signed, result } = await settled({
      post: refuse('invalid nonce'),
      ...(trades && { trades }),
    });
    expect(result).toStrictEqual({ code: 'outcome_unknown', facts: { orderId: signed.orderId } });
  });

  it('is a refusal when the venue has cancelled it', async () => {
    const { result, sent } = await settled({ order: (id) => lookedUp(id, 'CANCELED') });
    expect({ result, sent }).toMatchObject({ result: { code: 'order_rejected' }, sent: 0 });
  });
});
