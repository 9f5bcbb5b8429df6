import { MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_TARGET_BYTES } from './limits.ts';

/** One wrong field of a request, and what it must be. */
export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

/** The members that an error adds to its problem body, by their names in code. Decimals are strings. */
export type ErrorFacts = Readonly<Record<string, unknown>>;

/** A fact as the document describes it; optional where the venue may have refused without naming it. */
interface FactSpec {
  readonly kind: 'decimal' | 'integer' | 'hash' | 'time' | 'sentence' | 'text' | 'field errors' | readonly string[];
  readonly meaning: string;
  readonly optional?: true;
}

/** Everything about one error code: document, headers and alarms are derived from it. */
export interface ErrorSpec {
  readonly status: number;
  /** By default the code in words. */
  readonly title?: string;
  /** Ends the sentence "Answered when …". */
  readonly when: string;
  /** The endpoints that can answer with the code: by default that of orders alone; `everywhere` includes preflights. */
  readonly on?: 'everywhere' | readonly ('markets' | 'book' | 'orders')[];
  readonly facts?: Readonly<Record<string, FactSpec>>;
  /** Response headers that come with the code, besides those of every response. */
  readonly headers?: readonly ['Allow'] | readonly ['Retry-After'] | readonly ['WWW-Authenticate'];
  /** The default of `Retry-After`. */
  readonly retryAfterS?: number;
  /** The venue's own refusal of an order: kept under an idempotency key and replayed. */
  readonly final?: true;
  /** Writes the sentence that says what happened and what to do. Never holds a secret. */
  detail(facts: object): string;
}

/** Maximum length of a caller's text that a sentence repeats. */
const MAX_REPEATED_LENGTH = 100;

/** Escapes a caller's text to printable ASCII, so that it cannot change what a log or a page shows. */
export function printable(text: string): string {
  return text.slice(0, MAX_REPEATED_LENGTH).replace(/[^\x20-\x7e]/g, '?');
}

/** Longest name of a caller's that an error repeats. */
const MAX_NAME_LENGTH = 64;

/** Shortens a caller's name; the result is valid text even if a character was cut in half. */
export function shownName(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed();
}

/** Reasons for which the venue refuses this operator; the caller can do nothing about them. */
const REFUSED_SERVICE = {
  region: 'it runs in a region from which orders are not accepted.',
  credentials: 'its API credentials are not accepted.',
  signature: 'it does not accept its signatures.',
  wallet_type: 'its kind of account may not trade, or is not the one that was set.',
  account_restricted: 'its account is restricted.',
  firewall: 'a firewall before the venue stops it.',
} as const;

const VENUE_ERROR = {
  unusable: 'The venue gave an answer that cannot be used; try again later.',
  broken_off: 'The venue broke off its answer; try again.',
  market_list: 'The venue gave a list of markets that cannot be read; try again later.',
  book: 'The venue gave an order book that cannot be read; try again later.',
  rule: 'The venue gave a rule of the market that cannot be read; choose another market.',
  protocol:
    'The venue contradicts itself about the protocol of this token; the order was not sent. Choose another market.',
  tick_too_fine: 'The tick of this market is finer than orders can express; choose another market.',
} as const;

const NOT_TAKEN = 'The order was not taken; try again later.';
const VENUE_UNAVAILABLE = {
  unreachable: 'The venue cannot be reached; try again later.',
  busy: 'The venue is not available at the moment; try again later.',
  order_not_sent: 'The venue cannot be reached; the order was not sent. Try again later.',
  restarting: `The venue's engine restarts. ${NOT_TAKEN}`,
  halted: `The venue has halted trading. ${NOT_TAKEN}`,
  cancel_only: `The venue accepts only cancellations at the moment. ${NOT_TAKEN}`,
  post_only_phase: `The venue accepts only post-only orders at the moment. ${NOT_TAKEN}`,
} as const;

const RATE_LIMITED = {
  requests: 'The venue limits the rate of requests; slow down.',
  orders: `The venue limits the rate of orders. ${NOT_TAKEN}`,
} as const;

const STORE_UNAVAILABLE = {
  orders:
    'The store of orders does not work, so this request sent nothing; repeat it, with the same Idempotency-Key if it had one.',
  secret: 'The service could not read its key from the secret store, so this request placed no order; repeat it later.',
  kms: 'The service could not sign with its key in AWS KMS, so this request placed no order; repeat it later.',
} as const;

