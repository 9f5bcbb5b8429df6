import type { ROUTES } from '../../functions/routes.ts';
import { ERRORS, type ErrorCode, titleOf } from '../../shared/errors.ts';
import { VERSION } from '../../shared/version.ts';

/** The token of the examples. */
export const YES = '105298970535051273227533034543530274481991146667489132305873747912264388385246';
const NO = '7928776029953327122873883838067050663369965239720659134613801113573210542083';
const CONDITION = '0xa5ad660cab8a1d53e2ded3756897966dcf9acc08b0b2debef7d479ef4819e50d';
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
/** The request id of the examples. */
export const REQUEST_ID = 'example-1';

/** The order of the examples: rests far from the market. */
const ORDER = { token_id: YES, side: 'buy', price: 0.01, size: 5, post_only: true } as const;

/** A request and its answer, as a service on the paper venue with its first seed gives it; a test asks for each. */
export interface Exchange {
  readonly operation: keyof typeof ROUTES;
  readonly name: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Settings of the service besides those of a service on paper. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The body of an order. */
  readonly send?: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly answer: Readonly<Record<string, unknown>>;
}

function problem(code: ErrorCode, detail: string, facts: Readonly<Record<string, unknown>> = {}) {
  const { status } = ERRORS[code];
  return { type: 'about:blank', title: titleOf(code), status, code, detail, request_id: REQUEST_ID, ...facts };
}

/** An order that is refused because of one member. */
function refusedOrder(
  code: ErrorCode,
  change: Readonly<Record<string, unknown>>,
  detail: string,
  facts?: Readonly<Record<string, unknown>>,
): Exchange {
  return {
    operation: 'orders',
    name: code,
    target: '/v1/orders',
    send: { ...ORDER, ...change },
    status: ERRORS[code].status,
    answer: problem(code, detail, facts),
  };
}

const MARKET = {
  id: '700000',
  condition_id: CONDITION,
  slug: 'will-the-copper-lake-ferry-run-on-founders-day',
  question: 'Will the Copper Lake ferry run on Founders Day?',
  end_date: '2027-07-09T00:00:00.000Z',
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  volume_24h: '8945.96',
  liquidity: '64949.91',
  best_bid: '0.51',
  best_ask: '0.53',
  event: {
    id: '23653',
    slug: 'will-the-copper-lake-ferry-run-on-founders-day',
    title: 'Will the Copper Lake ferry run on Founders Day?',
  },
  fees: { taker_rate: '0.04', exponent: '1', taker_only: true },
  outcomes: [
    { name: 'Yes', token_id: YES, price: '0.52' },
    { name: 'No', token_id: NO, price: '0.48' },
  ],
} as const;

const BOOK = {
  token_id: YES,
  condition_id: CONDITION,
  bids: [
    { price: '0.51', size: '693.48' },
    { price: '0.5', size: '503.12' },
    { price: '0.48', size: '460.16' },
    { price: '0.46', size: '823.1' },
    { price: '0.43', size: '164.08' },
  ],
  asks: [
    { price: '0.53', size: '746.07' },
    { price: '0.54', size: '873.59' },
    { price: '0.55', size: '386.45' },
    { price: '0.59', size: '301.25' },
    { price: '0.61', size: '327.05' },
  ],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: '0.52',
  timestamp: '2026-10-04T23:03:45.288Z',
  hash: '98835ef001ac76f7c9893676b9e42db4dd30249c',
} as const;

/** Of one run: an order is salted. */
export const ORDER_ID = '0x5f0fa3e6db442a59b99065f5373f0d6fbfabcc8101aa7aa7668275a810f9d27e';

const PLACED = {
  order_id: ORDER_ID,
  status: 'live',
  ...ORDER,
  price: '0.01',
  size: '5',
  expires_at: null,
  filled_size: '0',
  remaining_size: '5',
  filled_value: '0',
  wallet_address: WALLET,
  transaction_hashes: [],
  trade_ids: [],
} as const;

/** A wallet of nobody, with the key 0x22…22. */
const CLIENT = '0x1563915e194D8CfBA1943570603F7606A3115508';

