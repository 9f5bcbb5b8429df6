import { describe, expect, it } from '@jest/globals';
import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { healthEndpoint } from '../../functions/health/endpoint.ts';
import type { Endpoint } from '../../functions/http.ts';
import { marketsEndpoint } from '../../functions/markets/endpoint.ts';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { disabledOrdersEndpoint } from '../../functions/refusing-endpoints.ts';
import { ask } from '../support/service/gateway-event.ts';
import { expectProblem, send } from '../support/service/http-client.ts';
import { LISTED_ORIGIN, startTestServer } from '../support/service/local-service.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

const ALLOWED =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Client-Address, X-Client-Signature, X-Client-Signature-Expires, X-Request-Id';
const EXPOSED = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';
const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
const EVIL = [
  'https://evil.example',
  'null',
  'http://app.example',
  'https://app.example.evil.example',
  'https://app.example:8443',
  'https://APP.example',
  'https://app.example/',
  ' ',
  `${LISTED_ORIGIN},${LISTED_ORIGIN}`,
];

const health = healthEndpoint({
  mode: 'read-only',
  walletAddress: null,
  funderAddress: undefined,
  clientVerification: 'off',
});
const markets = marketsEndpoint(fakeMarketData());
const book = bookEndpoint(fakeMarketData());

async function corsOf(
  endpoint: Endpoint,
  method: string,
  origin: string | undefined,
  asked?: string,
): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = {
    ...(origin !== undefined && { origin }),
    ...(asked !== undefined && { 'access-control-request-headers': asked }),
  };
  const { result } = await ask(endpoint, { method, headers, pathParameters: { token_id: TOKEN_ID } });
  const names = Object.entries(result.headers ?? {}).filter(([name]) => /^(access-control|vary|allow$)/.test(name));
  return { status: result.statusCode, ...Object.fromEntries(names) };
}

describe.each([
  ['markets', markets],
  ['book', book],
])('%s', (_name, endpoint) => {
  it.each([undefined, LISTED_ORIGIN, ...EVIL])('lets %s read', async (origin) => {
    expect(await corsOf(endpoint, 'GET', origin)).toStrictEqual({
      status: 200,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
    });
  });

  it('answers a preflight from anywhere', async () => {
    expect(await corsOf(endpoint, 'OPTIONS', 'https://evil.example')).toStrictEqual({
      status: 204,
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
    });
  });
});

const ASKED = 'baggage,sentry-trace, traceparent';

it.each([
  ['markets', markets, ASKED, ASKED],
  ['book', book, ASKED, ASKED],
  ['health', health, ASKED, ASKED],
  ['health asked for no name of a header', health, 'a<b>', ALLOWED],
  ['orders', disabledOrdersEndpoint('x'), ASKED, ALLOWED],
])('a preflight of %s allows the names that are right for it', async (_name, endpoint, asked, allowed) => {
  const answer = await corsOf(endpoint, 'OPTIONS', LISTED_ORIGIN, asked);
  expect(answer['access-control-allow-headers']).toBe(allowed);
});

describe('health', () => {
  it('lets a listed origin read', async () => {
    expect(await corsOf(health, 'GET', LISTED_ORIGIN)).toStrictEqual({
      status: 200,
      vary: 'Origin',
      'access-control-allow-origin': LISTED_ORIGIN,
      'access-control-expose-headers': EXPOSED,
    });
  });

  it.each([undefined, ...EVIL])('gives %s nothing that a browser would let it read', async (origin) => {
    expect(await corsOf(health, 'GET', origin)).toStrictEqual({ status: 200, vary: 'Origin' });
    expect(await corsOf(health, 'OPTIONS', origin)).not.toHaveProperty('access-control-allow-origin');
  });
});

