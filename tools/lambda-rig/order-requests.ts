import { FOREIGN_ORIGIN, get, id, LISTED_ORIGIN, order, type Row, UNKNOWN_TOKEN } from './requests.ts';

/** Requests on the path of orders, to a deployment without them. */
export function disabledRows(token: string): readonly Row[] {
  const code = 'order_placement_disabled';
  const deployedDetail = 'The service is deployed read-only: its operator has not set placeOrder.';
  const preflight = { ...get('/v1/orders', { origin: LISTED_ORIGIN }, 'OPTIONS') };
  return [
    { name: 'an order', request: order(token), status: 403, code, deployedDetail },
    {
      name: 'an order of another media type',
      request: order(token, {}, { 'content-type': 'text/plain' }),
      status: 403,
      code,
      deployedDetail,
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

/** Requests on the path of orders, to a deployment with them, up to the venue. */
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
      name: 'an idempotency key that is too long',
      request: order(token, {}, { 'idempotency-key': 'x'.repeat(256) }),
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
