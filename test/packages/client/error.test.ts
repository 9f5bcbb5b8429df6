import { expect, it } from '@jest/globals';
import { type ErrorCode, type Facts, mayBeLiveAfter, OrderBookError } from '../../../packages/client/error.ts';
import { ERROR_CODES, errorSpec } from '../../../shared/errors.ts';

const OF_ORDER: Facts = { order_id: '0x1' };

/** Each error, if the order may be live after it, and if it may be where an attempt before left that open. */
const FATES: readonly (readonly [code: ErrorCode, status: number | undefined, facts: Facts, ...boolean[]])[] = [
  ['network_error', undefined, {}, true, true],
  ['outcome_unknown', 504, {}, true, true],
  ['order_in_progress', 409, {}, true, true],
  ['internal_error', 500, {}, true, true],
  // A gateway that cut the answer off, or failed after it had passed the request on.
  ...[200, 500, 502].map((status) => ['foreign_answer', status, {}, true, true] as const),
  // One that did not pass the request on.
  ...[401, 403, 404, 405, 407, 413, 429].map((status) => ['foreign_answer', status, {}, false, true] as const),
  ['client_chain_unavailable', 503, {}, false, true],
  ['rate_limited', 429, {}, false, true],
  ['store_unavailable', 503, {}, false, true],
  ['venue_error', 502, {}, false, true],
  ['venue_timeout', 504, {}, false, true],
  ['venue_unavailable', 503, {}, false, true],
  ['invalid_request', 400, {}, false, true],
  ['order_placement_disabled', 403, {}, false, true],
  ['expiry_too_soon', 422, {}, false, true],
  ['idempotency_key_reused', 422, {}, false, true],
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
  const open = ERROR_CODES.filter((code) =>
    mayBeLiveAfter(new OrderBookError('…', { code, status: errorSpec(code).status }), false),
  );
  const named = ERROR_CODES.filter((code) => errorSpec(code).mayBeLive || code === 'order_in_progress');
  expect(open).toStrictEqual(named);
});
