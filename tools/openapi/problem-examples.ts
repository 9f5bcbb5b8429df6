import { toProblem } from '../../functions/problem.ts';
import { ROUTES } from '../../functions/routes.ts';
import { AppError, aboutOrder, type ErrorCode, type ErrorFacts, errorSpec, refuse } from '../../shared/errors.ts';
import { CHALLENGE, ORDER_ID, REQUEST_ID } from './examples.ts';

/** Errors of which a mere request to a service on paper is no example; the service writes their sentences. */
const ERRORS_TO_SHOW: readonly AppError[] = [
  refuse('invalid_request', {
    part: 'The path',
    errors: [{ field: 'token_id', detail: 'must be a uint256 in decimal, in canonical form.' }],
  }),
  refuse('client_signature_invalid', { why: 'expired', challenge: CHALLENGE }),
  refuse('order_placement_disabled', { why: ['SERVICE_PRIVATE_KEY', 'SERVICE_PLACE_ORDER=1'] }),
  refuse('origin_not_allowed', { origin: 'https://app.example.org' }),
  refuse('host_not_allowed', { host: 'api.example.org' }),
  refuse('not_found', { paths: Object.values(ROUTES).map(({ path }) => path) }),
  refuse('unknown_token', {}),
  refuse('method_not_allowed', { methods: ['GET', 'HEAD', 'OPTIONS'], path: ROUTES.markets.path }),
  refuse('notional_below_minimum', { minNotional: '1' }),
  refuse('expiry_too_soon', { earliest: '2026-12-01T12:02:00Z' }),
  refuse('order_above_cap', { maxNotional: '250' }),
  refuse('daily_cap_reached', { maxDailyNotional: '1000', resetsAt: '2026-12-02T00:00:00Z' }),
  aboutOrder(refuse('market_not_accepting_orders', { venueReason: 'the market is closed' }), ORDER_ID),
  aboutOrder(refuse('order_rejected', { venueReason: 'a reason of its own' }), ORDER_ID),
  refuse('idempotency_key_reused', { belongsTo: 'another order' }),
  refuse('rate_limited', { rateOf: 'requests' }),
  refuse('venue_error', { why: 'unusable' }),
  refuse('venue_refused_service', { reason: 'region' }),
  refuse('venue_unavailable', { why: 'unreachable' }),
  refuse('store_unavailable', { store: 'orders' }),
  refuse('venue_timeout', { waitedFor: 'answer' }),
  refuse('outcome_unknown', { orderId: ORDER_ID, why: 'sent', advice: 'repeat' }),
];

/** Values of facts by their kind, for a code whose sentence needs no others. */
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
  const facts: ErrorFacts = Object.fromEntries(
    Object.entries(specs).map(([name, { kind }]) => [name, typeof kind === 'string' ? VALUES[kind] : kind[0]]),
  );
  return new AppError(detail(facts), { code, facts });
}

/** Writes a problem of this code as the service does. */
export function problemExample(code: ErrorCode) {
  const error = ERRORS_TO_SHOW.find((shown) => shown.code === code) ?? errorOf(code);
  return { value: toProblem(error, REQUEST_ID).body };
}
