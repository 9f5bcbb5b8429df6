import type { FaultOrder } from '../../local/paper/faults.ts';
import type { ClientRequest } from './gateway.ts';

/** A request that is put to the service in both ways, and what both must answer. */
export interface Row {
  readonly name: string;
  readonly request: ClientRequest;
  /** What the venue does, for each of the two ways anew. */
  readonly faults?: readonly FaultOrder[];
  readonly status: number;
  /** Of the problem. */
  readonly code?: string;
}

export const LISTED_ORIGIN = 'https://app.example';
const FOREIGN_ORIGIN = 'https://elsewhere.example';
const UNKNOWN_TOKEN = '12345678901234567890';

const id = { 'x-request-id': 'rig-1' } as const;

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): ClientRequest {
  return { method, path, headers: { ...id, ...headers } };
}

/** What every deployment answers; `token` has a book. */
export function readRows(token: string): readonly Row[] {
  const book = `/v1/book/${token}`;
  const onBook = (fault: FaultOrder['fault'], times = 9) => [{ fault, path: '/book', times }];
  const onMarkets = (fault: FaultOrder['fault']) => [{ fault, path: '/markets', times: 9 }];
  return [
    { name: 'health', request: get('/health'), status: 200 },
    { name: 'health to a listed origin', request: get('/health', { origin: LISTED_ORIGIN }), status: 200 },
    { name: 'health to another origin', request: get('/health', { origin: FOREIGN_ORIGIN }), status: 200 },
    { name: 'HEAD of health', request: get('/health', {}, 'HEAD'), status: 200 },
    { name: 'DELETE of health', request: get('/health', {}, 'DELETE'), status: 405, code: 'method_not_allowed' },
    { name: 'OPTIONS of markets', request: get('/v1/markets', {}, 'OPTIONS'), status: 204 },
    { name: 'preflight of a book', request: get(book, { origin: FOREIGN_ORIGIN }, 'OPTIONS'), status: 204 },
    { name: 'markets', request: get('/v1/markets?limit=3', { origin: FOREIGN_ORIGIN }), status: 200 },
    { name: 'markets of limit 0', request: get('/v1/markets?limit=0'), status: 400, code: 'invalid_request' },
    { name: 'markets of limt', request: get('/v1/markets?limt=5'), status: 400, code: 'invalid_request' },
    { name: 'PUT of markets', request: get('/v1/markets', {}, 'PUT'), status: 405, code: 'method_not_allowed' },
    { name: 'book', request: get(book), status: 200 },
    { name: 'HEAD of a book', request: get(book, {}, 'HEAD'), status: 200 },
    { name: 'POST of a book', request: get(book, {}, 'POST'), status: 405, code: 'method_not_allowed' },
    { name: 'book of 07', request: get('/v1/book/07'), status: 400, code: 'invalid_request' },
    { name: 'book of an encoded digit', request: get('/v1/book/%31'), status: 404, code: 'unknown_token' },
    { name: 'book of nobody', request: get(`/v1/book/${UNKNOWN_TOKEN}`), status: 404, code: 'unknown_token' },
    { name: 'a path of nobody', request: get('/v1/nothing'), status: 404, code: 'not_found' },
    { name: 'the root', request: get('/'), status: 404, code: 'not_found' },
    { name: 'a book without token', request: get('/v1/book/'), status: 404, code: 'not_found' },
    { name: 'a slash too many', request: get('/v1/markets/'), status: 404, code: 'not_found' },
    { name: 'POST of nothing', request: get('/v2/orders', {}, 'POST'), status: 404, code: 'not_found' },
    { name: 'OPTIONS of nothing', request: get('/nothing', {}, 'OPTIONS'), status: 404, code: 'not_found' },
    {
      name: 'markets while the venue fails',
      request: get('/v1/markets'),
      faults: onMarkets('error-500'),
      status: 502,
      code: 'venue_error',
    },
    {
      name: 'book while the edge fails',
      request: get(book),
      faults: onBook('edge-502'),
      status: 502,
      code: 'venue_error',
    },
    { name: 'book as plain text', request: get(book), faults: onBook('wrong-type'), status: 502, code: 'venue_error' },
    { name: 'book cut in half', request: get(book), faults: onBook('truncated'), status: 502, code: 'venue_error' },
    {
      name: 'book while the venue is full',
      request: get(book),
      faults: onBook('rate-limit'),
      status: 429,
      code: 'rate_limited',
    },
    {
      name: 'book behind the firewall',
      request: get(book),
      faults: onBook('firewall'),
      status: 502,
      code: 'venue_refused_service',
    },
    {
      name: 'book during a restart',
      request: get(book),
      faults: onBook('restart'),
      status: 503,
      code: 'venue_unavailable',
    },
    { name: 'book after one lost connection', request: get(book), faults: onBook('reset', 1), status: 200 },
  ];
}