const ADVICE = {
  repeat: 'Repeat the request with the same Idempotency-Key to find out.',
  look_up: 'Look the order id up at the venue before ordering again.',
} as const;

const OUTCOME_UNKNOWN = {
  sent: 'The order may be live.',
  unknown_words: 'The venue answered in words that this service does not know; the order may be live.',
  lease_ended: 'The lease ended before the order was sent.',
  refusal_not_stored: 'The venue refused the order, but the store does not work.',
  earlier_sending: 'The venue does not take the order now, but may take an earlier sending of it.',
} as const;

const ORDER_REJECTED = {
  refused: 'The venue refused the order; venue_reason says why.',
  expired: 'The order has expired, and the venue does not know it: nothing was executed. Order again with a later end.',
} as const;

/** Names of the settings that are missing, a read-only deployment, or a sentence of the function of orders alone. */
type PlacementDisabled = readonly string[] | 'read_only' | { readonly sentence: string };

const orderId = { kind: 'hash', meaning: 'EIP-712 hash of the signed order, by which the venue knows it.' } as const;

/** For errors that may occur after the order was signed: its id is what to look up, whatever happened to it. */
const signedOrder = { orderId: { ...orderId, optional: true } } as const;

const venueReason = {
  venueReason: {
    kind: 'sentence',
    meaning: "The venue's own sentence, without anything that looks like a secret.",
    optional: true,
  },
} as const;

/** A text, and not a sentence: it is signed byte for byte. */
const challenge = {
  challenge: {
    kind: 'text',
    meaning: "The text to sign. The time of its last line is the signature's X-Client-Signature-Expires.",
  },
} as const;

const SIGN =
  'Sign the text of challenge with the wallet of X-Client-Address, and send the order with X-Client-Signature and X-Client-Signature-Expires.';

interface ChallengeFacts {
  readonly challenge: string;
  /** Set if the request named an authority that is not the service's. */
  readonly foreign?: { readonly requested: string; readonly authority: string } | undefined;
}

function signElsewhere(foreign: ChallengeFacts['foreign']): string {
  if (!foreign) return '';
  return ` The request is for ${foreign.requested.slice(0, 255)}, which this service takes no signature for: sign for ${foreign.authority}, or let the operator set SERVICE_PUBLIC_AUTHORITY.`;
}

const SIGNATURE_INVALID = {
  malformed: 'X-Client-Signature does not have the form of a signature of this kind of wallet.',
  low_v: 'X-Client-Signature ends in a v of 0 or 1, as a Ledger writes it: add 27 to its last byte.',
  contract:
    'X-Client-Signature is that of a contract wallet, which cannot be checked without its chain: sign with an account that has a key.',
  foreign: 'X-Client-Signature is not of this client, or not over the text of this order.',
  foreign_bytes:
    'X-Client-Signature is not of this client, or not over the bytes of this text. A Ledger signs an envelope around a Solana message, which is not accepted.',
  expired: 'The signature has expired.',
  too_far_ahead: 'The signature is valid for too long.',
} as const;

interface Quoted {
  readonly venueReason?: string;
}

const usedWhen = (service: string) =>
  `This Idempotency-Key was used when the service ${service}, and its order may be live: look it up before you order with a new key.`;

const KEY_REUSED = {
  'another order': 'This Idempotency-Key belongs to another order; a new order needs a new key.',
  'another client': 'This Idempotency-Key belongs to an order of another client; use a new key, such as a UUID.',
  'another verification': usedWhen('verified clients and now does not, or the other way round'),
  'another wallet': usedWhen('traded with another wallet'),
  'another account': usedWhen('traded with another account or kind of account'),
  'another venue': usedWhen('traded at another venue'),
} as const;

interface DailyCapFacts {
  readonly maxDailyNotional: string;
  readonly resetsAt: string;
  readonly scope: 'client' | 'service';
}

/** Set where the venue named the rule, which has changed since it was read. */
interface Contradicted {
  readonly contradicted?: true;
}

