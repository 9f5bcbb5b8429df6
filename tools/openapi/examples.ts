import { toProblem } from '../../functions/problem.ts';
import { ROUTES } from '../../functions/routes.ts';
import { AppError, aboutOrder, type ErrorCode, type ErrorFacts, errorSpec, refuse } from '../../shared/errors.ts';
import { VERSION } from '../../shared/version.ts';

/** The token of the examples. */
export const YES = '105298970535051273227533034543530274481991146667489132305873747912264388385246';
const NO = '7928776029953327122873883838067050663369965239720659134613801113573210542083';
const CONDITION = '0xa5ad660cab8a1d53e2ded3756897966dcf9acc08b0b2debef7d479ef4819e50d';
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
/** Of one run: an order is salted. */
const ORDER_ID = '0x5f0fa3e6db442a59b99065f5373f0d6fbfabcc8101aa7aa7668275a810f9d27e';

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

function levels(...pairs: readonly (readonly [price: string, size: string])[]) {
  return pairs.map(([price, size]) => ({ price, size }));
}

const BOOK = {
  token_id: YES,
  condition_id: CONDITION,
  bids: levels(['0.51', '693.48'], ['0.5', '503.12'], ['0.48', '460.16'], ['0.46', '823.1'], ['0.43', '164.08']),
  asks: levels(['0.53', '746.07'], ['0.54', '873.59'], ['0.55', '386.45'], ['0.59', '301.25'], ['0.61', '327.05']),
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: '0.52',
  timestamp: '2026-10-04T23:03:45.288Z',
  hash: '98835ef001ac76f7c9893676b9e42db4dd30249c',
} as const;

/** The order of the examples: it rests far from the market. */
const ORDER = { token_id: YES, side: 'buy', price: 0.01, size: 5, post_only: true } as const;

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

const HEALTH = {
  status: 'ok',
  mode: 'order-placing',
  wallet_address: WALLET,
  client_verification: 'off',
  settlement_chain: 'polygon',
  venue: 'polymarket',
  version: VERSION,
} as const;

/** A request to a service on the paper venue with its first seed, and its answer; a test sends each. */
export interface Example {
  readonly target: string;
  readonly send?: object;
  readonly answer: object;
}

/** The examples of successes, by operation. */
export const EXAMPLES: Readonly<Record<keyof typeof ROUTES, Example>> = {
  health: { target: '/health', answer: HEALTH },
  markets: { target: '/v1/markets?limit=1', answer: { items: [MARKET], has_more: true } },
  book: { target: `/v1/book/${YES}`, answer: BOOK },
  orders: { target: '/v1/orders', send: ORDER, answer: PLACED },
};

const CHALLENGE = [
  'Place one order on api.example.org',
  '',
  'Client: 0x1563915e194D8CfBA1943570603F7606A3115508',
  'Side: buy',
  'Size: 5 shares',
  'Price: 0.01',
  'Post only: yes',
  'Expires at: never',
  `Token: ${YES}`,
  'Idempotency key: example-1',
  'Signature valid until: 2026-10-05T09:15:10Z',
].join('\n');

/** Errors whose sentences need more than a value of each fact's kind. */
const ERRORS_TO_SHOW: readonly AppError[] = [
  refuse('invalid_request', { part: 'The order', errors: [{ field: 'side', detail: 'must be "buy" or "sell".' }] }),
  refuse('client_signature_required', { challenge: CHALLENGE }),
  refuse('client_signature_invalid', { why: 'expired', challenge: CHALLENGE }),
  refuse('order_placement_disabled', {
    why: 'The service is read-only: its operator has not set SERVICE_PLACE_ORDER=1.',
  }),
  refuse('origin_not_allowed', { origin: 'https://app.example.org' }),
  refuse('host_not_allowed', { host: 'api.example.org' }),
  refuse('caller_not_identified', { access: 'iam' }),
  refuse('not_found', { paths: Object.values(ROUTES).map(({ path }) => path) }),
  refuse('method_not_allowed', { methods: ['GET', 'HEAD', 'OPTIONS'], path: ROUTES.markets.path }),
  refuse('price_out_of_range', { minPrice: '0.01', maxPrice: '0.99' }),
  refuse('size_below_minimum', { minOrderSize: '5' }),
  refuse('notional_below_minimum', { minNotional: '1' }),
  refuse('expiry_too_soon', { earliest: '2026-12-01T12:02:00Z' }),
  refuse('order_above_cap', { maxNotional: '250' }),
  refuse('daily_cap_reached', { maxDailyNotional: '1000', resetsAt: '2026-12-02T00:00:00Z', scope: 'service' }),
  aboutOrder(refuse('post_only_would_cross', { venueReason: 'invalid post-only order: order crosses book' }), ORDER_ID),
  aboutOrder(refuse('market_not_accepting_orders', { venueReason: 'the market is closed' }), ORDER_ID),
  aboutOrder(refuse('order_rejected', { venueReason: 'a reason of its own' }), ORDER_ID),
  aboutOrder(refuse('insufficient_balance', {}), ORDER_ID),
  refuse('idempotency_key_reused', { belongsTo: 'another order' }),
  refuse('rate_limited', { rateOf: 'requests' }),
  refuse('venue_error', { why: 'unusable' }),
  refuse('venue_refused_service', { reason: 'region' }),
  refuse('venue_unavailable', { why: 'unreachable' }),
  refuse('store_unavailable', { store: 'orders' }),
  refuse('outcome_unknown', { orderId: ORDER_ID, why: 'sent', advice: 'repeat' }),
];

/** Values of facts by their kind. */
const VALUES = {
  decimal: '0.01',
  integer: 2,
  hash: ORDER_ID,
  time: '2026-12-01T12:00:00Z',
  sentence: 'a sentence of the venue',
  text: 'a text',
  'field errors': [{ field: 'price', detail: 'must be a decimal.' }],
} as const;

function errorOf(code: ErrorCode): AppError {
  const { facts: specs = {}, detail } = errorSpec(code);
  const values = Object.entries(specs).map(([name, { kind }]) => [
    name,
    typeof kind === 'string' ? VALUES[kind] : kind[0],
  ]);
  const { orderId: _before, ...facts }: ErrorFacts = Object.fromEntries(values);
  return new AppError(detail(facts), { code, facts });
}

/** Writes a problem of this code as the service does. */
export function problemExample(code: ErrorCode) {
  const error = ERRORS_TO_SHOW.find((shown) => shown.code === code) ?? errorOf(code);
  return { value: toProblem(error, 'example-1').body };
}
