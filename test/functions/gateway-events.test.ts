import { describe, expect, it } from '@jest/globals';
import type { Endpoint, HttpHandler } from '../../functions/http.ts';
import { createCallerCheck } from '../../functions/orders/caller.ts';
import { type OpenOrders, ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { ROUTES } from '../../functions/routes.ts';
import { AppError, refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import { timed } from '../../shared/venue/port.ts';
import { ask } from '../support/service/gateway-event.ts';
import { fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

function endpointOf(handler: HttpHandler, budgetMs = 1_000): Endpoint {
  return { route: ROUTES.markets, origins: 'any', budgetMs, handler };
}

const ok = endpointOf(() => ({ status: 200, body: { a: '1' } }));

function failing(error: unknown): Endpoint {
  return endpointOf(() => {
    throw error;
  });
}

const ORDER = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: '0.51', size: '10' }),
} as const;

describe('an event of the gateway', () => {
  it.each([
    ['was taken in just now', -500, [23_000, 24_000]],
    ['has waited for a cold start', -5_000, [19_000, 20_000]],
    ['is given up already', -26_000, [-2_000, -1_000]],
    ['says nothing that can be: too old', -31_000, [23_000, 24_000]],
    ['says nothing that can be: of the future', 60_000, [23_000, 24_000]],
    ['says nothing that can be: no number', Number.NaN, [23_000, 24_000]],
  ])('counts the time of a request from the gateway: one that %s', async (_what, ago, [least = 0, most = 0]) => {
    const read: HttpHandler = (_request, { deadline }) => ({ status: 200, body: deadline - performance.now() });
    const endpoint = endpointOf(read, ORDER_BUDGET_MS);
    const { body } = await ask(endpoint, { timeEpoch: Date.now() + ago });
    expect(body).toBeGreaterThan(least);
    expect(body).toBeLessThanOrEqual(most);
  });

  it('that it has given up is refused before anything is signed', async () => {
    const orders = fakeOrders();
    const endpoint = ordersEndpoint({ openOrders: async () => orders });
    const given = await ask(endpoint, { ...ORDER, timeEpoch: Date.now() - 31_000 });
    expect([given.body, orders.placed]).toMatchObject([{ status: 408, code: 'request_timeout' }, []]);
    await ask(endpoint, { ...ORDER, timeEpoch: Date.now() - 15_000 });
    expect(orders.placed).toHaveLength(1);
  });

  it('of HEAD gets the result of GET without a body, which no gateway drops', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => ask(ok, { method, headers: { 'x-request-id': 'm' } })),
    );
    expect(head?.result).toStrictEqual({ statusCode: 200, headers: get?.result.headers });
  });
});

describe('the log of a request', () => {
  it('names the invocation in the log once, as the request itself where the caller has sent no id', async () => {
    const [own] = (await ask(ok, { awsRequestId: 'invocation-1' })).lines;
    const headers = { 'x-request-id': 'mine' };
    const [sent] = (await ask(ok, { awsRequestId: 'invocation-1', headers })).lines;
    expect([own?.['request_id'], own?.['lambda_request_id']]).toStrictEqual(['invocation-1', undefined]);
    expect([sent?.['request_id'], sent?.['lambda_request_id']]).toStrictEqual(['mine', 'invocation-1']);
  });

  it('is one line, with its times by part, what the venue was asked and what the handler added', async () => {
    const calls = [
      { name: 'book', result: 200, milliseconds: 3 },
      { name: 'book', result: 304, milliseconds: 0.5 },
    ];
    const endpoint = endpointOf(async ({ trace }, call) => {
      call.venueRequests.push(...calls);
      const access = timed(call, 'store', async () => 'read');
      await access();
      await access();
      Object.assign(trace, { extra: 'x' });
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

  it('has an unidentified caller at every log level', async () => {
    const lines = async (code: 'caller_not_identified' | 'origin_not_allowed') => {
      const endpoint = failing(new AppError('x', { code }));
      return (await ask(endpoint, {}, { level: 'error' })).lines;
    };
    expect(await lines('caller_not_identified')).toMatchObject([
      { level: 'info', message: 'request', status: 403, code: 'caller_not_identified' },
    ]);
    expect(await lines('origin_not_allowed')).toStrictEqual([]);
  });

  it('has the stack of an error of ours', async () => {
    const { lines } = await ask(failing(new TypeError('x')));
    expect(lines[0]).toMatchObject({
      message: 'request failed',
      level: 'error',
      error: { cause: { stack: expect.any(String) } },
    });
  });

  it('has what the venue objects to, also without a cause: the operator has to act', async () => {
    const { body, lines } = await ask(failing(refuse('venue_refused_service', { reason: 'region' })));
    const detail = expect.stringContaining('orders are not accepted from its region');
    expect(body).toMatchObject({ detail });
    expect(lines).toMatchObject([{ message: 'request', level: 'error', code: 'venue_refused_service', detail }]);
  });

  it('names the caller of the gateway in every line, those of refused requests included', async () => {
    const traces: unknown[] = [];
    const fake = fakeOrders();
    const place: typeof fake.place = (request, call) => {
      traces.push(call.trace);
      return fake.place(request, call);
    };
    const opened: unknown[] = [];
    const openOrders: OpenOrders = async (call) => {
      opened.push(call?.trace);
      return { ...fake, place };
    };
    const endpoint = ordersEndpoint({ openOrders, checkCaller: createCallerCheck('jwt') });
    const requestContext = { authorizer: { jwt: { claims: { sub: `me\u001b[2J${'x'.repeat(600)}` } } } };
    const headers = { ...ORDER.headers, 'x-request-id': 'mine' };
    const send = (body: string) =>
      ask(endpoint, { method: 'POST', headers, body, awsRequestId: 'lambda-id', requestContext });
    const [placed, refused] = [await send(ORDER.body), await send('{')];
    const lines = [...traces, ...opened, ...placed.lines, ...refused.lines];
    for (const line of lines) {
      expect(line).toMatchObject({
        request_id: 'mine',
        gateway_request_id: 'gateway-id',
        lambda_request_id: 'lambda-id',
        gateway_caller: `me\\u001b[2J${'x'.repeat(501)}`,
      });
    }
    expect([traces.length, opened.length, lines.length]).toStrictEqual([1, 3, 6]);
  });
});

describe('a problem', () => {
  it('sends a wait in whole seconds, rounded up', async () => {
    const { result } = await ask(failing(new AppError('x', { code: 'rate_limited', retryAfter: 1.2 })));
    expect(result.headers?.['retry-after']).toBe('2');
  });
});
