import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Endpoint, HttpHandler } from '../../functions/http.ts';
import { createCallerCheck } from '../../functions/orders/caller.ts';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { ROUTES } from '../../functions/routes.ts';
import { timed } from '../../shared/call.ts';
import { AppError, aboutOrder, refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
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
    ['has an impossible time: too old', -31_000, [23_000, 24_000]],
    ['has an impossible time: in the future', 60_000, [23_000, 24_000]],
    ['has an impossible time: not a number', Number.NaN, [23_000, 24_000]],
  ])('measures the age of a request since the gateway: one that %s', async (_what, ago, [least = 0, most = 0]) => {
    const read: HttpHandler = (_request, { deadline }) => ({ status: 200, body: deadline - performance.now() });
    const { body } = await ask(endpointOf(read, ORDER_BUDGET_MS), { timeEpoch: Date.now() + ago });
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

  it.each<[string, unknown, number]>([
    ['of too many bytes, but not too many letters', `"${'ä'.repeat(8_192)}"`, 413],
    ['that is null', null, 400],
  ])('with a body %s is refused', async (_what, body, status) => {
    const orders = fakeOrders();
    const event = Object.assign({ ...ORDER }, { body });
    const { result } = await ask(ordersEndpoint({ openOrders: async () => orders }), event);
    expect([result.statusCode, orders.placed]).toStrictEqual([status, []]);
  });

  it('is answered by its endpoint just before the function times out', async () => {
    const slow = endpointOf(() => sleep(20).then(() => ({ status: 201, body: {} })));
    expect((await ask(slow)).result.statusCode).toBe(201);
  });

  it('of HEAD gets the result of GET without a body, since no gateway drops the body', async () => {
    const headers = { 'x-request-id': 'm' };
    const [get, head] = [await ask(ok, { headers }), await ask(ok, { method: 'HEAD', headers })];
    expect(head.result).toStrictEqual({ statusCode: 200, headers: get.result.headers });
    expect(head.result.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
});

describe('the log of a request', () => {
  it('is one line with its times, the calls of the venue and the members that the handler added', async () => {
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
        ...{ time: '1970-01-01T00:00:00.000Z', level: 'info', message: 'request' },
        ...{ route: 'markets', method: 'GET', status: 200 },
        ...{ duration_ms: expect.any(Number), venue_ms: 3.5, store_ms: expect.any(Number) },
        ...{ request_id: 'mine', traceparent, amzn_trace_id: 'Root=1-6a2b-0c;Sampled=0' },
        ...{ venue_calls: calls, extra: 'x' },
      },
    ]);
  });

  it('names the invocation once, and uses its id if the caller has sent none', async () => {
    const awsRequestId = 'invocation-1';
    for (const [headers, ...ids] of [
      [{}, awsRequestId, undefined, undefined],
      [{ 'x-request-id': 'mine' }, 'mine', awsRequestId, 'gateway-id'],
    ] as const) {
      const [line] = (await ask(ok, { awsRequestId, headers })).lines;
      const { request_id, lambda_request_id, gateway_request_id } = line ?? {};
      expect([request_id, lambda_request_id, gateway_request_id]).toStrictEqual(ids);
    }
  });

  it('names the caller of the gateway, as the record of the order does', async () => {
    const orders = fakeOrders();
    const endpoint = ordersEndpoint({ openOrders: async () => orders, checkCaller: createCallerCheck('jwt') });
    const requestContext = { authorizer: { jwt: { claims: { sub: 'me' } } } };
    const { lines } = await ask(endpoint, { ...ORDER, requestContext });
    expect([orders.placed, lines]).toMatchObject([[{ caller: 'me' }], [{ gateway_caller: 'me' }]]);
  });

  it.each([
    ['an unidentified caller', 'error', new AppError('x', { code: 'caller_not_identified' }), [['info', 'request']]],
    ['no other refusal', 'error', new AppError('x', { code: 'origin_not_allowed' }), []],
    [
      'the order of a problem',
      'info',
      aboutOrder(refuse('rate_limited', { rateOf: 'orders' }), '0xab'),
      [['info', 'request']],
    ],
    // The operator has to act, also without a cause.
    [
      'what the venue objects to',
      'info',
      refuse('venue_refused_service', { reason: 'region' }),
      [['error', 'request']],
    ],
    ['an error of ours', 'error', new TypeError('x'), ['request failed', 'request'].map((text) => ['error', text])],
  ] as const)('has, at the level that it is set to, %s', async (_what, level, error, expected) => {
    const { body, lines } = await ask(failing(error), {}, { level });
    expect(lines.map((line) => [line['level'], line['message']])).toStrictEqual(expected);
    if (error instanceof TypeError) expect(lines[0]).toMatchObject({ error: { cause: { stack: expect.any(String) } } });
    const { detail, code, order_id } = Object(body);
    if (expected.length > 0) expect(lines.at(-1)).toMatchObject({ code, ...(order_id && { order_id }) });
    expect(lines.at(-1)?.['detail']).toBe(code === 'venue_refused_service' ? detail : undefined);
  });
});

it('a problem sends a wait in whole seconds, rounded up', async () => {
  const { result } = await ask(failing(new AppError('x', { code: 'rate_limited', retryAfter: 1.2 })));
  expect(result.headers?.['retry-after']).toBe('2');
});