/**
 * The catalogue of error codes, a closed set: clients branch on them. One entry makes a code. The document of the API,
 * the response headers, the responses that an idempotency key replays and the alarms are derived from it.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    when: 'the JSON, a field, the query, a header or the request line is malformed',
    on: 'everywhere',
    facts: { errors: { kind: 'field errors', meaning: 'Every field that is wrong, as far as they were looked at.' } },
    /** `part`: what is not valid, such as "The order"; `sentence`: in place of the one made of it and the first error. */
    detail: ({ errors: [first], ...words }: { readonly errors: readonly FieldError[] } & InvalidPart) =>
      'sentence' in words ? words.sentence : `${words.part} is not valid: ${first?.field} ${first?.detail}`,
  },
  client_signature_required: {
    status: 401,
    when: 'the service verifies clients, and the signature of the order or its end is missing',
    facts: challenge,
    headers: ['WWW-Authenticate'],
    detail: ({ foreign }: ChallengeFacts) => `${SIGN}${signElsewhere(foreign)}`,
  },
  client_signature_invalid: {
    status: 401,
    when:
      'the service verifies clients, and the signature is malformed, expired, valid for too long, of another wallet, ' +
      'over another text, or of a kind of wallet that only its chain can check',
    facts: challenge,
    headers: ['WWW-Authenticate'],
    detail: ({ why, foreign }: ChallengeFacts & { readonly why: keyof typeof SIGNATURE_INVALID }) =>
      `${SIGNATURE_INVALID[why]} ${SIGN}${signElsewhere(foreign)}`,
  },
  order_placement_disabled: {
    status: 403,
    title: 'Order placement is disabled',
    when: 'the service is read-only, or its key is not that of the wallet it was deployed for; `detail` says which',
    facts: signedOrder,
    detail: ({ why }: { readonly why: PlacementDisabled }) => {
      if (why === 'read_only') return 'The service is deployed read-only: its operator has not set placeOrder.';
      if ('sentence' in why) return why.sentence;
      return `The service is read-only: ${why.join(' and ')} ${why.length > 1 ? 'are' : 'is'} not set.`;
    },
  },
  origin_not_allowed: {
    status: 403,
    when: 'a web page of an origin that the operator has not listed sends it',
    detail: ({ origin }: { readonly origin: string }) =>
      `Orders from pages of "${printable(origin)}" are refused; the operator can list this origin among the CORS origins.`,
  },
  host_not_allowed: {
    status: 403,
    when: 'the `Host` is not one of the local server (a guard against DNS rebinding)',
    on: 'everywhere',
    detail: ({ host }: { readonly host: string }) =>
      `Requests for the host "${printable(host)}" are refused; the operator can list it in SERVICE_ALLOWED_HOSTS.`,
  },
  caller_not_identified: {
    status: 403,
    when: 'the gateway has named no caller, or none from whom this deployment takes orders',
    detail: () =>
      'The order came without a caller from whom this deployment takes orders, and nothing was placed: sign the request with AWS credentials or send the token of a user who may order, as this deployment asks for.',
  },
  client_not_allowed: {
    status: 403,
    when: 'the operator does not let the client that signed the order trade here',
    detail: () =>
      'No order was placed: this address may not order here. Ask the operator of the service to add it to SERVICE_ALLOWED_CLIENTS.',
  },
  not_found: {
    status: 404,
    when: 'there is no such path',
    on: ['book'],
    detail: ({ paths }: { readonly paths: readonly string[] }) =>
      `There is no such path. The service has ${paths.join(', ')}.`,
  },
  unknown_token: {
    status: 404,
    title: 'Unknown outcome token',
    when: 'the venue has no order book for the token',
    on: ['book', 'orders'],
    facts: signedOrder,
    detail: () => 'The venue has no order book for this token; take token ids from GET /v1/markets.',
  },
  method_not_allowed: {
    status: 405,
    when: 'another method is used on this path; `Allow` lists the right ones',
    on: 'everywhere',
    headers: ['Allow'],
    detail: ({ methods, path }: { readonly methods: readonly string[]; readonly path: string }) =>
      `Use ${methods.join(', ')} on ${path}.`,
  },
  request_timeout: {
    status: 408,
    title: 'Request time-out',
    when: 'the request takes too long to arrive (local server)',
    on: 'everywhere',
    detail: () => 'The request took too long to arrive; send it at once.',
  },
  order_in_progress: {
    status: 409,
    when: 'another request with the same `Idempotency-Key` is being answered',
    headers: ['Retry-After'],
    detail: () => 'Another request with this Idempotency-Key is being answered; repeat this one after it.',
  },
  payload_too_large: {
    status: 413,
    when: `the body is larger than ${MAX_BODY_BYTES} bytes`,
    detail: () => `The body is larger than ${MAX_BODY_BYTES} bytes; an order needs a few hundred.`,
  },
  uri_too_long: {
    status: 414,
    title: 'URI too long',
    when: `the URL is longer than ${MAX_TARGET_BYTES} bytes (local server)`,
    on: 'everywhere',
    detail: () => `The URL is longer than ${MAX_TARGET_BYTES} bytes; send a shorter one.`,
  },
  unsupported_media_type: {
    status: 415,
    when: 'the `Content-Type` is not `application/json` in UTF-8',
    detail: () => 'Send the order as Content-Type: application/json in UTF-8, not compressed.',
  },
  price_out_of_range: {
    status: 422,
    when: 'the price is not from one tick to 1 minus one tick',
    facts: {
      minPrice: { kind: 'decimal', meaning: 'Lowest price, in collateral per share.' },
      maxPrice: { kind: 'decimal', meaning: 'Highest price, in collateral per share.' },
    },
    final: true,
    detail: ({ minPrice, maxPrice }: { readonly minPrice: string; readonly maxPrice: string }) =>
      `The price must be from ${minPrice} to ${maxPrice}.`,
  },
  price_off_tick: {
    status: 422,
    title: 'Price off the tick grid',
    when: 'the price is not a multiple of the tick size',
    facts: {
      ...signedOrder,
      tickSize: { kind: 'decimal', meaning: 'Step of prices, in collateral per share.', optional: true },
    },
    final: true,
    detail: ({ tickSize, contradicted }: { readonly tickSize?: string } & Contradicted) =>
      contradicted
        ? 'The price is not on the tick grid of the market any more; read its book for the tick size.'
        : `The price must be a multiple of ${tickSize}. Send a computed price as a decimal string, such as "0.3": a JSON number keeps the error of its float.`,
  },
  size_precision: {
    status: 422,
    title: 'Size has too many decimals',
    when: 'the size has too many decimals',
    facts: { maxDecimals: { kind: 'integer', meaning: 'Decimals that a size may have.' } },
    final: true,
    detail: ({ maxDecimals }: { readonly maxDecimals: number }) => `The size can have at most ${maxDecimals} decimals.`,
  },
  size_below_minimum: {
    status: 422,
    title: 'Size below the minimum',
    when: "the size is below the market's minimum",
    facts: { ...signedOrder, minOrderSize: { kind: 'decimal', meaning: 'Smallest size, in shares.', optional: true } },
    final: true,
    detail: ({ minOrderSize, contradicted }: { readonly minOrderSize?: string } & Contradicted) =>
      contradicted
        ? 'The size is below the minimum of the market; read its book for the minimum.'
        : `The size must be ${minOrderSize === '0' ? 'above zero' : `at least ${minOrderSize} shares`}.`,
  },
  notional_below_minimum: {
    status: 422,
    title: 'Notional below the minimum',
    when: 'an order that would match at once is worth too little',
    facts: {
      ...signedOrder,
      minNotional: { kind: 'decimal', meaning: 'Least price times size, in collateral.', optional: true },
    },
    final: true,
    detail: ({ minNotional }: { readonly minNotional?: string }) =>
      `An order that matches at once must be worth ${minNotional === undefined ? 'more' : `at least ${minNotional} pUSD`}; raise its size.`,
  },
  expiry_too_soon: {
    status: 422,
    when: "`expires_at` is not at least 120 s after the venue's present time",
    facts: { earliest: { kind: 'time', meaning: 'The earliest end that was possible at the time of the response.' } },
    detail: ({ earliest }: { readonly earliest: string }) =>
      `The order would end too soon: the earliest expires_at is ${earliest} now; choose a later one, for time passes on the way.`,
  },
  order_above_cap: {
    status: 422,
    title: 'Order above the cap',
    when: "price times size is above the operator's cap",
    facts: { ...signedOrder, maxNotional: { kind: 'decimal', meaning: 'Largest price times size, in collateral.' } },
    detail: ({ maxNotional }: { readonly maxNotional: string }) =>
      `The order's price times size is above ${maxNotional}, the cap of this service.`,
  },
  daily_cap_reached: {
    status: 422,
    when: "with the order, price times size of all orders of the UTC day, or of those of the client, would be above the operator's daily cap",
    facts: {
      ...signedOrder,
      maxDailyNotional: { kind: 'decimal', meaning: 'Largest price times size of a day, in collateral.' },
      resetsAt: { kind: 'time', meaning: 'The next midnight in UTC, when the count begins again.' },
      scope: {
        kind: ['client', 'service'],
        meaning: 'The orders that count: those of the verified client, or all of the service.',
      },
    },
    detail: ({ maxDailyNotional, resetsAt, scope }: DailyCapFacts) =>
      `This order would exceed the daily cap of ${maxDailyNotional} of ${scope === 'client' ? 'your address' : 'this service'}. ` +
      `Reduce it, or try again after ${resetsAt}.`,
  },
  post_only_would_cross: {
    status: 422,
    title: 'Post-only order would cross',
    when: 'a post-only order would match at once',
    facts: { ...signedOrder, ...venueReason },
    final: true,
    detail: (_facts: Quoted) =>
      'The post-only order would have matched at once; choose a price further from the other side.',
  },
  market_not_accepting_orders: {
    status: 422,
    when: 'the market takes no orders now',
    facts: { ...signedOrder, ...venueReason },
    final: true,
    detail: (_facts: Quoted) =>
      'The market does not accept orders now; order again later, with a new Idempotency-Key, or choose another market.',
  },
  insufficient_balance: {
    status: 422,
    title: 'Insufficient balance or allowance',
    when: "the operator's account cannot cover the order",
    facts: signedOrder,
    final: true,
    detail: (_facts: object) =>
      "The account's balance or allowance does not cover this order, as the venue counts it. Order less; or the operator adds funds or allowances, refreshes the balance that the venue has cached, or looks for orders that still lock funds. The operator's log has the amounts.",
  },
  order_rejected: {
    status: 422,
    title: 'Order rejected by the venue',
    when: 'the venue refused the order for a reason of its own, or does not know it after its `expires_at`',
    facts: { ...signedOrder, ...venueReason },
    final: true,
    detail: ({ why = 'refused' }: Quoted & { readonly why?: keyof typeof ORDER_REJECTED }) => ORDER_REJECTED[why],
  },
  idempotency_key_reused: {
    status: 422,
    when: 'the `Idempotency-Key` belongs to another order or client, or the service has changed since',
    detail: ({ belongsTo }: { readonly belongsTo: keyof typeof KEY_REUSED }) => KEY_REUSED[belongsTo],
  },
  rate_limited: {
    status: 429,
    when: 'there are too many requests; see `Retry-After`',
    on: 'everywhere',
    facts: signedOrder,
    retryAfterS: 1,
    detail: ({ rateOf }: { readonly rateOf: keyof typeof RATE_LIMITED }) => RATE_LIMITED[rateOf],
  },
  headers_too_large: {
    status: 431,
    when: `the request line and the headers together are larger than ${MAX_HEADER_BYTES} bytes (local server)`,
    on: 'everywhere',
    detail: () =>
      `The request line and the headers together are larger than ${MAX_HEADER_BYTES} bytes; send fewer or shorter headers.`,
  },
  internal_error: {
    status: 500,
    when: 'something unexpected went wrong; report the request id',
    on: 'everywhere',
    detail: () => 'An unexpected fault; report it with the request id.',
  },
  venue_error: {
    status: 502,
    when: 'the venue answered something unusable; no order was placed',
    on: ['markets', 'book', 'orders'],
    facts: signedOrder,
    detail: ({ why }: { readonly why: keyof typeof VENUE_ERROR }) => VENUE_ERROR[why],
  },
  venue_refused_service: {
    status: 502,
    title: 'Venue refused the service',
    when: 'the venue refuses this operator; the caller can do nothing about it',
    on: ['markets', 'book', 'orders'],
    facts: { ...signedOrder, reason: { kind: Object.keys(REFUSED_SERVICE), meaning: 'What the venue objects to.' } },
    detail: ({ reason }: { readonly reason: keyof typeof REFUSED_SERVICE }) =>
      `The venue refuses this service: ${REFUSED_SERVICE[reason]} Its operator has to act.`,
  },
  venue_unavailable: {
    status: 503,
    when: 'the venue is restarting, halted or cannot be reached; no order was placed',
    on: ['markets', 'book', 'orders'],
    facts: signedOrder,
    retryAfterS: 5,
    detail: ({ why }: { readonly why: keyof typeof VENUE_UNAVAILABLE }) => VENUE_UNAVAILABLE[why],
  },
  store_unavailable: {
    status: 503,
    when: 'the store of idempotency keys or of the key does not work; this request placed no order',
    facts: signedOrder,
    retryAfterS: 5,
    detail: ({ store }: { readonly store: keyof typeof STORE_UNAVAILABLE }) => STORE_UNAVAILABLE[store],
  },
  venue_timeout: {
    status: 504,
    title: 'Venue time-out',
    when: 'the venue did not answer in time; no order was placed',
    on: ['markets', 'book', 'orders'],
    facts: signedOrder,
    detail: ({ waitedFor }: { readonly waitedFor: 'answer' | 'rules' }) =>
      waitedFor === 'answer'
        ? 'The venue did not answer in time; try again.'
        : 'The venue took too long to give the rules of the market; nothing was sent. Try again.',
  },
  outcome_unknown: {
    status: 504,
    when: 'the order may be live: repeat the request with the same `Idempotency-Key`, or look the order up at the venue',
    facts: { orderId, ...venueReason },
    headers: ['Retry-After'],
    detail: ({ why, advice }: { readonly orderId: string; readonly venueReason?: string } & UnknownOutcome) =>
      `${OUTCOME_UNKNOWN[why]} ${ADVICE[advice]}`,
  },
} as const satisfies Record<string, ErrorSpec>;

