import { describe, expect, it } from '@jest/globals';
import type { Endpoint, HttpHandler, Middleware } from '../../functions/http.ts';
import { ROUTES, UNKNOWN_ROUTE } from '../../functions/routes.ts';
import { AppError, ERRORS, type ErrorCode, refuse, titleOf } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import { spend } from '../../shared/venue/port.ts';
import { ask } from '../support/service/gateway-event.ts';

const CODES = Object.keys(ERRORS).filter((name): name is ErrorCode => name in ERRORS);
const NEW_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function endpointOf(
  handler: HttpHandler,
  more: Partial<Pick<Endpoint, 'route' | 'origins' | 'budgetMs' | 'checks'>> = {},
): Endpoint {
  return { route: ROUTES.markets, origins: 'any', budgetMs: 1_000, handler, ...more };
}

const ok = endpointOf(() => ({ status: 200, body: { a: '1' } }));

function failing(error: unknown): Endpoint {
  return endpointOf(() => {
    throw error;
  });
}

describe('the pipeline', () => {
  it("answers with the handler's value as JSON", async () => {
    const { result } = await ask(ok, { headers: { 'x-request-id': 'mine' } });
    expect(result).toStrictEqual({
      statusCode: 200,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'application/json',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate',
        'x-request-id': 'mine',
      },
      body: '{"a":"1"}\n',
    });
  });

  it('gives a handler its headers, query, parameters and the end of its time', async () => {
    const before = performance.now();
    const { body } = await ask(
      endpointOf(({ headers, query, pathParameters, body: content }, { deadline, venueRequests }) => ({
        status: 200,
        body: { headers, query: [...query], pathParameters, content, venueRequests, left: deadline - before },
      })),
      { headers: { a: '1' }, query: 'x=1&x=2', pathParameters: { token_id: '7' }, body: 'text' },
    );
    expect(body).toStrictEqual({
      headers: { a: '1' },
      query: [
        ['x', '1'],
        ['x', '2'],
      ],
      pathParameters: { token_id: '7' },
      content: 'text',
      venueRequests: [],
      left: expect.any(Number),
    });
    expect(body).toMatchObject({ left: expect.closeTo(1_000, -3) });
  });

  it.each([
    ['was taken in just now', -500, [23_000, 24_000]],
    ['has waited for a cold start', -5_000, [19_000, 20_000]],
    ['is given up already', -26_000, [-2_000, -1_000]],
    ['says nothing that can be: too old', -31_000, [23_000, 24_000]],
    ['says nothing that can be: of the future', 60_000, [23_000, 24_000]],
    ['says nothing that can be: no number', Number.NaN, [23_000, 24_000]],
  ])('counts the time of a request from the gateway: one that %s', async (_what, ago, [least = 0, most = 0]) => {
    const read: HttpHandler = (_request, { deadline }) => ({ status: 200, body: deadline - performance.now() });
    const endpoint = endpointOf(read, { budgetMs: ORDER_BUDGET_MS });
    const { body } = await ask(endpoint, { timeEpoch: Date.now() + ago });
    expect(body).toBeGreaterThan(least);
    expect(body).toBeLessThanOrEqual(most);
  });

  it('has a route of all methods answer OPTIONS too', async () => {
    const { result } = await ask({ ...ok, route: UNKNOWN_ROUTE }, { method: 'OPTIONS' });
    expect(result.statusCode).toBe(200);
  });

  it.each(['a', 'A.b_c-9', 'x'.repeat(64)])('keeps the request id %s', async (id) => {
    const { result, lines } = await ask(ok, { headers: { 'x-request-id': id } });
    expect(result.headers?.['x-request-id']).toBe(id);
    expect(lines).toMatchObject([{ request_id: id }]);
  });

  it.each(['', ' ', 'a b', 'x'.repeat(65), 'a,b', 'ä', 'a\nb', '<script>'])(
    'makes a new request id for %j',
    async (id) => {
      const { result, lines } = await ask(ok, { headers: { 'x-request-id': id } });
      expect(result.headers?.['x-request-id']).toMatch(NEW_ID);
      expect(lines).toMatchObject([{ request_id: result.headers?.['x-request-id'] }]);
    },
  );

  it('names the invocation in the log once, as the request itself where the caller has sent no id', async () => {
    const [own] = (await ask(ok, { awsRequestId: 'invocation-1' })).lines;
    const headers = { 'x-request-id': 'mine' };
    const [sent] = (await ask(ok, { awsRequestId: 'invocation-1', headers })).lines;
    expect([own?.['request_id'], own?.['lambda_request_id']]).toStrictEqual(['invocation-1', undefined]);
    expect([sent?.['request_id'], sent?.['lambda_request_id']]).toStrictEqual(['mine', 'invocation-1']);
  });

  it('logs an unidentified caller at every log level', async () => {
    const lines = async (code: 'caller_not_identified' | 'origin_not_allowed') => {
      const endpoint = failing(new AppError('x', { code }));
      return (await ask(endpoint, {}, { level: 'error' })).lines;
    };
    expect(await lines('caller_not_identified')).toMatchObject([
      { level: 'info', message: 'request', status: 403, code: 'caller_not_identified' },
    ]);
    expect(await lines('origin_not_allowed')).toStrictEqual([]);
  });

  it('writes one line for a request, with its times by part, what the venue was asked and what the handler added', async () => {
    const calls = [
      { name: 'book', result: 200, milliseconds: 3 },
      { name: 'book', result: 304, milliseconds: 0.5 },
    ];
    const endpoint = endpointOf(async ({ note }, call) => {
      call.venueRequests.push(...calls);
      await spend(call, 'store', async () => 'read');
      await spend(call, 'store', async () => 'written');
      note({ extra: 'x' });
      return { status: 200 };
    });
    const traceparent = `00-${'0a'.repeat(16)}-${'0b'.repeat(8)}-01`;
    const headers = { 'x-request-id': 'mine', traceparent, 'x-amzn-trace-id': 'Root=1-6a2b-0c;Sampled=0' };
    const { lines } = await ask(endpoint, { headers });
    expect(lines).toStrictEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        message: 'request',
        route: 'markets',
        method: 'GET',
        status: 200,
        duration_ms: expect.any(Number),
        venue_ms: 3.5,
        store_ms: expect.any(Number),
        request_id: 'mine',
        traceparent,
        amzn_trace_id: 'Root=1-6a2b-0c;Sampled=0',
        venue_calls: calls,
        extra: 'x',
      },
    ]);
  });

  it('answers HEAD as GET without a body', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => ask(ok, { method, headers: { 'x-request-id': 'm' } })),
    );
    expect(head?.result).toStrictEqual({ statusCode: 200, headers: get?.result.headers });
  });

  it('answers a failed HEAD without a body too', async () => {
    const { result } = await ask(failing(new AppError('No.', { code: 'not_found' })), { method: 'HEAD' });
    expect([result.statusCode, result.body, result.headers?.['content-type']]).toStrictEqual([
      404,
      undefined,
      'application/problem+json',
    ]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'get', 'FOO'])(
    'refuses %s where GET is served',
    async (method) => {
      const { result, body } = await ask(ok, { method });
      expect(result.headers?.['allow']).toBe('GET, HEAD, OPTIONS');
      expect(body).toStrictEqual({
        type: 'about:blank',
        title: 'Method not allowed',
        status: 405,
        code: 'method_not_allowed',
        detail: 'Use GET, HEAD, OPTIONS on /v1/markets.',
        request_id: expect.stringMatching(NEW_ID),
      });
    },
  );

  it.each(['GET', 'HEAD', 'PUT'])('refuses %s where POST is served', async (method) => {
    const { result } = await ask({ ...ok, route: ROUTES.orders }, { method });
    expect([result.statusCode, result.headers?.['allow']]).toStrictEqual([405, 'POST, OPTIONS']);
  });

  it('answers OPTIONS without Origin with Allow, before any check', async () => {
    const never: Middleware = { before: () => Promise.reject(new Error('asked')) };
    const { result } = await ask({ ...failing(new Error('asked')), checks: [never] }, { method: 'OPTIONS' });
    expect(result).toStrictEqual({
      statusCode: 204,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        allow: 'GET, HEAD, OPTIONS',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate',
        'x-request-id': expect.stringMatching(NEW_ID),
      },
    });
  });
});

