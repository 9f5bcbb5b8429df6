import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { NOTHING_FILLED, NOTHING_TOLD } from '../../../support/orders/order-records.ts';
import {
  type Answers,
  accepted,
  lookedUp,
  NO_TRADES,
  NOT_FOUND,
  openWorld,
  place,
  resultOf,
  TOKEN,
  type TradingWorld,
} from '../../../support/orders/trading-world.ts';
import { callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';

const members = z.record(z.string(), z.unknown());
const HTML = { 'content-type': 'text/html; charset=UTF-8' };
const JSON_TYPE = { 'content-type': 'application/json' };
const LOOK_UP = 'GET /data/order/';

const cut: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"success":true', () => response.destroy());
};

const DELAYED = 'order match delayed due to market conditions';

/** One answer of each kind that proves nothing; post-order.test.ts and sentences.test.ts have them all. */
const UNCLEAR: readonly (readonly [string, (orderId: string) => Reply])[] = [
  ['a reset', () => 'reset'],
  ['a body that breaks off', () => cut],
  ['500 with a sentence of a refusal', () => ({ status: 500, body: { error: 'invalid signature' } })],
  ['502 of the edge', () => ({ status: 502, headers: HTML, body: '<html>' })],
  ['503 of the edge', () => ({ status: 503, headers: HTML, body: '<html>Trading is currently disabled</html>' })],
  ['a redirect', () => ({ status: 307, headers: { location: '/order' } })],
  ['400 as HTML', () => ({ status: 400, headers: HTML, body: '<html>' })],
  ['403 of the firewall', () => ({ status: 403, headers: HTML, body: '<html>' })],
  ['an unknown message', () => ({ status: 400, body: { error: 'a sentence that nobody knows' } })],
  ...[400, 401, 425, 429].map(
    (status) => [`${status} ${DELAYED}`, () => ({ status, body: { error: DELAYED } })] as const,
  ),
  ['400 Duplicated', (id) => ({ status: 400, body: { error: `order ${id} is invalid. Duplicated.` } })],
  ['a refusal that shows the order', (id) => accepted(id, { success: false, errorMsg: 'order crosses book' })],
  ['429 that shows the order', (id) => ({ status: 429, body: { error: 'Too Many Requests', orderID: id } })],
  ['half of a JSON', () => ({ body: '{"success":true,"orderID":"0x' })],
  ['an empty 200', () => ({})],
  ['a wrong order id', () => accepted(`0x${'ee'.repeat(32)}`)],
  ['status unmatched', (id) => accepted(id, { status: 'unmatched' })],
];

/** The fills of an order that a look-up shows untouched: it reports no value. */
const UNFILLED = { ...NOTHING_FILLED, filledValue: null };

const placed = (orderId: string, status: string, tradeIds: readonly string[] = [], fills: object | null = null) => ({
  orderId,
  status,
  ...(fills ?? (status === 'live' || status === 'cancelled' ? UNFILLED : NOTHING_TOLD)),
  transactionHashes: [],
  tradeIds,
});

/** Refusals in messages that nobody knows. */
const UNKNOWN_WORDS: readonly (readonly [string, (orderId: string) => Reply])[] = [
  ['400', () => ({ status: 400, body: { error: 'nobody knows' } })],
  ['200 success false', () => accepted('', { success: false, errorMsg: 'nobody knows', status: '' })],
];

/** Look-ups after which such a refusal is not believed, however long ago it was. */
const DOUBTS: readonly (readonly [string, Answers])[] = [
  ['an HTML 404 to a look-up', { order: (_id, index) => (index === 3 ? { status: 404, headers: HTML } : NOT_FOUND) }],
  ['a foreign 404 to a look-up', { order: () => ({ status: 404, body: { message: 'no' } }) }],
  ["the venue's own 404 to its trades", { trades: () => NOT_FOUND }],
  ['an HTML 404 to its trades', { trades: (_id, index) => (index === 3 ? { status: 404, headers: HTML } : NO_TRADES) }],
  [
    'a failed trade alone',
    { trades: (id) => ({ body: { data: [{ id: 't1', taker_order_id: id, status: 'FAILED' }] } }) },
  ],
  ...['many', null, [{ order_id: null }], [{ order_id: '' }]].map((maker_orders): [string, Answers] => [
    `a trade with the makers ${JSON.stringify(maker_orders)}`,
    { trades: () => ({ body: { data: [{ id: 't1', taker_order_id: '0x0', maker_orders }] } }) },
  ]),
  ...[undefined, null, ''].map((taker_order_id): [string, Answers] => [
    `a trade with the taker ${JSON.stringify(taker_order_id)}`,
    { trades: () => ({ body: { data: [{ id: 't1', taker_order_id, maker_orders: [{ order_id: '0x0' }] }] } }) },
  ]),
  ['null for a page of trades', { trades: () => ({ body: 'null' }) }],
];