type Headers = Readonly<Record<string, string>>;

/** A request for an order; `changes` replace members of its body, `undefined` removes one. */
export function order(
  token: string,
  changes: Readonly<Record<string, unknown>> = {},
  headers: Headers = {},
): ClientRequest {
  const body = { token_id: token, side: 'buy', price: 0.4, size: '10', post_only: true, ...changes };
  return {
    method: 'POST',
    path: '/v1/orders',
    headers: { ...id, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** What a deployment without orders answers on their path. */
export function disabledRows(token: string): readonly Row[] {
  const code = 'order_placement_disabled';
  const preflight = { ...get('/v1/orders', { origin: LISTED_ORIGIN }, 'OPTIONS') };
  return [
    { name: 'an order', request: order(token), status: 403, code },
    {
      name: 'an order of another media type',
      request: order(token, {}, { 'content-type': 'text/plain' }),
      status: 403,
      code,
    },
    {
      name: 'an order of another origin',
      request: order(token, {}, { origin: FOREIGN_ORIGIN }),
      status: 403,
      code: 'origin_not_allowed',
    },
    { name: 'GET of orders', request: get('/v1/orders'), status: 405, code: 'method_not_allowed' },
    { name: 'preflight of an order', request: preflight, status: 204 },
  ];
}

/** What a deployment with orders answers on their path, up to the venue. */
export function orderRows(token: string): readonly Row[] {
  const raw = (body: string) => ({ ...order(token), body });
  const invalid = { status: 400, code: 'invalid_request' } as const;
  const key = { 'idempotency-key': 'rig-key-1' };
  return [
    {
      name: 'preflight of a listed origin',
      request: get('/v1/orders', { origin: LISTED_ORIGIN }, 'OPTIONS'),
      status: 204,
    },
    {
      name: 'preflight of another origin',
      request: get('/v1/orders', { origin: FOREIGN_ORIGIN }, 'OPTIONS'),
      status: 403,
      code: 'origin_not_allowed',
    },
    { name: 'GET of orders', request: get('/v1/orders'), status: 405, code: 'method_not_allowed' },
    {
      name: 'another origin',
      request: order(token, {}, { origin: FOREIGN_ORIGIN }),
      status: 403,
      code: 'origin_not_allowed',
    },
    { name: 'no media type', request: { ...order(token), headers: id }, status: 415, code: 'unsupported_media_type' },
    {
      name: 'a form',
      request: order(token, {}, { 'content-type': 'application/x-www-form-urlencoded' }),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'a body of 17 KB',
      request: order(token, { note: 'x'.repeat(17_000) }),
      status: 413,
      code: 'payload_too_large',
    },
    { name: 'half of a JSON text', request: raw('{"token_id":'), ...invalid },
    { name: 'no body', request: raw(''), ...invalid },
    { name: 'a misspelt member', request: order(token, { postonly: true }), ...invalid },
    { name: 'side hold', request: order(token, { side: 'hold' }), ...invalid },
    { name: 'no price', request: order(token, { price: undefined }), ...invalid },
    {
      name: 'a client address that is no text',
      request: order(token, {}, { 'x-client-address': 'x'.repeat(129) }),
      ...invalid,
    },
    { name: 'an unknown token', request: order(UNKNOWN_TOKEN), status: 404, code: 'unknown_token' },
    { name: 'a price of 1', request: order(token, { price: 1 }), status: 422, code: 'price_out_of_range' },
    { name: 'a price of 0.415', request: order(token, { price: 0.415 }), status: 422, code: 'price_off_tick' },
    {
      name: 'a price with too many digits',
      request: raw(
        JSON.stringify({ token_id: token, side: 'buy', size: 10, price: 0 }).replace(
          '"price":0',
          '"price":0.4100000000000000001',
        ),
      ),
      status: 422,
      code: 'price_off_tick',
    },
    { name: 'a size of 10.123', request: order(token, { size: 10.123 }), status: 422, code: 'size_precision' },
    { name: 'a size of 1', request: order(token, { size: 1 }), status: 422, code: 'size_below_minimum' },
    { name: 'an order above the cap', request: order(token, { size: 200 }), status: 422, code: 'order_above_cap' },
    {
      name: 'a resting order',
      request: order(token, {}, { origin: LISTED_ORIGIN, 'x-client-address': 'ed25519:abc' }),
      status: 201,
    },
    { name: 'a matching order', request: order(token, { price: '0.6', size: '5', post_only: false }), status: 201 },
    { name: 'an order with a key', request: order(token, {}, key), status: 201 },
    { name: 'the same again', request: order(token, {}, key), status: 201 },
    {
      name: 'another order with the key',
      request: order(token, { size: 11 }, key),
      status: 422,
      code: 'idempotency_key_reused',
    },
  ];
}

/** What the venue's own refusals and faults become. */
export function venueRows(token: string): readonly Row[] {
  const onOrder = (fault: FaultOrder['fault'], more: Partial<FaultOrder> = {}) => [
    { fault, method: 'POST', path: '/order', times: 9, ...more },
  ];
  const refused = (text: string) => onOrder('refuse', { text });
  const request = order(token);
  return [
    {
      name: 'a post-only order that crosses',
      request: order(token, { price: 0.6 }),
      status: 422,
      code: 'post_only_would_cross',
    },
    {
      name: 'a small taker',
      request,
      faults: refused('invalid amount for a marketable BUY order ($0.5), min size: $1'),
      status: 422,
      code: 'notional_below_minimum',
    },
    {
      name: 'a closed market',
      request,
      faults: refused('the market is not yet ready to process new orders'),
      status: 422,
      code: 'market_not_accepting_orders',
    },
    {
      name: 'an empty account',
      request,
      faults: refused('not enough balance / allowance: the balance is not enough -> balance: 17'),
      status: 422,
      code: 'insufficient_balance',
    },
    {
      name: 'a refusal that nobody knows',
      request,
      faults: refused('invalid expiration'),
      status: 422,
      code: 'order_rejected',
    },
    {
      name: 'the wrong signature',
      request,
      faults: refused('order_version_mismatch'),
      status: 502,
      code: 'venue_refused_service',
    },
    {
      name: 'the wrong kind of wallet',
      request,
      faults: refused('maker address not allowed, please use the deposit wallet flow'),
      status: 502,
      code: 'venue_refused_service',
    },
    { name: 'a refused region', request, faults: onOrder('region'), status: 502, code: 'venue_refused_service' },
    { name: 'a firewall', request, faults: onOrder('firewall'), status: 502, code: 'venue_refused_service' },
    {
      name: 'refused credentials',
      request,
      faults: onOrder('unauthorized'),
      status: 502,
      code: 'venue_refused_service',
    },
    { name: 'a halted venue', request, faults: onOrder('halted'), status: 503, code: 'venue_unavailable' },
    {
      name: 'a venue that only cancels',
      request,
      faults: onOrder('cancel-only'),
      status: 503,
      code: 'venue_unavailable',
    },
    { name: 'a full venue', request, faults: onOrder('rate-limit'), status: 429, code: 'rate_limited' },
    {
      name: 'a fault after which nobody knows',
      request,
      faults: [...onOrder('error-500-after'), { fault: 'error-500', method: 'GET', path: '/data', times: 99 }],
      status: 504,
      code: 'outcome_unknown',
    },
  ];
}