type InvalidPart = { readonly part: string } | { readonly sentence: string };

interface UnknownOutcome {
  readonly why: keyof typeof OUTCOME_UNKNOWN;
  /** `repeat` where there is an idempotency key to repeat with. */
  readonly advice: keyof typeof ADVICE;
}

/** A code of the catalogue. */
export type ErrorCode = keyof typeof ERRORS;

/** The facts that the sentence of a code is written from. */
export type FactsOf<Code extends ErrorCode> =
  Parameters<(typeof ERRORS)[Code]['detail']> extends [infer Facts extends object] ? Facts : object;

// Marked as pure, so that neither list is left in a function that does not use it.

/** Every code, in the order of the catalogue. */
export const ERROR_CODES: readonly ErrorCode[] = /* @__PURE__ */ Object.keys(ERRORS).filter(
  (code): code is ErrorCode => code in ERRORS,
);

/** A code whose answer an idempotency key replays. */
export type FinalCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code] extends { readonly final: true } ? Code : never;
}[ErrorCode];

/** The entry of a code, with the members that only some entries have. */
export function errorSpec(code: ErrorCode): ErrorSpec {
  return ERRORS[code];
}

/** Returns the title of a code. */
export function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return errorSpec(code).title ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns true for the codes of the venue's own refusals of an order. */
export function isFinal(code: ErrorCode): code is FinalCode {
  return errorSpec(code).final === true;
}

