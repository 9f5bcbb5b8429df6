import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, it, jest } from '@jest/globals';
import { createClient, type OrderRequest } from '../../../packages/client/client.ts';
import { ERROR_CODES, errorSpec, type Next } from '../../../shared/errors.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { errorOf } from '../../support/service/client-error.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { problem, type Step, startScriptedService } from '../../support/service/scripted-service.ts';

const ORDER: OrderRequest = { token_id: '1', side: 'buy', price: '0.01', size: 5, post_only: true };
const PLACED = { order_id: '0x1', status: 'live' };
const BOOK = { bids: [], asks: [], tick_size: '0.01' };
const NO_ADDRESS =
  'No answer: baseUrl is not an address of a service. It must begin with http:// or https://, such as http://127.0.0.1:8080.';

/** Said of a signed order alone. */
const OF_ORDER = { order_id: '0x1' };

describe('a client of a service on paper', () => {
  it('reads and places', async () => {
    const { url, venue } = await startPaperService();
    const client = createClient({ baseUrl: `${url}/` });
    expect(await client.health()).toMatchObject({ status: 'ok', mode: 'order-placing' });
    const { items } = await client.markets({ limit: 1 });
    const tokenId = items[0]?.outcomes[0]?.token_id ?? '';
    const { tick_size, min_order_size } = await client.book(tokenId);
    const order = { token_id: tokenId, side: 'buy', price: tick_size, size: min_order_size, post_only: true } as const;
    const placed = await client.placeOrder(order, { clientAddress: 'someone' });
    expect(placed).toMatchObject({ ...order, status: 'live' });
    expect(venue.orders()).toMatchObject([{ id: placed.order_id }]);
  });

  it('tells fetch the address space of the service where it is given one', async () => {
    const spaces: unknown[] = [];
    const send = (url: string, init: RequestInit) => {
      spaces.push(Reflect.get(init, 'targetAddressSpace'));
      return fetch(url, init);
    };
    const { url } = await startPaperService();
    await createClient({ baseUrl: url, fetch: send, targetAddressSpace: 'loopback' }).health();
    await createClient({ baseUrl: url, fetch: send }).health();
    expect(spaces).toStrictEqual(['loopback', undefined]);
  });

  it('throws what the service answers, with its facts', async () => {
    const { url } = await startPaperService();
    const client = createClient({ baseUrl: url });
    const { items } = await client.markets({ limit: 1 });
    const order = { ...ORDER, token_id: items[0]?.outcomes[0]?.token_id ?? '', price: 0.015 };
    const error = await errorOf(client.placeOrder(order, { idempotencyKey: 'key-1' }));
    expect({ ...error }).toStrictEqual({
      name: 'OrderBookError',
      code: 'price_off_tick',
      status: 422,
      detail:
        'The price must be a multiple of 0.01. Send a computed price as a decimal string, such as "0.3": a JSON number keeps the error of its float.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfter: undefined,
      facts: { tick_size: '0.01' },
      idempotencyKey: 'key-1',
      mayBeLive: false,
    });
    expect(error.message).toBe(error.detail);
    expect((await errorOf(client.book('../health'))).code).toBe('invalid_request');
  });

  it('places one order though answers are lost', async () => {
    const { url, venue } = await startPaperService();
    let lost = 0;
    const loseTwo: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method !== 'POST' || lost >= 2) return response;
      lost += 1;
      throw new TypeError('fetch failed');
    };
    const client = createClient({ baseUrl: url, fetch: loseTwo });
    const { items } = await client.markets({ limit: 1 });
    const placed = await client.placeOrder({ ...ORDER, token_id: items[0]?.outcomes[0]?.token_id ?? '' });
    expect(lost).toBe(2);
    expect(venue.orders()).toMatchObject([{ id: placed.order_id }]);
  });
});

