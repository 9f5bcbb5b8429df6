import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Client, type ClientOptions, createClient, type OrderRequest } from '../../../packages/client/client.ts';
import { ERROR_CODES, errorSpec, type Next } from '../../../shared/errors.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { errorOf } from '../../support/service/client-error.ts';
import { sharedPaperService } from '../../support/service/paper-service.ts';
import { skipPauses } from '../../support/service/pauses.ts';
import { problem, type Step, startScriptedService } from '../../support/service/scripted-service.ts';

const ORDER: OrderRequest = { token_id: '1', side: 'buy', price: '0.01', size: 5, post_only: true };
const PLACED = { order_id: '0x1', status: 'live' };
const BOOK = { bids: [], asks: [], tick_size: '0.01' };
const NO_ADDRESS =
  'No answer: baseUrl is not an address of a service. It must begin with http:// or https://, such as http://127.0.0.1:8080.';

describe('a client of a service on paper', () => {
  const service = sharedPaperService();

  it('reads markets and book, and places exactly one order although an answer is lost', async () => {
    const { url, venue } = service();
    let lost = 0;
    const loseOne = async (address: string, init: RequestInit) => {
      const response = await fetch(address, init);
      if (init.method !== 'POST' || lost > 0) return response;
      lost += 1;
      throw new TypeError('fetch failed');
    };
    const client = createClient({ baseUrl: `${url}/`, fetch: loseOne });
    expect(await client.health()).toMatchObject({ status: 'ok', mode: 'order-placing' });
    const { items } = await client.markets({ limit: 1 });
    const tokenId = items[0]?.outcomes[0]?.token_id ?? '';
    const { tick_size, min_order_size } = await client.book(tokenId);
    const order = { token_id: tokenId, side: 'buy', price: tick_size, size: min_order_size, post_only: true } as const;
    const placed = await client.placeOrder(order);
    expect(placed).toMatchObject({ ...order, status: 'live' });
    expect(lost).toBe(1);
    expect(venue.orders()).toMatchObject([{ id: placed.order_id }]);
  });

  it('reads the markets of tokens, and asks for none without a token', async () => {
    const client = createClient({ baseUrl: service().url });
    const { items } = await client.markets({ limit: 3 });
    const tokenIds = items.slice(1).map(({ outcomes }) => outcomes[1]?.token_id ?? '');
    expect((await client.markets({ tokenIds })).items).toStrictEqual(items.slice(1));
    expect(await client.markets({ tokenIds, limit: 1 })).toStrictEqual({ items: [items[1]], has_more: true });
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1' });
    expect(await nowhere.markets({ tokenIds: [] })).toStrictEqual({ items: [], has_more: false });
    expect((await errorOf(client.markets({ tokenIds: ['1&limit=9'] }))).detail).toContain('token_id');
  });

  it('throws the error that the service answers, with its facts', async () => {
    const client = createClient({ baseUrl: service().url });
    const { items } = await client.markets({ limit: 1 });
    const order = { ...ORDER, token_id: items[0]?.outcomes[0]?.token_id ?? '', price: 0.015 };
    const error = await errorOf(client.placeOrder(order, { idempotencyKey: 'key-1' }));
    expect({ ...error }).toStrictEqual({
      name: 'OrderBookError',
      code: 'price_off_tick',
      status: 422,
      detail: expect.stringMatching(/^The price must be a multiple of 0\.01\./),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryAfter: undefined,
      facts: { tick_size: '0.01' },
      idempotencyKey: 'key-1',
      mayBeLive: false,
    });
    expect(error.message).toBe(error.detail);
    expect((await errorOf(client.book('../health'))).code).toBe('invalid_request');
  });
});