describe('errors', () => {
  it.each(CODES)('%s becomes a problem of its status, with CORS headers and request id', async (code) => {
    const { result, body, lines } = await ask(failing(new AppError('What to do.', { code })));
    const { status } = ERRORS[code];
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: titleOf(code),
      status,
      code,
      detail: 'What to do.',
      request_id: result.headers?.['x-request-id'],
    });
    expect(result.statusCode).toBe(status);
    expect(result.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(lines).toMatchObject([{ message: 'request', code, status, level: status >= 500 ? 'error' : 'info' }]);
    expect(status === 429 || status === 503).toBe(result.headers?.['retry-after'] !== undefined);
  });

  it('send a wait in whole seconds, rounded up', async () => {
    const { result } = await ask(failing(new AppError('x', { code: 'rate_limited', retryAfter: 1.2 })));
    expect(result.headers?.['retry-after']).toBe('2');
  });

  it('carry their facts in wire names', async () => {
    const facts = {
      errors: [{ field: 'price', detail: 'x' }],
      minPrice: '0.01',
      maxPrice: '0.99',
      tickSize: '0.01',
      maxDecimals: 2,
      minOrderSize: '5',
      minNotional: '1',
      maxNotional: '2',
      reason: 'region',
      venueReason: 'x',
      orderId: '0x1',
    } as const;
    const { body, lines } = await ask(failing(new AppError('x', { code: 'order_rejected', facts })));
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: 'Order rejected',
      status: 422,
      code: 'order_rejected',
      detail: 'x',
      request_id: expect.any(String),
      errors: [{ field: 'price', detail: 'x' }],
      min_price: '0.01',
      max_price: '0.99',
      tick_size: '0.01',
      max_decimals: 2,
      min_order_size: '5',
      min_notional: '1',
      max_notional: '2',
      reason: 'region',
      venue_reason: 'x',
      order_id: '0x1',
    });
    expect(lines).toMatchObject([{ order_id: '0x1' }]);
  });

  it.each([
    new Error('secret /etc/passwd'),
    new TypeError('x is undefined'),
    'a string',
    undefined,
    null,
    { code: 'not_found' },
  ])('that are not ours say nothing but that they happened: %p', async (error) => {
    const { result, body, lines } = await ask(failing(error));
    expect(result.statusCode).toBe(500);
    expect(body).toStrictEqual({
      type: 'about:blank',
      title: 'Internal error',
      status: 500,
      code: 'internal_error',
      detail: 'An unexpected error occurred. Report it with the request id.',
      request_id: result.headers?.['x-request-id'],
    });
    expect(lines.at(-1)).toMatchObject({ message: 'request', level: 'error', code: 'internal_error' });
  });

  it('that are not ours leave their stack in the log at every level', async () => {
    const { lines } = await ask(failing(new TypeError('x')));
    expect(lines[0]).toMatchObject({
      message: 'request failed',
      level: 'error',
      error: { cause: { stack: expect.any(String) } },
    });
  });

  it('say in the log what the venue objects to, also without a cause: the operator has to act', async () => {
    const { body, lines } = await ask(failing(refuse('venue_refused_service', { reason: 'region' })));
    const detail = expect.stringContaining('orders are not accepted from its region');
    expect(body).toMatchObject({ detail });
    expect(lines).toMatchObject([{ message: 'request', level: 'error', code: 'venue_refused_service', detail }]);
  });
});
