import assert from 'node:assert/strict';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { type Answer, expectMembers, expectProblem, membersOf } from './answer.ts';
import { controlOf, disarm, section, type World } from './check.ts';
import { place, sendings } from './orders.ts';

type Fault = Partial<FaultOrder> & Pick<FaultOrder, 'fault'>;

/** Faults of the next orders; their look-ups are not touched. */
const onOrders = (...faults: readonly Fault[]) => faults.map((fault) => ({ method: 'POST', path: '/order', ...fault }));
const refuses = (text: string, code = 400): Fault => ({ fault: 'refuse', text, code });

/** An order under a key of its own, with what was sent to the venue for it. */
function keyed(world: World) {
  const before = sendings(world);
  const headers = { 'idempotency-key': crypto.randomUUID(), 'x-client-address': 'cosmos1abc' };
  return {
    place: (change: object = {}) => place(world, change, headers),
    sent: () => sendings(world) - before,
    orders: () => controlOf(world).venue.orders(),
  };
}

function lookUps(world: World): number {
  return controlOf(world)
    .venue.requests()
    .filter(({ path }) => path.startsWith('/data/')).length;
}

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

const ID = /^0x[0-9a-f]{64}$/;

const CROSSES = 'invalid post-only order: order crosses book';
const BALANCE = 'not enough balance / allowance: the balance is not enough -> balance: 100000';

/** Sentences by which the venue refuses an order for good, what they are told as, and if they are quoted. */
const REFUSALS: readonly (readonly [sentence: string, code: ErrorCode, quoted?: boolean])[] = [
  [CROSSES, 'post_only_would_cross', true],
  [BALANCE, 'insufficient_balance'],
  ['the market is not yet ready to process new orders', 'market_not_accepting_orders', true],
  ['invalid amount for a marketable BUY order ($0.5), min size: $1', 'notional_below_minimum'],
  ['invalid expiration', 'order_rejected', true],
];

/** Answers by which the venue did not take an order this time, and whether they free the key. */
const NOT_TAKEN: readonly (readonly [fault: Fault, code: ErrorCode, isFreed: boolean, members?: object])[] = [
  [{ fault: 'region' }, 'venue_refused_service', true, { reason: 'region' }],
  [refuses('the orderbook 1 does not exist: no orderbook exists', 404), 'unknown_token', true],
  [{ fault: 'rate-limit', retry_after: 7 }, 'rate_limited', false],
  [{ fault: 'halted' }, 'venue_unavailable', false],
];

/** Answers after which an order may be live, to one that was accepted; `fates-table.test.ts` has each kind. */
const UNCLEAR: readonly Fault[] = [{ fault: 'truncated' }, { fault: 'refuse-after', text: 'nobody knows' }];