describe.each([
  ['orders', () => ordersEndpoint({ openOrders: async () => fakeOrders() })],
  ['orders of a read-only service', () => disabledOrdersEndpoint('x')],
])('%s', (_name, makeEndpoint) => {
  it.each(EVIL)('are refused from %s, and so is the preflight', async (origin) => {
    const refused = { status: 403, vary: 'Origin' };
    expect(await corsOf(makeEndpoint(), 'POST', origin)).toStrictEqual(refused);
    expect(await corsOf(makeEndpoint(), 'OPTIONS', origin)).toStrictEqual(refused);
    const { body, lines } = await ask(makeEndpoint(), { method: 'POST', headers: { origin } });
    const detail = `Orders from pages of "${origin}" are refused. Ask the operator to add this origin to SERVICE_CORS_ORIGINS.`;
    expect(lines).toMatchObject([{ message: 'request', code: 'origin_not_allowed', detail }]);
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: 'Origin not allowed',
      status: 403,
      code: 'origin_not_allowed',
      detail,
      request_id: expect.any(String),
    });
  });

  it('repeat of an origin no more than 100 characters of printable ASCII', async () => {
    const origin = `https://\u00e4\u202e\n${'x'.repeat(100)}`;
    const { body } = await ask(makeEndpoint(), { method: 'POST', headers: { origin } });
    expect(body).toMatchObject({ detail: expect.stringContaining(`"https://???${'x'.repeat(89)}"`) });
  });

  it('answer the preflight of a listed origin', async () => {
    expect(await corsOf(makeEndpoint(), 'OPTIONS', LISTED_ORIGIN)).toStrictEqual({
      status: 204,
      allow: 'POST, OPTIONS',
      vary: 'Origin',
      'access-control-allow-origin': LISTED_ORIGIN,
      'access-control-expose-headers': EXPOSED,
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '600',
    });
  });

  it('give a listed origin its refusals to read', async () => {
    const { result } = await ask(makeEndpoint(), { method: 'POST', headers: { origin: LISTED_ORIGIN }, body: '{' });
    expect(result.statusCode).toBeGreaterThanOrEqual(400);
    expect(result.headers?.['access-control-allow-origin']).toBe(LISTED_ORIGIN);
  });
});

describe("a page of another origin, on the operator's machine", () => {
  it.each([
    ['a form or a simple fetch', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['a sandboxed frame', { origin: 'null', 'content-type': 'text/plain' }],
    ['a fetch with JSON', { origin: 'https://evil.example', 'content-type': 'application/json' }],
    ['two origins', { origin: `${LISTED_ORIGIN}, https://evil.example`, 'content-type': 'application/json' }],
  ])('cannot order with %s', async (_name, headers) => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const request = { method: 'POST', path: '/v1/orders', body: ORDER };
    const answer = await send(url, { ...request, headers: { host: '127.0.0.1', ...headers } });
    expectProblem(answer, { status: 403, code: 'origin_not_allowed' });
    expect(orders.placed).toStrictEqual([]);
  });

  it('cannot order after rebinding its name to this machine', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    // The browser takes this for the page's own origin: it sends no preflight, and with GET no Origin either.
    const headers = {
      host: 'evil.example:8080',
      origin: 'http://evil.example:8080',
      'content-type': 'application/json',
    };
    const answer = await send(url, { method: 'POST', path: '/v1/orders', headers, body: ORDER });
    expectProblem(answer, { status: 403, code: 'host_not_allowed' });
    const read = await send(url, { path: '/health', headers: { host: 'evil.example:8080' } });
    expectProblem(read, { status: 403, code: 'host_not_allowed' });
    expect(orders.placed).toStrictEqual([]);
  });

  it('cannot order without an Origin header by a type that needs no preflight', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const headers = { host: 'localhost', 'content-type': 'text/plain' };
    expectProblem(await send(url, { method: 'POST', path: '/v1/orders', headers, body: ORDER }), {
      status: 415,
      code: 'unsupported_media_type',
    });
    expect(orders.placed).toStrictEqual([]);
  });
});
