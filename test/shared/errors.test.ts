import { describe, expect, it } from '@jest/globals';
import { AppError, ERRORS, errorSpec } from '../../shared/errors.ts';

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
    const waiting = Object.entries(ERRORS).flatMap(([code, spec]) =>
      'retryAfterS' in spec && spec.retryAfterS !== 'varies' ? [code] : [],
    );
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

  it('keep what an error was given', () => {
    const cause = new Error('x');
    const error = new AppError('Do this.', { code: 'rate_limited', facts: { orderId: '0x1' }, retryAfter: 7, cause });
    expect(error).toMatchObject({
      name: 'AppError',
      message: 'Do this.',
      code: 'rate_limited',
      retryAfter: 7,
      cause,
      facts: { orderId: '0x1' },
    });
    expect('cause' in new AppError('x', { code: 'not_found' })).toBe(false);
  });
});
