/**
 * The closed set of error codes. A code is stable: clients branch on it. Adding one here is all it takes to give it a
 * status and a title; `retryAfter` (seconds) is what is answered when nobody knows better.
 */
export const ERRORS = {
  invalid_request: { status: 400, title: 'Invalid request' },
  order_placement_disabled: { status: 403, title: 'Order placement is disabled' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed' },
  host_not_allowed: { status: 403, title: 'Host not allowed' },
  not_found: { status: 404, title: 'Not found' },
  unknown_token: { status: 404, title: 'Unknown outcome token' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request time-out' },
  order_in_progress: { status: 409, title: 'Order in progress' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  uri_too_long: { status: 414, title: 'URI too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  price_out_of_range: { status: 422, title: 'Price out of range' },
  price_off_tick: { status: 422, title: 'Price off the tick grid' },
  size_precision: { status: 422, title: 'Size has too many decimals' },
  size_below_minimum: { status: 422, title: 'Size below the minimum' },
  notional_below_minimum: { status: 422, title: 'Notional below the minimum' },
  order_above_cap: { status: 422, title: 'Order above the cap' },
  post_only_would_cross: { status: 422, title: 'Post-only order would cross' },
  market_not_accepting_orders: { status: 422, title: 'Market not accepting orders' },
  insufficient_balance: { status: 422, title: 'Insufficient balance or allowance' },
  order_rejected: { status: 422, title: 'Order rejected by the venue' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused' },
  rate_limited: { status: 429, title: 'Rate limited', retryAfter: 1 },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal_error: { status: 500, title: 'Internal error' },
  venue_error: { status: 502, title: 'Venue error' },
  venue_refused_service: { status: 502, title: 'Venue refused the service' },
  venue_unavailable: { status: 503, title: 'Venue unavailable', retryAfter: 5 },
  store_unavailable: { status: 503, title: 'Store unavailable', retryAfter: 5 },
  venue_timeout: { status: 504, title: 'Venue time-out' },
  outcome_unknown: { status: 504, title: 'Outcome unknown' },
} as const satisfies Record<string, { status: number; title: string; retryAfter?: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** Why the venue refuses this operator; the caller can do nothing about it. */
export type RefusalReason = 'region' | 'credentials' | 'signature' | 'wallet_type' | 'account_restricted' | 'firewall';

/** One wrong field of a request, and what it must be. */
export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

/** The members that an error adds to its problem body, besides `code` and `detail`. Decimals are strings. */
export interface ErrorFacts {
  readonly errors?: readonly FieldError[];
  readonly minPrice?: string;
  readonly maxPrice?: string;
  readonly tickSize?: string;
  readonly maxDecimals?: number;
  readonly minOrderSize?: string;
  readonly minNotional?: string;
  readonly maxNotional?: string;
  readonly reason?: RefusalReason;
  readonly venueReason?: string;
  readonly orderId?: string;
}

export interface ErrorOptions {
  readonly code: ErrorCode;
  readonly facts?: ErrorFacts;
  /** Seconds until a repeat makes sense; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** Whether this is the answer to an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
  /** Kept for the log, never sent. */
  readonly cause?: unknown;
}

/** The one error that may leave the service: a code, a sentence that says what to do, and facts. Never a secret. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly facts: ErrorFacts;
  readonly retryAfter: number | undefined;
  readonly replayed: boolean;

  constructor(detail: string, { code, facts = {}, retryAfter, replayed = false, cause }: ErrorOptions) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.facts = facts;
    this.replayed = replayed;
    const spec = ERRORS[code];
    this.retryAfter = retryAfter ?? ('retryAfter' in spec ? spec.retryAfter : undefined);
  }
}

/** 400 `invalid_request`: `what` is not valid, since these fields of it are wrong; the sentence tells the first. */
export function invalidRequest(what: string, errors: readonly FieldError[]): AppError {
  const [first] = errors;
  return new AppError(`${what} is not valid: ${first?.field} ${first?.detail}`, {
    code: 'invalid_request',
    facts: { errors },
  });
}