describe('a read', () => {
  it.concurrent.each<[string, Step]>([
    ['a broken connection', 'reset'],
    ['429', problem(429, 'rate_limited', 0)],
    ['502', problem(502, 'venue_error')],
    ['503', problem(503, 'venue_unavailable', 0)],
    ['504', problem(504, 'venue_timeout')],
    ['the HTML of a gateway', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
  ])('is repeated after %s', async (_what, step) => {
    const { url, requests } = await startScriptedService([step, { status: 200, body: BOOK }]);
    expect(await createClient({ baseUrl: url }).book('1')).toStrictEqual(BOOK);
    expect(requests).toHaveLength(2);
  });

  it.each<[string, Step]>([
    ['invalid_request', problem(400, 'invalid_request')],
    ['unknown_token', problem(404, 'unknown_token')],
    ['venue_refused_service', problem(502, 'venue_refused_service', undefined, { reason: 'region' })],
    ['foreign_answer', { status: 200, body: '<html>' }],
    ['foreign_answer', { status: 200, body: { message: 'another service' } }],
    ['foreign_answer', { status: 200, body: { ...BOOK, bids: null } }],
  ])('is not repeated after %s', async (code, step) => {
    const { url, requests } = await startScriptedService([step]);
    expect((await errorOf(createClient({ baseUrl: url }).book('1'))).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it.concurrent('is given up after four attempts', async () => {
    const { url, requests } = await startScriptedService(['reset']);
    const error = await errorOf(createClient({ baseUrl: url }).markets({ limit: 3 }));
    expect([error.code, error.status, error.cause]).toStrictEqual(['network_error', undefined, expect.anything()]);
    expect(requests.map(({ path }) => path)).toStrictEqual(Array.from({ length: 4 }, () => '/v1/markets?limit=3'));
  });

  it.concurrent('waits as long as it is told to', async () => {
    const { url } = await startScriptedService([problem(429, 'rate_limited', 1), { status: 200, body: BOOK }]);
    const startedAt = performance.now();
    await createClient({ baseUrl: url }).book('1');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  it.each([31, 99_999_999_999])('does not wait for longer than half a minute, such as %d s', async (seconds) => {
    const { url, requests } = await startScriptedService([problem(503, 'venue_unavailable', seconds)]);
    const error = await errorOf(createClient({ baseUrl: url }).book('1'));
    expect([error.code, error.retryAfter, requests.length]).toStrictEqual(['venue_unavailable', seconds, 1]);
  });
});

/** Every code of the service after which that is next. */
function problemsOf(...next: readonly Next[]): [string, Step][] {
  return ERROR_CODES.filter((code) => next.includes(errorSpec(code).next)).map((code) => [
    code,
    problem(errorSpec(code).status, code, 0),
  ]);
}

describe('an order', () => {
  it.concurrent.each<[string, Step]>([
    ['a broken connection', 'reset'],
    ...problemsOf('repeat'),
    ['a code of a newer service', problem(503, 'a_code_of_a_newer_service', 0)],
    ['a gateway that is asked too often', { status: 429, body: { message: 'Too Many Requests' } }],
    ['a gateway that gave up', { status: 503, body: { message: 'Service Unavailable' } }],
    ['an answer that was cut off', { status: 201, body: '{"order_id":' }],
  ])('is repeated with the same key after %s', async (_what, step) => {
    const { url, requests } = await startScriptedService([step, { status: 201, body: PLACED }]);
    expect(await createClient({ baseUrl: url }).placeOrder(ORDER)).toStrictEqual(PLACED);
    const [first, second] = requests;
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect([first?.body, second?.body]).toStrictEqual([JSON.stringify(ORDER), JSON.stringify(ORDER)]);
  });

  it.each<[string, Step]>([
    ...problemsOf('change', 'wait', 'operator'),
    ['foreign_answer', { status: 403, body: { message: 'Forbidden' } }],
    ['a_code_of_a_newer_service', problem(422, 'a_code_of_a_newer_service')],
  ])('is not repeated after %s', async (code, step) => {
    const { url, requests } = await startScriptedService([step]);
    expect((await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER))).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it.concurrent.each<[string, readonly Step[], boolean, boolean]>([
    ['a refusal', [problem(403, 'order_placement_disabled')], false, false],
    ['a lost answer and then a refusal', ['reset', problem(403, 'order_placement_disabled')], false, true],
    ['a call that left it open, and then a refusal', [problem(403, 'order_placement_disabled')], true, true],
    [
      'a call that left it open, and then a refusal of the order',
      [problem(422, 'x', undefined, OF_ORDER)],
      true,
      false,
    ],
  ])('may be live as it was left after %s', async (_what, steps, mayBeLive, expected) => {
    const { url } = await startScriptedService(steps);
    const error = await errorOf(
      createClient({ baseUrl: url }).placeOrder(ORDER, { mayBeLive, idempotencyKey: 'mine' }),
    );
    expect(error).toMatchObject({ idempotencyKey: 'mine', mayBeLive: expected });
  });

  it('is not repeated by a machine that has slept, when the service may have forgotten its key', async () => {
    const { url, requests } = await startScriptedService(['reset', { status: 201, body: PLACED }]);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 86_400_000 * requests.length);
    const error = await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER));
    clock.mockRestore();
    expect([error.code, error.mayBeLive, requests.length]).toStrictEqual(['network_error', true, 1]);
  });

  it('may be live only once it was sent', async () => {
    const { url, asked } = await startScriptedService(['silence']);
    const client = createClient({ baseUrl: url });
    expect((await errorOf(client.placeOrder(ORDER, { signal: AbortSignal.abort() }))).mayBeLive).toBe(false);
    const caller = new AbortController();
    const failing = errorOf(client.placeOrder(ORDER, { signal: caller.signal }));
    await asked;
    caller.abort();
    expect((await failing).mayBeLive).toBe(true);
  });

  it.each([{ clientAddress: '東京' }, { clientAddress: 'a\nb' }, { idempotencyKey: 'schlüssel-€' }])(
    'is not sent, and cannot be live, with what no header can hold: %p',
    async (options) => {
      const { url, requests } = await startScriptedService([{ status: 201, body: PLACED }]);
      const error = await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER, options));
      expect([error.code, error.mayBeLive, requests.length]).toStrictEqual(['invalid_request', false, 0]);
      expect(error.detail).toBe('No header can hold this key, address or signature.');
    },
  );

  it('is not placed by what has its members and is no success', async () => {
    const { url } = await startScriptedService([{ status: 403, body: PLACED }]);
    expect((await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER))).code).toBe('foreign_answer');
  });

  it('is not sent where a function of the platform is missing, which the error names', async () => {
    const { url, requests } = await startScriptedService([]);
    const { any } = AbortSignal;
    Reflect.deleteProperty(AbortSignal, 'any');
    const client = createClient({ baseUrl: url });
    const failed = await Promise.all([errorOf(client.placeOrder(ORDER)), errorOf(client.health())]);
    Object.assign(AbortSignal, { any });
    for (const error of failed) {
      expect(error).toMatchObject({ code: 'unsupported_platform', mayBeLive: false });
      expect(error.detail).toBe(
        'This platform lacks AbortSignal.any: nothing was sent. Import polyfills before the client.',
      );
    }
    expect(requests).toStrictEqual([]);
  });

  it('has a key of its own, which the error tells', async () => {
    const { url, requests } = await startScriptedService([problem(422, 'order_rejected')]);
    const client = createClient({ baseUrl: url });
    const keys = [await errorOf(client.placeOrder(ORDER)), await errorOf(client.placeOrder(ORDER))].map(
      ({ idempotencyKey }) => idempotencyKey,
    );
    expect(new Set(keys).size).toBe(2);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toStrictEqual(keys);
  });

  it('goes under the key and the address that the caller gives', async () => {
    const { url, requests } = await startScriptedService([{ status: 201, body: PLACED }]);
    await createClient({ baseUrl: url }).placeOrder(ORDER, { idempotencyKey: 'mine', clientAddress: 'me' });
    expect(requests[0]?.headers).toMatchObject({
      'idempotency-key': 'mine',
      'x-client-address': 'me',
      'content-type': 'application/json',
    });
  });

  it.concurrent('is given up after four attempts, with its key and the id of the order', async () => {
    const orderId = `0x${'1'.repeat(64)}`;
    const { url, requests } = await startScriptedService([
      problem(504, 'outcome_unknown', undefined, { order_id: orderId }),
    ]);
    const error = await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER));
    expect(requests).toHaveLength(4);
    expect(error.facts).toStrictEqual({ order_id: orderId });
    expect(error.idempotencyKey).toBe(requests[3]?.headers['idempotency-key']);
  });
});