/** The codes of the venue's own refusals of an order: the only errors that an idempotency key replays. */
export const FINAL_CODES: readonly FinalCode[] = /* @__PURE__ */ ERROR_CODES.filter(isFinal);

interface Circumstances {
  /** Time in seconds until a repeat makes sense; sent as `Retry-After` in place of the code's default. */
  readonly retryAfter?: number | undefined;
  /** Kept for the log, never sent. */
  readonly cause?: unknown;
}

interface ErrorOptions extends Circumstances {
  readonly code: ErrorCode;
  readonly facts?: ErrorFacts;
  /** Set on the response to an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
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
    this.retryAfter = retryAfter ?? errorSpec(code).retryAfterS;
  }
}

/** Returns true if the venue refuses the API credentials of this operator. */
export function areCredentialsRefused(error: unknown): boolean {
  return error instanceof AppError && error.facts['reason'] === 'credentials';
}

/** Adds the order id to an error about a signed order, if its code has one: two codes are about another's order. */
export function aboutOrder(error: AppError, orderId: string): AppError {
  const { code, message, facts, retryAfter, replayed, cause } = error;
  const { orderId: hasOrderId } = errorSpec(code).facts ?? {};
  if (!hasOrderId) return error;
  return new AppError(message, { code, facts: { ...facts, orderId }, retryAfter, replayed, cause });
}

/** Creates the error of a code: its sentence is written from the facts, and those that its entry names go on the wire. */
export function refuse<Code extends ErrorCode>(
  code: Code,
  facts: FactsOf<Code>,
  circumstances: Circumstances = {},
): AppError {
  const { facts: wireFacts = {}, detail } = errorSpec(code);
  const named = Object.entries(facts).filter(([name]) => name in wireFacts);
  return new AppError(detail(facts), { code, facts: Object.fromEntries(named), ...circumstances });
}
