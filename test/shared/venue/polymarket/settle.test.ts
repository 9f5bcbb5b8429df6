import { describe, expect, it } from '@jest/globals';
import { NOTHING_FILLED, NOTHING_TOLD } from '../../../support/orders/order-records.ts';
import { type Answers, lookedUp, NOT_FOUND, openWorld, resultOf } from '../../../support/orders/trading-world.ts';
import { callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../../support/venue/venue-answers.ts';

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
const filled = (orderId: string) => ({
  orderId,
  status: 'matched',
  ...NOTHING_TOLD,
  transactionHashes: ['0xaa'],
  tradeIds: ['t1'],
});
const refuse = (text: string) => (): Reply => ({ status: 400, body: { error: text } });

describe('an order of an earlier request', () => {
  it('is not sent again when the venue has it', async () => {
    const { signed, result, calls } = await settled({ order: (id) => lookedUp(id, 'LIVE') });
    expect(result).toStrictEqual({
      orderId: signed.orderId,
      status: 'live',
      ...NOTHING_FILLED,
      filledValue: null,
      transactionHashes: [],
      tradeIds: [],
    });
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

  it('leaves a line that names the request where the venue does not answer', async () => {
    const world = await openWorld();
    const signed = await world.sign();
    await world.venue.close();
    const trace = { request_id: 'r-1' };
    await world.entry.lookUp(signed, { ...callWithin(), trace });
    const line = { level: 'debug', message: 'look-up failed', venue_request: 'read-order', ...trace };
    expect(world.lines).toContainEqual(expect.objectContaining(line));
  });

  it('is asked for a second time after one failure', async () => {
    const { result, sent } = await settled({ order: (id, index) => (index === 0 ? 'reset' : lookedUp(id, 'MATCHED')) });
    expect({ result, sent }).toMatchObject({ result: { status: 'matched' }, sent: 0 });
  });

  it('is asked for a second time while most of its time is left, where the first look-up hangs', async () => {
    const { result, sent } = await settled({ order: (id, index) => (index === 0 ? 'hang' : lookedUp(id, 'LIVE')) });
    expect({ result, sent }).toMatchObject({ result: { status: 'live' }, sent: 0 });
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
    const { signed, result, sent } = await settled({ post: refuse('not enough balance / allowance') });
    expect({ result, sent }).toStrictEqual({
      result: { code: 'insufficient_balance', facts: { orderId: signed.orderId } },
      sent: 1,
    });
  });

  const endless: Answers['trades'] = () => ({ body: { data: [], next_cursor: 'again' } });

  it.each<[string, Answers['trades']]>([
    ['cannot be read', () => ({ status: 500, body: { error: 'x' } })],
    ['make no sense', () => ({ body: { data: 'none' } })],
    ['never end', endless],
    ['are a 404 of the edge', () => ({ status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' })],
  ])('stays unknown when the venue refuses it and the trades %s', async (_what, trades) => {
    const { signed, result } = await settled({
      post: refuse('invalid expiration'),
      ...(trades && { trades }),
    });
    expect(result).toStrictEqual({ code: 'outcome_unknown', facts: { orderId: signed.orderId } });
  });

  it('is found when it shows up after a refusal that it caused itself', async () => {
    const { result } = await settled({
      post: refuse('not enough balance / allowance: sum of active orders: 5000000'),
      order: (id, index) => (index === 0 ? NOT_FOUND : lookedUp(id, 'LIVE')),
    });
    expect(result).toMatchObject({ status: 'live' });
  });

  it('is cancelled, not refused, when the venue took it and has cancelled it', async () => {
    const { result, sent } = await settled({ order: (id) => lookedUp(id, 'CANCELED') });
    expect({ result, sent }).toMatchObject({ result: { status: 'cancelled' }, sent: 0 });
  });

  it.each<[string, Answers, object]>([
    ['is found where the venue shows it', { order: (id) => lookedUp(id, 'LIVE') }, { status: 'live' }],
    ['is found among its trades', { trades: fill }, { status: 'matched' }],
    ['stays unknown where the venue knows nothing', {}, { code: 'outcome_unknown' }],
  ])('that may not be sent any more %s', async (_what, answers, expected) => {
    const world = await openWorld(answers);
    const signed = await world.sign();
    expect(await resultOf(world.entry.lookUp(signed, callWithin(24_000)), signed.orderId)).toMatchObject(expected);
    expect(world.venue.calls()).not.toContain('POST /order');
  });

  it.each(['submit', 'settle'] as const)('is not sent by %s once the right to send has ended', async (act) => {
    const world = await openWorld();
    const signed = await world.sign();
    const fate = await world.entry[act](signed, { ...callWithin(24_000), leaseUntil: 0 });
    expect(fate).toMatchObject({ kind: 'unknown', why: 'lease_ended', sentAt: null });
    expect(world.venue.calls()).not.toContain('POST /order');
  });
});

const NOT_FOUND_AS_TEXT = { status: 404, body: '{"error":"order not found"}' };

describe("the venue's clock", () => {
  const ahead = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() });

  it.each([120_000, -120_000, 0])(
    'is known when it is %d ms from ours, and dates what is signed and sent',
    async (skew) => {
      const world = await openWorld({
        book: (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? ''), headers: ahead(skew) }),
        post: () => 'reset',
        order: () => ({ ...NOT_FOUND_AS_TEXT, headers: ahead(skew) }),
        trades: () => ({ status: 500, body: 'x', headers: ahead(skew) }),
      });
      // The venue tells whole seconds.
      const earliest = Date.now() + skew - 1_000;
      const signed = await world.sign();
      const fate = await world.entry.submit(signed, callWithin(6_200));
      const times = [JSON.parse(signed.payload).timestamp, fate.kind === 'unknown' ? fate.sentAt : null];
      for (const time of [...times.map(Number), world.entry.now()]) {
        expect(time).toBeGreaterThanOrEqual(earliest);
        expect(time).toBeLessThanOrEqual(Date.now() + skew + 1_000);
      }
    },
  );

  it('is asked for when nothing was heard of the venue yet, until a second answer agrees', async () => {
    const world = await openWorld({ order: () => ({ ...NOT_FOUND_AS_TEXT, headers: ahead(120_000) }) });
    await world.entry.syncClock(callWithin());
    expect(world.entry.now() - Date.now()).toBeGreaterThan(118_000);
    await world.entry.syncClock(callWithin());
    expect(world.venue.calls()).toStrictEqual(['GET /time', 'GET /time']);
  });

  it.each([
    [120_000, 1],
    [-120_000, 1],
    [30_000, 0],
  ])('is warned about once where it is %d ms from ours', async (skew, warnings) => {
    const world = await openWorld({ order: () => ({ ...NOT_FOUND_AS_TEXT, headers: ahead(skew) }) });
    for (const _ of [0, 1]) await world.entry.syncClock(callWithin());
    expect(world.lines.filter(({ message }) => String(message).includes('set ours by NTP'))).toHaveLength(warnings);
  });

  it('is ours where the venue does not tell', async () => {
    const world = await openWorld();
    await world.venue.close();
    const trace = { request_id: 'r-1' };
    await world.entry.syncClock({ ...callWithin(), trace });
    const before = Date.now();
    const now = world.entry.now();
    expect([now >= before - 1, now <= Date.now() + 1]).toStrictEqual([true, true]);
    expect(world.lines.at(-1)).toMatchObject({ level: 'warn', message: 'venue time unavailable', ...trace });
  });
});
