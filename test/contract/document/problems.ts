import * as z from 'zod/mini';
import { decimal, hash, text } from '../../../functions/answer-schemas.ts';
import { MAX_BODY_BYTES } from '../../../functions/limits.ts';
import { ERRORS, type ErrorCode, type RefusalReason } from '../../../shared/errors.ts';

interface Problem {
  /** Ends the sentence "This is answered when …". */
  readonly when: string;
  /** The members that it adds; optional where the venue may have refused without naming them. */
  readonly facts?: Readonly<Record<string, z.ZodMiniType>>;
}

const REASONS = {
  region: 'region',
  credentials: 'credentials',
  signature: 'signature',
  wallet_type: 'wallet_type',
  account_restricted: 'account_restricted',
  firewall: 'firewall',
} as const satisfies { readonly [Reason in RefusalReason]: Reason };

const venueReason = {
  venue_reason: z.optional(
    z
      .string()
      .check(z.maxLength(200), z.describe("The venue's own sentence, without anything that looks like a secret.")),
  ),
};

const fieldErrors = z
  .array(
    z.object({
      field: text('Name of the member, parameter or header; `body`, `path` or `request` for the whole.'),
      detail: text('What it must be.'),
    }),
  )
  .check(z.minLength(1), z.describe('Every field that is wrong, as far as they were looked at.'));

/** When each code is answered, and with which facts. */
export const PROBLEMS: Readonly<Record<ErrorCode, Problem>> = {
  invalid_request: {
    when: 'the JSON, a field, the query, a header or the request line is malformed',
    facts: { errors: fieldErrors },
  },
  order_placement_disabled: { when: 'the service is read-only; `detail` names the setting that is missing' },
  origin_not_allowed: { when: 'a web page of an origin that the operator has not listed sends it' },
  host_not_allowed: { when: 'the `Host` is not one of the local server (a guard against DNS rebinding)' },
  not_found: { when: 'there is no such path' },
  unknown_token: { when: 'the venue has no order book for the token' },
  method_not_allowed: { when: 'another method is used on this path; `Allow` lists the right ones' },
  request_timeout: { when: 'the request takes too long to arrive (local server)' },
  order_in_progress: { when: 'another request with the same `Idempotency-Key` is being answered' },
  payload_too_large: { when: `the body is larger than ${MAX_BODY_BYTES} bytes` },
  uri_too_long: { when: 'the URL is longer than 8192 bytes (local server)' },
  unsupported_media_type: { when: 'the `Content-Type` is not `application/json` in UTF-8' },
  price_out_of_range: {
    when: 'the price is not from one tick to 1 minus one tick',
    facts: {
      min_price: z.optional(decimal('Lowest price, in collateral per share.')),
      max_price: z.optional(decimal('Highest price, in collateral per share.')),
    },
  },
  price_off_tick: {
    when: 'the price is not a multiple of the tick size',
    facts: { tick_size: z.optional(decimal('Step of prices, in collateral per share.')) },
  },
  size_precision: {
    when: 'the size has too many decimals',
    facts: { max_decimals: z.optional(z.int().check(z.describe('Decimals that a size may have.'))) },
  },
  size_below_minimum: {
    when: "the size is below the market's minimum",
    facts: { min_order_size: z.optional(decimal('Smallest size, in shares.')) },
  },
  notional_below_minimum: {
    when: 'an order that would match at once is worth too little',
    facts: { min_notional: z.optional(decimal('Least price times size, in collateral.')) },
  },
  order_above_cap: {
    when: "price times size is above the operator's cap",
    facts: { max_notional: decimal('Largest price times size, in collateral.') },
  },
  post_only_would_cross: { when: 'a post-only order would match at once', facts: venueReason },
  market_not_accepting_orders: { when: 'the market takes no orders now', facts: venueReason },
  insufficient_balance: { when: "the operator's account cannot cover the order" },
  order_rejected: { when: 'the venue refused the order for a reason of its own', facts: venueReason },
  idempotency_key_reused: { when: 'the `Idempotency-Key` belongs to another order' },
  rate_limited: { when: 'there are too many requests; see `Retry-After`' },
  headers_too_large: { when: 'the headers are larger than 16384 bytes (local server)' },
  internal_error: { when: 'something unexpected went wrong; report the request id' },
  venue_error: { when: 'the venue answered something unusable; no order was placed' },
  venue_refused_service: {
    when: 'the venue refuses this operator; the caller can do nothing about it',
    facts: { reason: z.enum(Object.values(REASONS)).check(z.describe('What the venue objects to.')) },
  },
  venue_unavailable: { when: 'the venue is restarting, halted or cannot be reached; no order was placed' },
  store_unavailable: { when: 'the store of idempotency keys or of the key does not work; nothing was sent' },
  venue_timeout: { when: 'the venue did not answer in time; no order was placed' },
  outcome_unknown: {
    when: 'the order may be live: repeat the request with the same `Idempotency-Key`, or look the order up at the venue',
    facts: { order_id: hash('EIP-712 hash of the signed order, by which the venue knows it.') },
  },
};

/** `price_off_tick` as `PriceOffTickProblem`. */
export function problemName(code: ErrorCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Problem`;
}

/** The problem body (RFC 9457) of a code. */
export function problemSchema(code: ErrorCode): z.ZodMiniType {
  const { status, title } = ERRORS[code];
  const { when, facts = {} } = PROBLEMS[code];
  return z
    .object({
      type: z.literal('about:blank'),
      title: z.literal(title),
      status: z.literal(status),
      code: z.literal(code),
      detail: text('A sentence that says what to do. Not stable: branch on `code`.'),
      request_id: text('As in `X-Request-Id`.'),
      ...facts,
    })
    .check(z.describe(`Answered when ${when}.`));
}