describe('the sentence of an error', () => {
  it('says who did not answer, why, and what to do', async () => {
    const server = createServer();
    const url = await listenOnLoopback(server);
    await shut(server);
    const { detail } = await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER));
    expect(detail).toBe(`No answer from ${url} (ECONNREFUSED). Is the service running?`);
  });

  it('says that the time was up', async () => {
    const late = () => Promise.reject(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    const { detail } = await errorOf(createClient({ baseUrl: 'http://127.0.0.1:8080/', fetch: late }).health());
    expect(detail).toBe('No answer from http://127.0.0.1:8080 (timed out). Is the service running?');
  });

  it.each([
    [
      'https://user:secret@api.example.org/base/?key=secret#secret',
      'No answer from https://api.example.org/base. Is the service running?',
    ],
    ['user:secret@api.example.org', NO_ADDRESS],
    ['/relative?key=secret', NO_ADDRESS],
    ['localhost:8080', NO_ADDRESS],
  ])('shows no credentials: %s', async (baseUrl, shown) => {
    const broken = () => Promise.reject(new TypeError('fetch failed'));
    const { detail } = await errorOf(createClient({ baseUrl, fetch: broken }).health());
    expect(detail).toBe(shown);
  });

  it.concurrent.each(['https://user:secret@api.example.org', 'user:secret@api.example.org', '/relative?key=secret'])(
    'leaves no credentials to a log, where fetch refuses the address: %s',
    async (baseUrl) => {
      expect(inspect(await errorOf(createClient({ baseUrl }).health()))).not.toContain('secret');
    },
  );

  it.each([
    [404, 'check baseUrl.'],
    [200, 'check baseUrl.'],
    [403, 'a gateway or proxy in front of it did.'],
    [500, 'a gateway or proxy in front of it did.'],
  ])('says who answered in the place of the service: %d', async (status, advice) => {
    const { url } = await startScriptedService([{ status, body: '<html>' }]);
    const { detail } = await errorOf(createClient({ baseUrl: url }).book('1'));
    expect(detail).toBe(`${url} answered ${status}, but not as this service does: ${advice}`);
  });
});