/** Each look-up takes so long that not all of them find time. */
const SLOW: Reply = (response) => {
  setTimeout(() => response.writeHead(404, JSON_TYPE).end('{"error":"not found"}'), 500).unref();
};

/** Looks up an order that the venue has refused in words that nobody knows, long ago. */
async function believed(answers: Answers, budget = 24_000) {
  const world = await openWorld(answers);
  const signed = await world.sign();
  return resultOf(world.entry.lookUp(signed, callWithin(budget), 'nobody knows'), signed.orderId);
}

/**
 * Returns a function that says if a time has passed, by the order of this process' own timers: where the machine is
 * busy, that of the test comes as late as those of the service.
 */
function passedAfter(milliseconds: number): () => boolean {
  let passed = false;
  setTimeout(() => {
    passed = true;
  }, milliseconds).unref();
  return () => passed;
}

/** Submits one order; fails beyond the second between an order's budget and what callers are promised. */
async function placeInTime(world: TradingWorld, budget: number) {
  const signed = await world.sign();
  const isLate = passedAfter(budget + 1_000);
  const result = await resultOf(world.entry.submit(signed, callWithin(budget)), signed.orderId);
  expect(isLate()).toBe(false);
  return { signed, result };
}

describe('an order that the venue accepts', () => {
  it.each<[string, Readonly<Record<string, unknown>>, readonly string[], readonly string[]]>([
    ['live', {}, [], []],
    [
      'matched',
      { makingAmount: '0.9', takingAmount: '2', transactionsHashes: ['0xaa'], tradeIDs: ['t1', 't2'] },
      ['0xaa'],
      ['t1', 't2'],
    ],
    ['delayed', { errorMsg: null, transactionsHashes: null }, [], []],
    ['LIVE', { errorMsg: undefined, tradeIDs: undefined }, [], []],
  ])('is placed with status %s %j', async (status, changes, transactionHashes, tradeIds) => {
    const world = await openWorld({
      post: (id) => accepted(id.toUpperCase().replace('0X', '0x'), { status, ...changes }),
    });
    const { signed, result } = await place(world);
    const { orderId } = signed;
    expect(result).toMatchObject({ orderId, status: status.toLowerCase(), transactionHashes, tradeIds });
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order']);
  });
});