/** What becomes of an order, as soon as the venue has answered. */
const AT_ONCE = section('fates', ['orders', 'paper venue', 'clients as they are'], {
  'a sentence of the venue refuses at once, is final, and quoted without its amounts or what looks like a credential': {
    proves: [
      'post_only_would_cross',
      'insufficient_balance',
      'market_not_accepting_orders',
      'notional_below_minimum',
      'order_rejected',
    ],
    run: async (world) => {
      for (const [text, code, quoted] of REFUSALS) {
        const [order, looks] = [keyed(world), lookUps(world)];
        controlOf(world).venue.arm(onOrders(refuses(text)));
        const first = await order.place();
        expectProblem(first, code, { venue_reason: quoted ? text : undefined });
        assert.match(String(membersOf(first)['order_id']), ID);
        assert.ok(!JSON.stringify(first.body).includes('100000'), 'an amount of the account is told');
        const again = await order.place();
        assert.deepEqual({ ...membersOf(again), request_id: '' }, { ...membersOf(first), request_id: '' });
        assert.deepEqual([isReplay(first), isReplay(again), order.sent(), lookUps(world)], [false, true, 1, looks]);
      }
    },
  },
  'an order that the venue did not take is kept for the repeat, unless a sentence about the operator or the token frees its key':
    async (world) => {
      for (const [fault, code, isFreed, members = {}] of NOT_TAKEN) {
        const order = keyed(world);
        controlOf(world).venue.arm(onOrders(fault));
        const first = await order.place();
        expectProblem(first, code, { ...members });
        if (fault.retry_after) assert.equal(first.headers.get('retry-after'), `${fault.retry_after}`);
        // A key that was freed takes another order.
        const second = await order.place(isFreed ? { size: '6' } : {});
        const isSame = membersOf(second)['order_id'] === membersOf(first)['order_id'];
        assert.deepEqual([second.status, isReplay(second), order.sent(), isSame], [201, false, 2, !isFreed]);
      }
    },
  'post-only mode refuses a taker for as long as it says': async (world) => {
    controlOf(world).venue.arm(onOrders({ fault: 'post-only-mode', retry_after: 90 }));
    const answer = await place(world, { post_only: false, price: '0.99' });
    expectProblem(answer, 'venue_unavailable');
    assert.equal(answer.headers.get('retry-after'), '90');
    await disarm(world);
  },
  'an answer that proves nothing is looked up: the order is found, and sent once': async (world) => {
    for (const fault of UNCLEAR) {
      const [order, looks] = [keyed(world), lookUps(world)];
      controlOf(world).venue.arm(onOrders(fault));
      const answer = await order.place();
      assert.equal(answer.status, 201, `${JSON.stringify(fault)}: ${JSON.stringify(answer.body)}`);
      const order_id = order.orders().at(-1)?.id;
      expectMembers(answer, { status: 'live', filled_size: '0', remaining_size: '5', order_id });
      assert.equal(order.sent(), 1);
      assert.ok(lookUps(world) > looks, JSON.stringify(fault));
    }
  },
  'a look-up tells what was filled, and no value of it': async (world) => {
    controlOf(world).venue.arm(onOrders({ fault: 'reset-after' }));
    const answer = await keyed(world).place({ side: 'sell', price: '0.01', size: '10', post_only: false });
    expectMembers(answer, { status: 'matched', filled_size: '10', remaining_size: '0', filled_value: null });
  },
  "the venue's own sentence is in the log of a refusal, with the order": async (world) => {
    controlOf(world).venue.arm(onOrders(refuses(BALANCE)));
    const { order_id } = membersOf(await keyed(world).place());
    const lines = controlOf(world)
      .lines()
      .filter((line) => line['order_id'] === order_id);
    assert.ok(lines.some((line) => JSON.stringify(line).includes('balance: 100000')));
    for (const message of ['order signed', 'request']) {
      assert.ok(
        lines.some((line) => line['message'] === message && line['client_address'] === 'cosmos1abc'),
        message,
      );
    }
  },
});

/** What an answer leaves in doubt; `fates-table.test.ts` has what follows in time. */
const IN_DOUBT = section('fates', ['orders', 'process'], {
  'an order that nothing settles is outcome_unknown: a repeat sends the same bytes again': {
    proves: ['outcome_unknown'],
    slow: true,
    run: async (world) => {
      const order = keyed(world);
      controlOf(world).venue.arm(onOrders({ fault: 'reset' }));
      const unknown = await order.place();
      expectProblem(unknown, 'outcome_unknown', { venue_reason: undefined });
      const id = membersOf(unknown)['order_id'];
      const line = controlOf(world)
        .lines()
        .find((candidate) => candidate['code'] === 'outcome_unknown');
      assert.deepEqual([line?.['level'], line?.['order_id'], line?.['client_address']], ['error', id, 'cosmos1abc']);
      expectMembers(await order.place(), { order_id: id });
      assert.deepEqual([order.sent(), order.orders().map((each) => each.id)], [2, [id]]);
    },
  },
});

/** Checks of "Sent once" and "A failure never lies". */
export const FATES = [...AT_ONCE, ...IN_DOUBT];
