import { describe, expect, it } from '@jest/globals';
import { ERRORS, errorSpec } from '../../shared/errors.ts';
import {
  DOCTOR_MS,
  GATEWAY_LIMIT_MS,
  KEEP_MS,
  KEPT_AFTER_USE_MS,
  LAMBDA_TIMEOUT_MS,
  LEASE_MS,
  LOOK_UP_MS,
  LOOK_UP_PAUSES_MS,
  LOOK_UP_RESERVE_MS,
  MIN_SEND_MS,
  ORDER_BUDGET_MS,
  READ_ATTEMPT_MS,
  READ_BUDGET_MS,
  RETRY_PAUSE_MS,
  SECRET_MS,
  SEND_MS,
  SENDING_RESERVE_MS,
  SETTLE_PAUSES_MS,
  STOP_MS,
  STORE_ATTEMPT_MS,
  STORE_CALL_MS,
  WAY_MS,
} from '../../shared/limits.ts';

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

  it.each([
    ['price_out_of_range', ['minPrice', 'maxPrice']],
    ['size_precision', ['maxDecimals']],
  ] as const)('name their bounds always, and no order, where no order can have been signed: %s', (code, names) => {
    const { facts = {} } = errorSpec(code);
    expect(Object.keys(facts)).toStrictEqual(names);
    expect(Object.values(facts).filter(({ optional }) => optional)).toStrictEqual([]);
  });
});

/** The contract's promises. */
const PROMISED_ORDER_MS = 25_000;
const PROMISED_READ_MS = 10_000;

const sum = (pauses: readonly number[]) => pauses.reduce((total, pause) => total + pause, 0);

describe('the budgets of time', () => {
  it('add up as the drawing of an order says', () => {
    const lookUpsEnd = ORDER_BUDGET_MS - STORE_CALL_MS;
    const sendingEnds = lookUpsEnd - LOOK_UP_RESERVE_MS;
    expect([sendingEnds - SEND_MS, sendingEnds - MIN_SEND_MS, sendingEnds, lookUpsEnd]).toStrictEqual([
      5_000, 16_000, 17_000, 22_000,
    ]);
  });

  it('await rules and credentials until nothing can be sent any more, and leave time to say so', () => {
    expect(ORDER_BUDGET_MS - SENDING_RESERVE_MS).toBe(16_000);
    // The time of the venue, the record and its release.
    expect(16_000 + LOOK_UP_MS + 2 * STORE_CALL_MS).toBeLessThanOrEqual(ORDER_BUDGET_MS);
  });

  it('leave time for every look-up after a sending', () => {
    expect(sum(LOOK_UP_PAUSES_MS)).toBeLessThanOrEqual(LOOK_UP_RESERVE_MS);
    expect(sum(SETTLE_PAUSES_MS)).toBeLessThan(LOOK_UP_RESERVE_MS);
  });

  it('keep the promises, each before the next one that would cut it off', () => {
    const order = [ORDER_BUDGET_MS, PROMISED_ORDER_MS, LAMBDA_TIMEOUT_MS.orders, GATEWAY_LIMIT_MS];
    const read = [READ_BUDGET_MS, PROMISED_READ_MS, LAMBDA_TIMEOUT_MS.reads, GATEWAY_LIMIT_MS];
    for (const times of [order, read]) {
      expect(times).toStrictEqual(times.toSorted((a, b) => a - b));
      expect(new Set(times).size).toBe(times.length);
    }
    expect([ORDER_BUDGET_MS + WAY_MS, READ_BUDGET_MS + WAY_MS]).toStrictEqual([PROMISED_ORDER_MS, PROMISED_READ_MS]);
    expect(STOP_MS).toBeGreaterThan(PROMISED_ORDER_MS);
  });

  it("keep a lease longer than an order's budget", () => {
    expect(LEASE_MS).toBeGreaterThan(ORDER_BUDGET_MS);
  });

  it('fit both attempts of a call of the deployed stores into the call', () => {
    expect(2 * STORE_ATTEMPT_MS.attempt).toBeLessThan(STORE_CALL_MS);
    expect(2 * SECRET_MS.attempt).toBeLessThan(SECRET_MS.read);
    expect(SECRET_MS.read + STORE_CALL_MS + LOOK_UP_RESERVE_MS + MIN_SEND_MS).toBeLessThan(ORDER_BUDGET_MS);
  });

  it('leave two whole attempts of a read time, and of the rules of an order too', () => {
    const both = 2 * READ_ATTEMPT_MS + RETRY_PAUSE_MS.max;
    expect(both).toBeLessThan(READ_BUDGET_MS);
    expect(both).toBeLessThan(ORDER_BUDGET_MS - SENDING_RESERVE_MS);
  });

  it('let the doctor end within its promise and the start of a process', () => {
    expect(DOCTOR_MS + WAY_MS).toBeLessThan(PROMISED_READ_MS);
  });

  it('keep a key for longer than is promised', () => {
    expect(KEEP_MS).toBeGreaterThan(KEPT_AFTER_USE_MS);
    expect(KEPT_AFTER_USE_MS).toBe(24 * 60 * 60 * 1_000);
  });
});