describe('an order that may be live', () => {
  it.each(UNCLEAR)('is looked up, not sent again, after %s', async (_what, post) => {
    const world = await openWorld({ post, order: (id) => lookedUp(id, 'LIVE') });
    const { signed, result } = await place(world);
    expect(result).toStrictEqual(placed(signed.orderId, 'live'));
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order', `${LOOK_UP}${signed.orderId}`]);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string, readonly string[], readonly string[]]>([
    ['LIVE', {}, 'live', [], []],
    ['ORDER_STATUS_LIVE', {}, 'live', [], []],
    ['live', { size_matched: '0.00' }, 'live', [], []],
    ['DELAYED', {}, 'delayed', [], []],
    ['ORDER_STATUS_DELAYED', { associate_trades: null }, 'delayed', [], []],
    ['MATCHED', { size_matched: '10', associate_trades: ['t7'] }, 'matched', ['t7'], ['10', '0']],
    ['ORDER_STATUS_MATCHED', {}, 'matched', [], []],
    ['LIVE', { size_matched: '2.5', associate_trades: ['t8'] }, 'matched', ['t8'], ['2.5', '7.5']],
    ['CANCELED', { size_matched: '2.5', associate_trades: ['t9'] }, 'cancelled', ['t9'], ['2.5', '7.5']],
    ['CANCELED', {}, 'cancelled', [], []],
    ['ORDER_STATUS_CANCELED', {}, 'cancelled', [], []],
    ['CANCELLED', {}, 'cancelled', [], []],
    ['ORDER_STATUS_CANCELED_MARKET_RESOLVED', {}, 'cancelled', [], []],
    ['INVALID', {}, 'cancelled', [], []],
    ["CANCELED_order couldn't be fully filled. FOK orders are fully filled or killed.", {}, 'cancelled', [], []],
    ['canceled_by the user', { size_matched: '2.5' }, 'cancelled', [], ['2.5', '7.5']],
    ['UNMATCHED', { size_matched: '2.5' }, 'matched', [], ['2.5', '7.5']],
    ['SOMETHING_NEW', { size_matched: '1' }, 'matched', [], ['1', '9']],
  ])('is found as %s %j: %s', async (state, changes, status, tradeIds, sizes) => {
    const world = await openWorld({ post: () => 'reset', order: (id) => lookedUp(id, state, changes) });
    const { signed, result } = await place(world);
    const [filledSize, remainingSize] = sizes;
    const fills = filledSize ? { filledSize, remainingSize, filledValue: null } : null;
    expect(result).toStrictEqual(placed(signed.orderId, status, tradeIds, fills));
  });

  it.each(['LIVE', "CANCELED_order couldn't be fully filled."])(
    'is found as %s though its record does not say what was filled',
    async (state) => {
      const world = await openWorld({
        post: () => 'reset',
        order: (id) => lookedUp(id, state, { size_matched: '' }),
      });
      const { signed, result } = await place(world);
      const status = state === 'LIVE' ? 'live' : 'cancelled';
      expect(result).toStrictEqual(placed(signed.orderId, status, [], NOTHING_TOLD));
    },
  );

  it.each<[string, Reply]>([
    ['404', NOT_FOUND],
    ['null', { body: 'null' }],
    ['another order', lookedUp(`0x${'ee'.repeat(32)}`, 'LIVE')],
    ['a state that is new', lookedUp('ours', 'PARKED')],
    ['UNMATCHED', lookedUp('ours', 'UNMATCHED')],
    ['a state with a tail', lookedUp('ours', 'CANCELED by 0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab')],
    ['500', { status: 500, body: { error: 'x' } }],
    ['a page of the edge', { status: 502, headers: HTML }],
    ['an order without size_matched', lookedUp('ours', 'LIVE', { size_matched: undefined })],
  ])('is found by a later look-up when the first says %s', async (_what, first) => {
    const world = await openWorld({
      post: () => 'reset',
      order: (id, index) => {
        if (index > 0) return lookedUp(id, 'LIVE');
        return typeof first === 'object' && JSON.stringify(first).includes('ours')
          ? { ...first, body: { ...members.parse(first.body), id } }
          : first;
      },
    });
    const { signed, result } = await place(world);
    expect(result).toStrictEqual(placed(signed.orderId, 'live'));
    expect(world.venue.calls().filter((call) => call.startsWith(LOOK_UP))).toHaveLength(2);
  });

  const trade = (id: string, changes: object) => ({
    id,
    taker_order_id: '0x0',
    maker_orders: [],
    transaction_hash: null,
    ...changes,
  });

  it.each<[string, (orderId: string) => object]>([
    ['as taker', (orderId) => trade('t1', { taker_order_id: orderId, transaction_hash: '0xaa' })],
    [
      'as maker',
      (orderId) => trade('t1', { maker_orders: [{ order_id: orderId.toUpperCase() }], transaction_hash: '0xaa' }),
    ],
  ])('is found among the trades %s, on a later page, when the venue has forgotten it', async (_what, fill) => {
    const world = await openWorld({
      post: () => 'reset',
      trades: (orderId, _index, { query }) =>
        query.get('next_cursor') === 'Mg=='
          ? { body: { data: [fill(orderId), trade('t2', { taker_order_id: '0x0' })], next_cursor: 'LTE=' } }
          : { body: { data: [trade('t0', { taker_order_id: null })], next_cursor: 'Mg==' } },
    });
    const { signed, result } = await place(world);
    expect(result).toStrictEqual({
      orderId: signed.orderId,
      status: 'matched',
      ...NOTHING_TOLD,
      transactionHashes: ['0xaa'],
      tradeIds: ['t1'],
    });
    const asked = world.venue.seen.filter(({ path }) => path === '/data/trades').map(({ query }) => query);
    // By the token, and not by a time, which would be that of a clock.
    expect(asked.map((query) => [query.get('asset_id'), query.get('market'), query.get('after')])).toStrictEqual([
      [TOKEN, null, null],
      [TOKEN, null, null],
    ]);
  });

  it('is found among the trades of its market where the other token was matched', async () => {
    const world = await openWorld({
      post: () => 'reset',
      trades: (orderId, _index, { query }) =>
        query.has('market')
          ? { body: { data: [trade('t1', { maker_orders: [{ order_id: orderId }] })], next_cursor: 'LTE=' } }
          : NO_TRADES,
    });
    const { signed, result } = await place(world);
    expect(result).toStrictEqual(placed(signed.orderId, 'matched', ['t1']));
  });

  it.concurrent('is no fill when all of its trades failed, in either spelling', async () => {
    const ends = await Promise.all(
      ['FAILED', 'TRADE_STATUS_FAILED'].map(async (status) => {
        const trades: Answers['trades'] = (id) => ({ body: { data: [trade('t1', { taker_order_id: id, status })] } });
        return (await place(await openWorld({ post: () => 'reset', trades }))).result;
      }),
    );
    expect(ends).toMatchObject([{ code: 'outcome_unknown' }, { code: 'outcome_unknown' }]);
  }, 20_000);

  it.each(['RETRYING', 'MATCHED', null])('is filled by a trade that is %s beside a failed one', async (status) => {
    const world = await openWorld({
      post: () => 'reset',
      trades: (orderId) => ({
        body: {
          data: [
            trade('t1', { taker_order_id: orderId, status: 'FAILED', transaction_hash: '0xaa' }),
            trade('t2', { taker_order_id: orderId, status }),
          ],
        },
      }),
    });
    const { signed, result } = await place(world);
    expect(result).toStrictEqual(placed(signed.orderId, 'matched', ['t2']));
  });

  it.concurrent('is outcome_unknown with its id, sent once and within its time, when nothing settles it', async () => {
    const worlds = [
      await openWorld({ post: () => 'reset' }),
      await openWorld({ post: () => ({ status: 400, body: { error: 'Duplicated' } }), order: () => 'hang' }),
      await openWorld({ post: () => 'hang', order: () => 'hang', trades: () => 'hang' }),
    ];
    // Only where nothing hangs have the look-ups more time than they take, however busy the machine is.
    const ends = await Promise.all(worlds.map((world, index) => placeInTime(world, index === 0 ? 24_000 : 6_200)));
    expect(ends.map(({ result }) => result)).toStrictEqual(
      ends.map(({ signed: { orderId } }) => ({ code: 'outcome_unknown', facts: { orderId } })),
    );
    for (const { venue } of worlds) expect(venue.calls().filter((call) => call === 'POST /order').length).toBe(1);
    expect(worlds[0]?.venue.calls().filter((call) => call.startsWith(LOOK_UP)).length).toBe(5);
  });

  it('keeps 5 s of its time for look-ups', async () => {
    const order: Answers['order'] = (id) => (isLate() ? NOT_FOUND : lookedUp(id, 'LIVE'));
    const world = await openWorld({ post: () => 'hang', order });
    const signed = await world.sign();
    const isLate = passedAfter(6_200 - 4_400);
    const result = await resultOf(world.entry.submit(signed, callWithin(6_200)), signed.orderId);
    expect(result).toMatchObject({ status: 'live' });
  });
});

