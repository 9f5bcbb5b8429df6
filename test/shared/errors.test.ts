import { describe, expect, it } from '@jest/globals';
import { ERRORS } from '../../shared/errors.ts';
import * as limits from '../../shared/limits.ts';

/** As the contract has them. */
const STATUSES = {
  invalid_request: 400,
  client_signature_required: 401,
  client_signature_invalid: 401,
  order_placement_disabled: 403,
  origin_not_allowed: 403,
  host_not_allowed: 403,
  caller_not_identified: 403,
  client_not_allowed: 403,
  not_found: 404,
  unknown_token: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  order_in_progress: 409,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  price_out_of_range: 422,
  price_off_tick: 422,
  size_precision: 422,
  size_below_minimum: 422,
  notional_below_minimum: 422,
  expiry_too_soon: 422,
  order_above_cap: 422,
  daily_cap_reached: 422,
  post_only_would_cross: 422,
  market_not_accepting_orders: 422,
  insufficient_balance: 422,
  order_rejected: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  venue_error: 502,
  venue_refused_service: 502,
  venue_unavailable: 503,
  client_chain_unavailable: 503,
  store_unavailable: 503,
  venue_timeout: 504,
  outcome_unknown: 504,
};

describe('the error codes', () => {
  it('are the closed set of the contract, with its statuses', () => {
    expect(Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]))).toStrictEqual(
      STATUSES,
    );
  });

  it('have a time to wait by default on every 429 and 503', () => {
    const waiting = Object.entries(ERRORS).flatMap(([code, spec]) => ('retryAfterS' in spec ? [code] : []));
    const expected = Object.entries(STATUSES).flatMap(([code, status]) =>
      status === 429 || status === 503 ? [code] : [],
    );
    expect(waiting).toStrictEqual(expected);
  });
});

/** The contract's promises. */
const PROMISED_ORDER_MS = 25_000;
const PROMISED_READ_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

const sum = (pauses: readonly number[]) => pauses.reduce((total, pause) => total + pause, 0);
const lookUpsEnd = limits.ORDER_BUDGET_MS - limits.STORE_CALL_MS;
const sendingEnds = lookUpsEnd - limits.LOOK_UP_RESERVE_MS;
const released = limits.LOOK_UP_MS + 2 * limits.STORE_CALL_MS;
const secretRead = limits.SECRET_MS.read + limits.STORE_CALL_MS + limits.LOOK_UP_RESERVE_MS + limits.MIN_SEND_MS;
const { orders: ORDERS_MS, reads: READS_MS } = limits.LAMBDA_TIMEOUT_MS;
const twoReads = 2 * limits.READ_ATTEMPT_MS + limits.RETRY_PAUSE_MS.max;

/** Times that grow from one to the next. */
const GROWING: Readonly<Record<string, readonly number[]>> = {
  'an order is not cut off': [limits.ORDER_BUDGET_MS, PROMISED_ORDER_MS, ORDERS_MS, limits.GATEWAY_LIMIT_MS],
  'a read is not cut off': [limits.READ_BUDGET_MS, PROMISED_READ_MS, READS_MS, limits.GATEWAY_LIMIT_MS],
  'a process waits for its orders at the end': [PROMISED_ORDER_MS, limits.STOP_MS],
  // The time of the venue, the record and its release.
  'what follows rules and credentials has its time': [16_000 + released - 1, limits.ORDER_BUDGET_MS],
  'look-ups after a sending fit into their reserve': [sum(limits.LOOK_UP_PAUSES_MS) - 1, limits.LOOK_UP_RESERVE_MS],
  'look-ups of an earlier sending do too': [sum(limits.SETTLE_PAUSES_MS), limits.LOOK_UP_RESERVE_MS],
  'a lease is longer than an order': [limits.ORDER_BUDGET_MS, limits.LEASE_MS],
  'two attempts fit into a call of the store': [2 * limits.STORE_ATTEMPT_MS.attempt, limits.STORE_CALL_MS],
  'two attempts fit into a read of the secret': [2 * limits.SECRET_MS.attempt, limits.SECRET_MS.read],
  'a first order has time to read the secret': [secretRead, limits.ORDER_BUDGET_MS],
  'two attempts of a read fit into it': [twoReads, limits.READ_BUDGET_MS],
  'two attempts at the rules fit before the sending': [twoReads, limits.ORDER_BUDGET_MS - limits.SENDING_RESERVE_MS],
  'a key is kept for longer than is promised': [limits.KEPT_AFTER_USE_MS, limits.KEEP_MS],
};

describe('the budgets of time', () => {
  it('are those of the drawing of an order and of the contract', () => {
    const sending = [sendingEnds - limits.SEND_MS, sendingEnds - limits.MIN_SEND_MS, sendingEnds, lookUpsEnd];
    expect(sending).toStrictEqual([5_000, 16_000, 17_000, 22_000]);
    expect(limits.ORDER_BUDGET_MS - limits.SENDING_RESERVE_MS).toBe(16_000);
    expect(limits.ORDER_BUDGET_MS + limits.WAY_MS).toBe(PROMISED_ORDER_MS);
    expect(limits.READ_BUDGET_MS + limits.WAY_MS).toBe(PROMISED_READ_MS);
    expect(limits.KEPT_AFTER_USE_MS).toBe(DAY_MS);
  });

  it.each(Object.entries(GROWING))('%s', (_promise, times) => {
    for (const [index, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[index] ?? Number.NaN);
  });
});