const SIGN =
  'Sign the text of challenge with the wallet of X-Client-Address, and send the order with X-Client-Signature and ' +
  'X-Client-Signature-Expires.';

/** Of one moment, from which it is valid for 300 seconds. */
export const CHALLENGE = [
  'Place one order on api.example.org',
  '',
  `Client: ${CLIENT}`,
  'Side: buy',
  'Size: 5 shares',
  'Price: 0.01',
  'Post only: yes',
  'Expires at: never',
  `Token: ${YES}`,
  'Idempotency key: example-1',
  'Signature valid until: 2026-10-05T09:15:10Z',
].join('\n');

const LIMIT_RULE = 'must be an integer from 1 to 500, given once.';
const SIDE_RULE = 'must be "buy" or "sell".';

/** An exchange for each answer. */
export const EXAMPLES: readonly Exchange[] = [
  {
    operation: 'health',
    name: 'order-placing',
    target: '/health',
    status: 200,
    answer: {
      status: 'ok',
      mode: 'order-placing',
      wallet_address: WALLET,
      settlement_chain: 'polygon',
      venue: 'polymarket',
      version: VERSION,
    },
  },
  {
    operation: 'markets',
    name: 'most-traded',
    target: '/v1/markets?limit=1',
    status: 200,
    answer: { items: [MARKET], has_more: true },
  },
  {
    operation: 'markets',
    name: 'invalid_request',
    target: '/v1/markets?limit=0',
    status: 400,
    answer: problem('invalid_request', `The query is not valid: limit ${LIMIT_RULE}`, {
      errors: [{ field: 'limit', detail: LIMIT_RULE }],
    }),
  },
  { operation: 'book', name: 'book', target: `/v1/book/${YES}`, status: 200, answer: BOOK },
  {
    operation: 'book',
    name: 'unknown_token',
    target: '/v1/book/1',
    status: 404,
    answer: problem(
      'unknown_token',
      'The venue has no order book for this token; take token ids from GET /v1/markets.',
    ),
  },
  { operation: 'orders', name: 'rests', target: '/v1/orders', send: ORDER, status: 201, answer: PLACED },
  refusedOrder('invalid_request', { side: 'hold' }, `The order is not valid: side ${SIDE_RULE}`, {
    errors: [{ field: 'side', detail: SIDE_RULE }],
  }),
  {
    ...refusedOrder('client_signature_required', {}, SIGN, { challenge: CHALLENGE }),
    settings: { SERVICE_CLIENT_VERIFICATION: 'required', SERVICE_PUBLIC_AUTHORITY: 'api.example.org' },
    headers: { 'x-client-address': CLIENT, 'idempotency-key': 'example-1' },
  },
  refusedOrder('price_off_tick', { price: 0.015 }, 'The price must be a multiple of 0.01.', { tick_size: '0.01' }),
  refusedOrder('price_out_of_range', { price: 1 }, 'The price must be from 0.01 to 0.99.', {
    min_price: '0.01',
    max_price: '0.99',
  }),
  refusedOrder('size_precision', { size: '5.001' }, 'The size can have at most 2 decimals.', { max_decimals: 2 }),
  refusedOrder('size_below_minimum', { size: 1 }, 'The size must be at least 5 shares.', {
    min_order_size: '5',
  }),
  refusedOrder(
    'post_only_would_cross',
    { price: '0.53' },
    'The post-only order would have matched at once; choose a price further from the other side.',
    { order_id: ORDER_ID, venue_reason: 'invalid post-only order: order crosses book' },
  ),
];

/** The examples of one answer, as a media type has them. */
export function examplesOf(operation: string, status: number) {
  const found = EXAMPLES.filter((example) => example.operation === operation && example.status === status);
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.map(({ name, answer }) => [name, { value: answer }]));
}

/** The orders that are taken, as a request body has them. */
export function orderExamples() {
  const taken = EXAMPLES.filter(({ send, status }) => send && status === 201);
  return Object.fromEntries(taken.map(({ name, send }) => [name, { value: send }]));
}
