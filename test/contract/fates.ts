import assert from 'node:assert/strict';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { type Answer, expectMembers, expectProblem, membersOf } from './answer.ts';
import { controlOf, section, type World } from './check.ts';
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

type Row = readonly [
  fault: Fault,
  code: ErrorCode,
  end: 'final' | 'kept' | 'freed',
  members?: Readonly<Record<string, unknown>>,
];

/** A sentence that refuses an order for good, and is quoted. */
const quoted = (text: string, code: ErrorCode): Row => [refuses(text), code, 'final', { venue_reason: text }];
const BALANCE = 'not enough balance / allowance -> balance: 100000';
const SMALL = 'invalid amount for a marketable BUY order ($0.5), min size: $1';

/** Answers by which the venue took no order, and whether the code is final, or the signed order is kept for the repeat. */
const NOT_TAKEN: readonly Row[] = [
  quoted('invalid post-only order: order crosses book', 'post_only_would_cross'),
  [refuses(BALANCE), 'insufficient_balance', 'final', { venue_reason: undefined }],
  quoted('the market is not yet ready to process new orders', 'market_not_accepting_orders'),
  [refuses(SMALL), 'notional_below_minimum', 'final', { venue_reason: undefined }],
  quoted('invalid expiration', 'order_rejected'),
  [{ fault: 'region' }, 'venue_refused_service', 'freed', { reason: 'region' }],
  [refuses('the orderbook 1 does not exist: no orderbook exists', 404), 'unknown_token', 'freed'],
  [{ fault: 'rate-limit', retry_after: 7 }, 'rate_limited', 'kept'],
  [{ fault: 'halted' }, 'venue_unavailable', 'kept'],
];

/** Answers after which an order may be live, to one that was accepted; `fates-table.test.ts` has each kind. */
const UNCLEAR: readonly Fault[] = [{ fault: 'truncated' }, { fault: 'refuse-after', text: 'nobody knows' }];

/** What becomes of an order, as soon as the venue has answered. */
const AT_ONCE = section('fates', ['orders', 'paper venue', 'clients as they are'], {
  'a sentence of the venue refuses for good, with its words in the log, or the order is kept for the repeat, or its key freed':
    {
      proves: [
        'post_only_would_cross',
        'insufficient_balance',
        'market_not_accepting_orders',
        'notional_below_minimum',
        'order_rejected',
      ],
      run: async (world) => {
        for (const [fault, code, end, members = {}] of NOT_TAKEN) {
          const [order, looks] = [keyed(world), lookUps(world)];
          controlOf(world).venue.arm(onOrders(fault));
          const first = await order.place();
          expectProblem(first, code, members);
          const { order_id } = membersOf(first);
          assert.match(`${order_id}`, ID);
          assert.ok(!JSON.stringify(first.body).includes('100000'), 'an amount of the account is told');
          if (fault.retry_after) assert.equal(first.headers.get('retry-after'), `${fault.retry_after}`);
          // A key that was freed takes another order.
          const again = await order.place(end === 'freed' ? { size: '6' } : {});
          if (end === 'final') {
            assert.deepEqual({ ...membersOf(again), request_id: '' }, { ...membersOf(first), request_id: '' });
            assert.deepEqual([isReplay(first), isReplay(again), order.sent(), lookUps(world)], [false, true, 1, looks]);
            const lines = controlOf(world).lines();
            const told = lines.filter((line) => line['order_id'] === order_id).map((line) => JSON.stringify(line));
            assert.ok(told.join().includes(`${fault.text}`), code);
          } else {
            const isSame = membersOf(again)['order_id'] === order_id;
            assert.deepEqual([again.status, isReplay(again), order.sent(), isSame], [201, false, 2, end === 'kept']);
          }
        }
      },
    },
  'an answer that proves nothing is looked up: the order is found, and sent once': async (world) => {
    for (const fault of UNCLEAR) {
      const [order, looks] = [keyed(world), lookUps(world)];
      controlOf(world).venue.arm(onOrders(fault));
      const answer = await order.place();
      assert.equal(answer.status, 201, `${JSON.stringify(fault)}: ${JSON.stringify(answer.body)}`);
      const order_id = order.orders().at(-1)?.id;
      expectMembers(answer, { status: 'live', filled_size: '0', remaining_size: '5', filled_value: null, order_id });
      assert.equal(order.sent(), 1);
      assert.ok(lookUps(world) > looks, JSON.stringify(fault));
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
