import {
  ADVICE,
  CALLER_NOT_IDENTIFIED,
  differenceOf,
  INSUFFICIENT_BALANCE,
  KEY_REUSED,
  OUTCOME_UNKNOWN,
  RATE_LIMITED,
  REFUSED_SERVICE,
  SIGN,
  SIGNATURE_INVALID,
  STORE_UNAVAILABLE,
  VENUE_ERROR,
  VENUE_UNAVAILABLE,
} from './error-sentences.ts';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_TARGET_BYTES } from './limits.ts';

/** One wrong field of a request, and what it must be. */
export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

/** The members that an error adds to its problem body, by their names in code. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** A fact as the document describes it; optional where a problem of the code may lack it. */
interface FactSpec {
  readonly kind: 'decimal' | 'integer' | 'hash' | 'time' | 'sentence' | 'text' | 'field errors' | readonly string[];
  readonly meaning: string;
  readonly optional?: true;
}

/**
 * What has to happen after an error. The caller repeats the request with the same idempotency key (`repeat`), corrects it
 * (`change`) or orders again later (`wait`), or the operator has to act (`operator`); then a repeat harms nothing.
 */
export type Next = 'repeat' | 'change' | 'wait' | 'operator';

export interface ErrorSpec {
  readonly status: number;
  readonly next: Next;
  /** Ends the sentence "Answered when …". */
  readonly when: string;
  readonly facts?: Readonly<Record<string, FactSpec>>;
  /** The default of `Retry-After`. */
  readonly retryAfterS?: number;
  /** Set where the order may be live after it; a text says under which circumstances. */
  readonly mayBeLive?: true | 'with the reason `firewall` and an `order_id`';
  /** The venue's own refusal of an order: kept under an idempotency key and replayed. */
  readonly final?: true;
  /** Writes the sentence that says what happened and what to do. */
  detail(facts: object): string;
}

/** Truncates a caller's text and escapes it to printable ASCII, so that it cannot change what a log or a page shows. */
export function printable(text: string): string {
  return text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?');
}

/** The id to look up after an error; see `aboutOrder`. */
export const ORDER_ID = { kind: 'hash', meaning: "EIP-712 hash of the signed order, the venue's id of it." } as const;

const venueReason = {
  kind: 'sentence',
  meaning: "The venue's own sentence, without anything that looks like a secret.",
} as const;

const challenge = {
  kind: 'text',
  meaning: 'The text to sign. Its last line has the time for X-Client-Signature-Expires.',
} as const;