// Side by side, since each takes five seconds.
describe('an order that is refused with an unknown message', () => {
  it.concurrent('stays unknown, with the words, after look-ups over 5 s that found neither it nor a trade', async () => {
    const ends = await Promise.all(
      UNKNOWN_WORDS.map(async ([name, post]) => {
        const world = await openWorld({ post });
        const startedAt = performance.now();
        const { signed, result } = await place(world);
        const [took, calls] = [performance.now() - startedAt, world.venue.calls()];
        const count = (path: string) => calls.filter((call) => call.startsWith(path)).length;
        return {
          name,
          signed,
          result,
          took,
          sent: count('POST /order'),
          looks: [count(LOOK_UP), count('GET /data/trades')],
        };
      }),
    );
    for (const { name, signed, result, took, sent, looks } of ends) {
      expect([name, result, sent, looks]).toStrictEqual([
        name,
        { code: 'outcome_unknown', facts: { orderId: signed.orderId, venueReason: 'nobody knows' } },
        1,
        [5, 8],
      ]);
      expect(took).toBeGreaterThan(5_000);
    }
  }, 20_000);

  it.concurrent('is rejected once it is looked up long after, and no look-up leaves a doubt', async () => {
    const facts = { venueReason: 'nobody knows' };
    expect(await believed({})).toMatchObject({ code: 'order_rejected', facts });
    const ends = await Promise.all([
      ...DOUBTS.map(async ([name, answers]) => [name, await believed(answers)] as const),
      believed({ order: () => SLOW }, 6_200).then((end) => ['too little time', end] as const),
    ]);
    for (const [name, end] of ends) expect([name, end]).toMatchObject([name, { code: 'outcome_unknown' }]);
  }, 30_000);

  it.concurrent.each<[string, Answers]>([
    ['the status of a live order', { post: (id) => accepted(id, { success: false, errorMsg: 'order crosses book' }) }],
    ['no denial of success', { post: () => accepted('', { errorMsg: 'nobody knows', status: '' }) }],
  ])('stays unknown without words where the answer has %s', async (_what, answers) => {
    const { signed, result } = await place(await openWorld(answers));
    expect(result).toStrictEqual({ code: 'outcome_unknown', facts: { orderId: signed.orderId } });
  });
});
