import { expect, it } from '@jest/globals';
import { type ErrorCode, type Facts, mayBeLiveAfter, OrderBookError } from '../../../packages/client/error.ts';
import { ERROR_CODES, errorSpec } from '../../../shared/errors.ts';

const OF_ORDER: Facts = { order_id: '0x1' };

/** Each error, if the order may be live after it, and if it may be where an attempt before left that open. */
const FATES: readonly (readonly [code: ErrorCode, status: number | undefined, facts: Facts, ...boolean[]])[] = [
  ['network_error', undefined, {}, true, true],
  // A gateway that cut the answer off, or failed after it had passed the request on.
  ...[200, 500, 502].map((status) => ['foreign_answer', status, {}, true, true] as const),
  // One that did not pass the request on.
  ...[401, 403, 404, 405, 407, 413, 429].map((status) => ['foreign_answer', status, {}, false, true] as const),
  ['order_rejected', 422, OF_ORDER, false, false],
  ['insufficient_balance', 422, OF_ORDER, false, false],
  // It refuses this attempt, which has signed the order anew.
  ['daily_cap_reached', 422, OF_ORDER, false, true],
];

it.each(FATES)(
  'after %s %p %j an order may be live: %p, or %p after an open attempt',
  (code, status, facts, ...live) => {
    const error = new OrderBookError('…', { code, status, facts });
    expect([false, true].map((before) => mayBeLiveAfter(error, before))).toStrictEqual(live);
    // Nothing was sent before the client states so.
    expect(error.mayBeLive).toBe(false);
  },
);

it('an order may be live to the client after the codes that the service names, and where another request decides', () => {
  const openAfter = (before: boolean) =>
    ERROR_CODES.filter((code) =>
      mayBeLiveAfter(new OrderBookError('…', { code, status: errorSpec(code).status }), before),
    );
  const named = ERROR_CODES.filter((code) => errorSpec(code).mayBeLive || code === 'order_in_progress');
  expect(openAfter(false)).toStrictEqual(named);
  // A refusal without the order's id says nothing of an attempt before.
  expect(openAfter(true)).toStrictEqual(ERROR_CODES);
});