describe('a call that is aborted', () => {
  it('is not sent when it was aborted before', async () => {
    const { url, requests } = await startScriptedService([{ status: 200, body: BOOK }]);
    const error = await errorOf(createClient({ baseUrl: url }).book('1', { signal: AbortSignal.abort('why') }));
    expect([error.code, error.cause, requests.length]).toStrictEqual(['aborted', 'why', 0]);
  });

  it('ends while it waits for the answer, and is not repeated', async () => {
    const { url, requests, asked } = await startScriptedService(['silence']);
    const caller = new AbortController();
    const failing = errorOf(createClient({ baseUrl: url }).placeOrder(ORDER, { signal: caller.signal }));
    await asked;
    caller.abort();
    const error = await failing;
    expect([error.code, typeof error.idempotencyKey, requests.length]).toStrictEqual(['aborted', 'string', 1]);
  });

  it('has a limit of each attempt beside the signal of its caller', async () => {
    const { url } = await startScriptedService(['silence']);
    const limit = AbortSignal.timeout(100);
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit);
    const { signal } = new AbortController();
    const error = await errorOf(createClient({ baseUrl: url }).book('1', { signal }));
    const limits = timeout.mock.calls;
    timeout.mockRestore();
    expect([error.code, limits]).toStrictEqual(['network_error', Array(4).fill([15_000])]);
  });

  it('ends while it waits for the next attempt', async () => {
    const { url, requests } = await startScriptedService([problem(429, 'rate_limited', 30)]);
    const caller = new AbortController();
    // The call is aborted when its answer is there, so that it is the pause that ends.
    const answered: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      const body = await response.text();
      setTimeout(() => caller.abort(), 50);
      return new Response(body, response);
    };
    const client = createClient({ baseUrl: url, fetch: answered });
    expect((await errorOf(client.health({ signal: caller.signal }))).code).toBe('aborted');
    expect(requests).toHaveLength(1);
  });
});