describe('a client', () => {
  beforeEach(skipPauses);
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  /** A client of a service that answers these, the last one again and again. */
  async function open(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
    const service = await startScriptedService(steps);
    return { ...service, client: createClient({ baseUrl: service.url, ...options }) };
  }

  /** Every code of the service after which that is next. */
  function problemsOf(...next: readonly Next[]): [string, Step][] {
    const codes = ERROR_CODES.filter((code) => next.includes(errorSpec(code).next));
    return codes.map((code) => [code, problem(errorSpec(code).status, code, 0)]);
  }

  const CALLS = {
    'a read': { send: (client: Client) => client.book('1'), success: { status: 200, body: BOOK } },
    'an order': { send: (client: Client) => client.placeOrder(ORDER), success: { status: 201, body: PLACED } },
  } as const;
  type Row = readonly [what: string, step: Step];
  const of = (call: keyof typeof CALLS, rows: readonly Row[]) => rows.map((row) => [call, ...row] as const);

  it.each([
    ...of('a read', [
      ['a broken connection', 'reset'],
      ['429', problem(429, 'rate_limited', 0)],
      ['502', problem(502, 'venue_error')],
      ['503', problem(503, 'venue_unavailable', 0)],
      ['504', problem(504, 'venue_timeout')],
      ['the HTML of a gateway', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ]),
    ...of('an order', [
      ['a broken connection', 'reset'],
      ...problemsOf('repeat'),
      ['a code of a newer service', problem(503, 'a_code_of_a_newer_service', 0)],
      ['a gateway that is asked too often', { status: 429, body: { message: 'Too Many Requests' } }],
      ['a gateway that gave up', { status: 503, body: { message: 'Service Unavailable' } }],
      ['an answer that was cut off', { status: 201, body: '{"order_id":' }],
    ]),
  ])('repeats %s unchanged, under the same key, after %s', async (call, _what, step) => {
    const { send, success } = CALLS[call];
    const { client, requests } = await open([step, success]);
    expect(await send(client)).toStrictEqual(success.body);
    expect(requests).toStrictEqual([requests[0], requests[0]]);
    if (call === 'an order') expect(requests[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ...of('a read', [
      ['invalid_request', problem(400, 'invalid_request')],
      ['unknown_token', problem(404, 'unknown_token')],
      ['venue_refused_service', problem(502, 'venue_refused_service', undefined, { reason: 'region' })],
      ['foreign_answer', { status: 200, body: '<html>' }],
      ['foreign_answer', { status: 200, body: { ...BOOK, bids: null } }],
    ]),
    ...of('an order', [
      ...problemsOf('change', 'wait', 'operator'),
      ['foreign_answer', { status: 403, body: { message: 'Forbidden' } }],
      ['foreign_answer', { status: 403, body: PLACED }],
      ['a_code_of_a_newer_service', problem(422, 'a_code_of_a_newer_service')],
    ]),
  ])('does not repeat %s after %s', async (call, code, step) => {
    const { client, requests } = await open([step]);
    expect((await errorOf(CALLS[call].send(client))).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['at once at the earliest', 0, 0],
    ['after growing pauses at the latest', 1, 2_800],
  ])('gives up after four attempts, %s', async (_what, random, waitedMs) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const { client, requests } = await open(['reset']);
    const startedAt = jest.now();
    expect(await errorOf(client.markets({ limit: 3 }))).toMatchObject({
      code: 'network_error',
      status: undefined,
      cause: expect.anything(),
    });
    expect(jest.now() - startedAt).toBe(waitedMs);
    expect(requests.map(({ path }) => path)).toStrictEqual(Array(4).fill('/v1/markets?limit=3'));
  });

  it.each([
    [1, 0, 1_000],
    [1, 0.5, 1_200],
    [30, 0, 30_000],
    [30, 0.75, 30_300],
  ])('waits for a Retry-After of %d s, and for a random part of 400 ms: %d', async (retryAfter, random, waitedMs) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const { client } = await open([problem(429, 'rate_limited', retryAfter), { status: 200, body: BOOK }]);
    const startedAt = jest.now();
    await client.book('1');
    expect(jest.now() - startedAt).toBe(waitedMs);
  });

  it('throws where Retry-After is longer than half a minute', async () => {
    for (const retryAfter of [31, 99_999_999_999]) {
      const { client: other, requests } = await open([problem(503, 'venue_unavailable', retryAfter)]);
      expect(await errorOf(other.book('1'))).toMatchObject({ code: 'venue_unavailable', retryAfter });
      expect(requests).toHaveLength(1);
    }
  });

  // What each answer leaves open stands in error.test.ts.
  it.each<[string, readonly Step[], boolean]>([
    ['a lost answer and then a refusal', ['reset', problem(403, 'order_placement_disabled')], false],
    ['a call that left it open, and then a refusal', [problem(403, 'order_placement_disabled')], true],
  ])('says that an order may be live after %s', async (_what, steps, mayBeLive) => {
    const { client } = await open(steps);
    const error = await errorOf(client.placeOrder(ORDER, { mayBeLive, idempotencyKey: 'mine' }));
    expect(error).toMatchObject({ idempotencyKey: 'mine', mayBeLive: true });
  });

  it('does not repeat an order on a machine that has slept, when the service may have forgotten its key', async () => {
    const { client, requests } = await open(['reset', { status: 201, body: PLACED }]);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + 86_400_000 * requests.length);
    expect(await errorOf(client.placeOrder(ORDER))).toMatchObject({ code: 'network_error', mayBeLive: true });
    expect(requests).toHaveLength(1);
  });

  it.each([{ clientAddress: '東京' }, { clientAddress: 'a\nb' }, { idempotencyKey: 'schlüssel-€' }])(
    'refuses values that a header cannot hold: %p',
    async (options) => {
      const { client, requests } = await open([{ status: 201, body: PLACED }]);
      const detail = 'No header can hold this key, address or signature.';
      const error = await errorOf(client.placeOrder(ORDER, options));
      expect(error).toMatchObject({ code: 'invalid_request', detail, mayBeLive: false });
      expect(requests).toHaveLength(0);
    },
  );

  it('sends nothing where a function of the platform is missing, which the error names', async () => {
    const { client, requests } = await open([]);
    const { any } = AbortSignal;
    Reflect.deleteProperty(AbortSignal, 'any');
    const failed = await Promise.all([errorOf(client.placeOrder(ORDER)), errorOf(client.health())]);
    Object.assign(AbortSignal, { any });
    const detail = 'This platform lacks AbortSignal.any: nothing was sent. Import polyfills before the client.';
    const unsupported = { code: 'unsupported_platform', mayBeLive: false, detail };
    expect(failed).toMatchObject([unsupported, unsupported]);
    expect(requests).toStrictEqual([]);
  });

  it('gives each order its own key unless its caller gives one; the error has it', async () => {
    const { client, requests } = await open([problem(422, 'order_rejected')]);
    const [first, second] = [await errorOf(client.placeOrder(ORDER)), await errorOf(client.placeOrder(ORDER))];
    await errorOf(client.placeOrder(ORDER, { idempotencyKey: 'mine', clientAddress: 'me' }));
    expect(first.idempotencyKey).not.toBe(second.idempotencyKey);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toStrictEqual([first.idempotencyKey, second.idempotencyKey, 'mine']);
    expect(requests[2]?.headers).toMatchObject({ 'x-client-address': 'me', 'content-type': 'application/json' });
  });

  it('passes targetAddressSpace on to fetch', async () => {
    const spaces: unknown[] = [];
    const send = async (_url: string, init: RequestInit) => {
      spaces.push(Reflect.get(init, 'targetAddressSpace'));
      return Response.json({ status: 'ok', mode: 'read-only' });
    };
    await createClient({ baseUrl: 'http://127.0.0.1:8080', fetch: send, targetAddressSpace: 'loopback' }).health();
    await createClient({ baseUrl: 'http://127.0.0.1:8080', fetch: send }).health();
    expect(spaces).toStrictEqual(['loopback', undefined]);
  });

  it('names the host that did not answer, the cause, and what to do', async () => {
    const server = createServer();
    const url = await listenOnLoopback(server);
    await shut(server);
    const { detail } = await errorOf(createClient({ baseUrl: url }).placeOrder(ORDER));
    expect(detail).toBe(`No answer from ${url} (ECONNREFUSED). Is the service running?`);
  });

  it.each([
    [
      'http://127.0.0.1:8080/',
      'TimeoutError',
      'No answer from http://127.0.0.1:8080 (timed out). Is the service running?',
    ],
    [
      'https://user:secret@api.example.org/base/?key=secret#secret',
      'TypeError',
      'No answer from https://api.example.org/base. Is the service running?',
    ],
    ['user:secret@api.example.org', 'TypeError', NO_ADDRESS],
    ['/relative?key=secret', 'TypeError', NO_ADDRESS],
    ['localhost:8080', 'TypeError', NO_ADDRESS],
  ])('shows no credentials: %s', async (baseUrl, name, detail) => {
    const broken = () => Promise.reject(new DOMException('fetch failed', name));
    expect((await errorOf(createClient({ baseUrl, fetch: broken }).health())).detail).toBe(detail);
    // Where fetch refuses the address, it repeats it.
    if (baseUrl.includes('secret'))
      expect(inspect(await errorOf(createClient({ baseUrl }).health()))).not.toContain('secret');
  });

  it.each([
    [404, 'check baseUrl.'],
    [200, 'check baseUrl.'],
    [403, 'a gateway or proxy in front of it did.'],
    [500, 'a gateway or proxy in front of it did.'],
  ])('names the host that answered in place of the service: %d', async (status, advice) => {
    const { client, url } = await open([{ status, body: '<html>' }]);
    const { detail } = await errorOf(client.book('1'));
    expect(detail).toBe(`${url} answered ${status}, but not as this service does: ${advice}`);
  });

  it.each([
    [301, 405, 'GET'],
    [302, 405, 'GET'],
    [303, 405, 'GET'],
    [308, 422, 'POST'],
    [undefined, 405, 'POST'],
  ])('names the address to use where a redirect makes an order a GET: %p, answered %d', async (status, end, method) => {
    const refusal = problem(end, 'method_not_allowed');
    const { url, requests } = await open([refusal]);
    const headers = { location: `${url}/v1/orders?key=secret` };
    const old = status === undefined ? { url } : await startScriptedService([{ status, body: '', headers }]);
    const { code, detail, mayBeLive } = await errorOf(createClient({ baseUrl: old.url }).placeOrder(ORDER));
    const lost = `${old.url} redirects to ${url}, and the order was lost on the way: give that address as baseUrl.`;
    expect([code, detail, mayBeLive]).toStrictEqual([
      'method_not_allowed',
      method === 'GET' ? lost : 'Do something.',
      false,
    ]);
    expect(requests.map((request) => request.method)).toStrictEqual([method]);
  });

  it('sends nothing once its caller has aborted, ends while it waits for an answer, and repeats nothing then', async () => {
    const { client, requests, asked } = await open(['silence']);
    const before = await errorOf(client.placeOrder(ORDER, { signal: AbortSignal.abort('why') }));
    expect(before).toMatchObject({ code: 'aborted', cause: 'why', mayBeLive: false });
    expect(requests).toHaveLength(0);
    const caller = new AbortController();
    const failing = errorOf(client.placeOrder(ORDER, { signal: caller.signal }));
    await asked;
    caller.abort();
    expect(await failing).toMatchObject({ code: 'aborted', idempotencyKey: expect.any(String), mayBeLive: true });
    expect(requests).toHaveLength(1);
  });

  it('ends while it waits for the next attempt', async () => {
    const caller = new AbortController();
    // The call is aborted when its answer is there, so that it is the pause that ends.
    const answered = async (...asked: Parameters<typeof fetch>) => {
      const response = await fetch(...asked);
      const body = await response.text();
      setTimeout(() => caller.abort(), 50);
      return new Response(body, response);
    };
    const { client, requests } = await open([problem(429, 'rate_limited', 30)], { fetch: answered });
    const startedAt = jest.now();
    expect((await errorOf(client.health({ signal: caller.signal }))).code).toBe('aborted');
    expect(jest.now() - startedAt).toBe(50);
    expect(requests).toHaveLength(1);
  });

  it('ends each attempt at its own limit or at the signal of its caller', async () => {
    const { client } = await open(['silence']);
    const limit = AbortSignal.timeout(100);
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit);
    const { signal } = new AbortController();
    expect((await errorOf(client.book('1', { signal }))).code).toBe('network_error');
    expect(timeout.mock.calls).toStrictEqual(Array(4).fill([15_000]));
  });
});