/** The catalogue of error codes. Documents, headers, what a key replays and the alarms are derived from it: one entry makes a code. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    next: 'change',
    when: 'the JSON, a field, the query, a header or the request line is malformed',
    facts: { errors: { kind: 'field errors', meaning: 'The wrong fields.' } },
    /** `part`: what is not valid, such as "The order". */
    detail: ({ part, errors: [first] }: { part: string; errors: readonly FieldError[] }) =>
      `${part} is not valid: ${first?.field} ${first?.detail}`,
  },
  client_signature_required: {
    status: 401,
    next: 'change',
    when: 'the service verifies clients, and the signature of the order or its expiry is missing',
    facts: { challenge },
    detail: () => SIGN,
  },
  client_signature_invalid: {
    status: 401,
    next: 'change',
    when: 'the signature is malformed, expired, valid for too long, of another wallet, over another text, or of a contract wallet that cannot be asked',
    facts: { challenge },
    /** `chainId`: of the chain that has no contract at the address. */
    detail: ({ why, chainId }: { why: keyof typeof SIGNATURE_INVALID; chainId?: number }) =>
      `${SIGNATURE_INVALID[why]}${chainId === undefined ? '' : ` Chain ${chainId} has no contract at this address.`}${why === 'no_check' ? '' : ` ${SIGN}`}`,
  },
  order_placement_disabled: {
    status: 403,
    next: 'operator',
    when: 'the service is read-only, or its key is not that of the wallet it was deployed for; `detail` says which',
    detail: ({ why }: { why: string }) => why,
  },
  origin_not_allowed: {
    status: 403,
    next: 'operator',
    when: 'a web page of an origin that the operator has not listed sends it',
    detail: ({ origin }: { origin: string }) =>
      `Orders from pages of "${printable(origin)}" are refused. Ask the operator to add this origin to SERVICE_CORS_ORIGINS (deployed: corsOrigins).`,
  },
  host_not_allowed: {
    status: 403,
    next: 'operator',
    when: 'the `Host` is not one of the local server (a guard against DNS rebinding)',
    detail: ({ host }: { host: string }) =>
      `Requests for the host "${printable(host)}" are refused. Ask the operator to add it to SERVICE_ALLOWED_HOSTS.`,
  },
  caller_not_identified: {
    status: 403,
    next: 'change',
    when: 'the gateway did not identify the caller',
    detail: ({ access }: { access: keyof typeof CALLER_NOT_IDENTIFIED }) => CALLER_NOT_IDENTIFIED[access],
  },
  client_not_allowed: {
    status: 403,
    next: 'operator',
    when: 'the operator does not let the client that signed the order trade here',
    detail: () =>
      'No order was placed: this address may not order here. Ask the operator to add it to SERVICE_ALLOWED_CLIENTS (deployed: allowedClients).',
  },
  not_found: {
    status: 404,
    next: 'change',
    when: 'there is no such path',
    detail: ({ paths }: { paths: readonly string[] }) => `There is no such path. The service has ${paths.join(', ')}.`,
  },
  unknown_token: {
    status: 404,
    next: 'change',
    when: 'the venue has no order book for the token',
    detail: () => 'The venue has no order book for this token. Take token ids from GET /v1/markets.',
  },
  method_not_allowed: {
    status: 405,
    next: 'change',
    when: 'another method is used on this path; `Allow` lists the right ones',
    detail: ({ methods, path }: { methods: readonly string[]; path: string }) =>
      `Use ${methods.join(', ')} on ${path}.`,
  },
  request_timeout: {
    status: 408,
    next: 'repeat',
    when: 'the request takes too long to arrive, or the gateway timed out before the function ran',
    detail: () => 'The request took too long to arrive, and nothing was done. Send it again, without pauses.',
  },
  order_in_progress: {
    status: 409,
    next: 'repeat',
    when: 'another request with the same `Idempotency-Key` is being answered',
    detail: () => 'Another request with this Idempotency-Key is being answered. Repeat this one after it.',
  },
  payload_too_large: {
    status: 413,
    next: 'change',
    when: `the body is larger than ${MAX_BODY_BYTES} bytes`,
    detail: () => `The body is larger than ${MAX_BODY_BYTES} bytes. An order needs a few hundred.`,
  },
  uri_too_long: {
    status: 414,
    next: 'change',
    when: `the URL is longer than ${MAX_TARGET_BYTES} bytes (local server)`,
    detail: () => `The URL is longer than ${MAX_TARGET_BYTES} bytes. Send a shorter one.`,
  },
  unsupported_media_type: {
    status: 415,
    next: 'change',
    when: 'the `Content-Type` is not `application/json` in UTF-8',
    detail: () => 'Send the order as Content-Type: application/json in UTF-8, not compressed.',
  },
  price_out_of_range: {
    status: 422,
    next: 'change',
    when: 'the price is not from one tick to 1 minus one tick',
    facts: {
      minPrice: { kind: 'decimal', meaning: 'Lowest price, in collateral per share.' },
      maxPrice: { kind: 'decimal', meaning: 'Highest price, in collateral per share.' },
    },
    detail: ({ minPrice, maxPrice }: { minPrice: string; maxPrice: string }) =>
      `The price must be from ${minPrice} to ${maxPrice}.`,
  },
  price_off_tick: {
    status: 422,
    next: 'change',
    when: 'the price is not a multiple of the tick size',
    facts: { tickSize: { kind: 'decimal', meaning: 'Step of prices, in collateral per share.' } },
    final: true,
    detail: ({ tickSize }: { tickSize: string }) =>
      `The price must be a multiple of ${tickSize}. Send a computed price as a decimal string, such as "0.3": a JSON number keeps the error of its float.`,
  },
  size_precision: {
    status: 422,
    next: 'change',
    when: 'the size has too many decimals',
    facts: { maxDecimals: { kind: 'integer', meaning: 'Decimals that a size may have.' } },
    detail: ({ maxDecimals }: { maxDecimals: number }) => `The size can have at most ${maxDecimals} decimals.`,
  },
  size_below_minimum: {
    status: 422,
    next: 'change',
    when: "the size is below the market's minimum",
    facts: { minOrderSize: { kind: 'decimal', meaning: 'Smallest size, in shares.' } },
    final: true,
    detail: ({ minOrderSize }: { minOrderSize: string }) =>
      `The size must be ${minOrderSize === '0' ? 'above zero' : `at least ${minOrderSize} shares`}.`,
  },
  notional_below_minimum: {
    status: 422,
    next: 'change',
    when: 'an order that would match at once is worth too little',
    facts: { minNotional: { kind: 'decimal', meaning: 'Least price times size, in collateral.' } },
    final: true,
    detail: ({ minNotional }: { minNotional: string }) =>
      `An order that matches at once must be worth at least ${minNotional} pUSD. Raise its size.`,
  },
  expiry_too_soon: {
    status: 422,
    next: 'change',
    when: '`expires_at` is not at least 120 s ahead',
    facts: { earliest: { kind: 'time', meaning: 'The earliest end that was possible at the time of the response.' } },
    detail: ({ earliest }: { earliest: string }) =>
      `expires_at is too soon. The earliest accepted now is ${earliest}; add a few seconds.`,
  },
  order_above_cap: {
    status: 422,
    next: 'change',
    when: "price times size is above the operator's cap",
    facts: { maxNotional: { kind: 'decimal', meaning: 'Largest price times size, in collateral.' } },
    detail: ({ maxNotional }: { maxNotional: string }) =>
      `Price times size is above ${maxNotional}, the cap of this service. Order less.`,
  },
  daily_cap_reached: {
    status: 422,
    next: 'wait',
    when: "the purchases of the UTC day, or those of the client, would exceed the operator's daily cap; it never refuses a sale",
    facts: {
      maxDailyNotional: { kind: 'decimal', meaning: 'Largest price times size of a day, in collateral.' },
      resetsAt: { kind: 'time', meaning: 'The next midnight in UTC, when the count begins again.' },
      scope: { kind: ['client', 'service'], meaning: 'Whose purchases count: those of the verified client, or all.' },
    },
    detail: (facts: { maxDailyNotional: string; resetsAt: string; scope: 'client' | 'service' }) =>
      `This purchase would exceed the daily cap of ${facts.maxDailyNotional} of ${facts.scope === 'client' ? 'your address' : 'this service'}. ` +
      `Reduce it, or try again after ${facts.resetsAt}.`,
  },
  post_only_would_cross: {
    status: 422,
    next: 'change',
    when: 'a post-only order would match at once',
    facts: { venueReason },
    final: true,
    detail: () => 'The post-only order would have matched at once. Choose a price further from the other side.',
  },
  market_not_accepting_orders: {
    status: 422,
    next: 'wait',
    when: 'the market takes no orders now',
    facts: { venueReason },
    final: true,
    detail: () =>
      'The market does not accept orders now. Order again later with a new Idempotency-Key, or choose another market.',
  },
  insufficient_balance: {
    status: 422,
    next: 'change',
    when: "the operator's account cannot cover the order",
    final: true,
    detail: ({ isSale = false }: { isSale?: boolean | undefined }) =>
      INSUFFICIENT_BALANCE[isSale ? 'sale' : 'purchase'],
  },
  order_rejected: {
    status: 422,
    next: 'change',
    when: 'the venue refused the order for a reason of its own, or does not know it after its `expires_at`',
    facts: { venueReason: { ...venueReason, optional: true } },
    final: true,
    detail: ({ expired }: { expired?: true }) =>
      expired
        ? 'The order expired before it reached the venue; nothing was executed. Order again with a later expires_at.'
        : 'The venue refused the order; venue_reason says why.',
  },
  idempotency_key_reused: {
    status: 422,
    next: 'change',
    when: 'the `Idempotency-Key` belongs to another order or client, or the wallet, venue or verification changed since',
    detail: ({ belongsTo }: { belongsTo: keyof typeof KEY_REUSED }) => KEY_REUSED[belongsTo],
  },
  rate_limited: {
    status: 429,
    next: 'repeat',
    when: 'there are too many requests; see `Retry-After`',
    retryAfterS: 1,
    detail: ({ rateOf }: { rateOf: keyof typeof RATE_LIMITED }) => RATE_LIMITED[rateOf],
  },
  headers_too_large: {
    status: 431,
    next: 'change',
    when: `the request line and the headers together are larger than ${MAX_HEADER_BYTES} bytes (local server)`,
    detail: () =>
      `The request line and the headers together are larger than ${MAX_HEADER_BYTES} bytes. Send fewer or shorter headers.`,
  },
  internal_error: {
    status: 500,
    next: 'repeat',
    when: 'something unexpected went wrong; report the request id',
    mayBeLive: true,
    detail: () => 'An unexpected error occurred. Report it with the request id.',
  },
  venue_error: {
    status: 502,
    next: 'repeat',
    when: 'the venue answered something unusable; no order was placed',
    detail: ({ why }: { why: keyof typeof VENUE_ERROR }) => VENUE_ERROR[why],
  },
  venue_refused_service: {
    status: 502,
    next: 'operator',
    when: 'the venue refuses this operator, or the clock of the service is wrong. With `firewall` and an `order_id` the order may be live',
    mayBeLive: 'with the reason `firewall` and an `order_id`',
    facts: {
      reason: {
        kind: Object.keys(REFUSED_SERVICE),
        meaning: 'What the venue objects to; `clock`: the clock of the service is wrong.',
      },
    },
    /** `advice`: for an order that may be live all the same. `aheadS`: seconds by which our clock is ahead of the venue's. */
    detail: ({
      reason,
      advice,
      aheadS,
    }: {
      reason: keyof typeof REFUSED_SERVICE;
      advice?: keyof typeof ADVICE;
      aheadS?: number;
    }) =>
      `The venue refuses this service: ${aheadS === undefined ? REFUSED_SERVICE[reason] : differenceOf(aheadS)} Report it to the operator.${
        advice ? ` ${OUTCOME_UNKNOWN.sent} ${ADVICE[advice]}` : ''
      }`,
  },
  venue_unavailable: {
    status: 503,
    next: 'repeat',
    when: 'the venue is restarting, halted or cannot be reached; no order was placed',
    retryAfterS: 5,
    detail: ({ why }: { why: keyof typeof VENUE_UNAVAILABLE }) => VENUE_UNAVAILABLE[why],
  },
  client_chain_unavailable: {
    status: 503,
    next: 'repeat',
    when: 'the chain that knows a contract wallet did not answer; nothing was signed',
    retryAfterS: 5,
    detail: () =>
      'No order was placed: the chain that checks signatures of contract wallets did not answer. Send the same request again.',
  },
  store_unavailable: {
    status: 503,
    next: 'repeat',
    when: 'the store of idempotency keys or of the wallet key does not work; this request placed no order',
    retryAfterS: 5,
    detail: ({ store }: { store: keyof typeof STORE_UNAVAILABLE }) => STORE_UNAVAILABLE[store],
  },
  venue_timeout: {
    status: 504,
    next: 'repeat',
    when: 'the venue did not answer in time; no order was placed',
    detail: ({ order }: { order?: 'not sent' }) =>
      `The venue did not answer in time${order ? ', and no order was sent' : ''}. Try again.`,
  },
  outcome_unknown: {
    status: 504,
    next: 'repeat',
    when: 'the order may be live: repeat the request with the same `Idempotency-Key`, or look the order up at the venue',
    mayBeLive: true,
    facts: { orderId: ORDER_ID, venueReason: { ...venueReason, optional: true } },
    /** `advice`: `repeat` if the order has an idempotency key. */
    detail: ({ why, advice }: { why: keyof typeof OUTCOME_UNKNOWN; advice: keyof typeof ADVICE }) =>
      `${OUTCOME_UNKNOWN[why]} ${ADVICE[advice]}`,
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

type DetailOf<Code extends ErrorCode> = (typeof ERRORS)[Code]['detail'];

/** The facts of a code: those for its sentence, and those that are sent. */
export type FactsOf<Code extends ErrorCode> = (Parameters<DetailOf<Code>> extends [infer Facts] ? Facts : object) &
  ErrorFacts;

/** Every code, in the order of the catalogue. Both lists are pure: the build drops them where no function uses them. */
export const ERROR_CODES: readonly ErrorCode[] = /* @__PURE__ */ Object.keys(ERRORS).filter(
  (code): code is ErrorCode => code in ERRORS,
);

/** The entry of a code, with the members that only some entries have. */
export function errorSpec(code: ErrorCode): ErrorSpec {
  return ERRORS[code];
}

/** Returns the code in words. */
export function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The codes of the venue's own refusals, which an idempotency key replays. */
export const FINAL_CODES: readonly ErrorCode[] = /* @__PURE__ */ ERROR_CODES.filter((code) => errorSpec(code).final);

interface Circumstances {
  /** Time in seconds until a repeat makes sense; sent as `Retry-After` in place of the code's default. */
  readonly retryAfter?: number | undefined;
  /** Kept for the log, never sent. */
  readonly cause?: unknown;
}

interface ErrorOptions extends Circumstances {
  readonly code: ErrorCode;
  readonly facts?: ErrorFacts;
  /** True on the response of an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
}

/** The one error that may leave the service: a code, a sentence and facts, none of them a secret. */
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
    this.retryAfter = retryAfter ?? errorSpec(code).retryAfterS;
  }
}

export function areCredentialsRefused(error: unknown): boolean {
  return error instanceof AppError && error.facts['reason'] === 'credentials';
}

/** Adds the id of the order that was signed. Two codes are about the order of another request. */
export function aboutOrder(error: AppError, orderId: string): AppError {
  const { code, message, facts, retryAfter, replayed, cause } = error;
  if (code === 'order_in_progress' || code === 'idempotency_key_reused') return error;
  return new AppError(message, { code, facts: { ...facts, orderId }, retryAfter, replayed, cause });
}

/** Creates the error of a code from its facts. The problem has the facts that the entry of the code names. */
export function refuse<Code extends ErrorCode>(
  code: Code,
  facts: FactsOf<Code>,
  circumstances: Circumstances = {},
): AppError {
  const { facts: wireFacts = {}, detail } = errorSpec(code);
  const named = Object.entries(facts).filter(([name]) => name in wireFacts);
  return new AppError(detail(facts), { code, facts: Object.fromEntries(named), ...circumstances });
}
