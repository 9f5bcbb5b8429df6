import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MAX_WAITING } from '../../../local/http/connections.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { expectProblem, openRaw, parseAnswers, send } from '../../support/service/http-client.ts';
import { DISABLED, startTestServer } from '../../support/service/local-service.ts';
import { startProgram } from '../../support/service/program.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const LIMIT_BYTES = 16_384;
const JSON_HEADERS = { host: 'localhost', 'content-type': 'application/json' };
const TOO_LARGE = {
  title: 'Payload too large',
  status: 413,
  code: 'payload_too_large',
  detail: 'The body is larger than 16384 bytes. An order needs a few hundred.',
};

function orderOf(bytes: number): string {
  return JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 }).padEnd(bytes);
}

describe('the 16 KiB limit', () => {
  it('takes a body of exactly the limit', async () => {
    const { url } = await startTestServer();
    const body = orderOf(LIMIT_BYTES);
    const answer = await send(url, { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body });
    expect(answer.status).toBe(201);
  });

  it('counts the bytes that came, of invalid UTF-8 as well', async () => {
    const { url } = await startTestServer();
    const post = (body: Buffer) => send(url, { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body });
    // Each would be three as a text.
    expectProblem(await post(Buffer.alloc(LIMIT_BYTES, 0xff)), {
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      detail: 'The order is not valid: body must be a JSON object.',
      errors: [{ field: 'body', detail: 'must be a JSON object.' }],
    });
    expectProblem(await post(Buffer.alloc(LIMIT_BYTES + 1, 0xff)), TOO_LARGE);
  });

  it.each([
    ['one byte more', LIMIT_BYTES + 1, {}],
    ['one byte more in chunks', LIMIT_BYTES + 1, { 'transfer-encoding': 'chunked' }],
    ['20 MB', 20_000_000, {}],
    ['20 MB in chunks', 20_000_000, { 'transfer-encoding': 'chunked' }],
  ])('refuses %s, so that the client can read it', async (_name, bytes, extra) => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const headers = { ...JSON_HEADERS, ...extra };
    const answer = await send(url, { method: 'POST', path: '/v1/orders', headers, body: orderOf(bytes) });
    expectProblem(answer, TOO_LARGE);
    expect(orders.placed).toStrictEqual([]);
  });

  it('answers an endless body 408 when its time is over, and places no order', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({
      orders,
      limits: { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 20 },
    });
    const { socket, closed } = openRaw(url);
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100000000000\r\n\r\n${orderOf(LIMIT_BYTES + 1)}`);
    const answers = parseAnswers(await closed);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], { status: 408, code: 'request_timeout' });
    expect(orders.placed).toStrictEqual([]);
  });
});

describe('a body', () => {
  const HEAD = 'POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n';

  it('is awaited', async () => {
    const { url } = await startTestServer();
    const body = orderOf(200);
    const { socket, closed, received } = openRaw(url);
    socket.write(`${HEAD}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 50)}`);
    await sleep(100);
    expect(received()).toBe('');
    socket.write(body.slice(50));
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([201]);
  });

  it('is asked for where the client waits for that', async () => {
    const { url } = await startTestServer();
    const body = orderOf(200);
    const { socket, closed } = openRaw(url);
    socket.write(`${HEAD}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.once('data', () => socket.write(body));
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([100, 201]);
  });

  it('that ends early is logged, and no order is placed', async () => {
    const orders = fakeOrders();
    const { url, lines } = await startTestServer({ orders });
    const { socket } = openRaw(url);
    socket.write(`${HEAD}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`);
    await once(socket, 'data');
    socket.write(orderOf(200), () => socket.resetAndDestroy());
    while (lines.length === 0) await sleep(5);
    expect(lines).toMatchObject([{ message: 'request', status: 400, code: 'invalid_request' }]);
    expect(orders.placed).toStrictEqual([]);
  });
});

describe('checks before the size', () => {
  const body = 'x'.repeat(1_000_000);

  it.each([
    ['host', { headers: { ...JSON_HEADERS, host: 'evil.example' } }, 403, 'host_not_allowed'],
    ['path', { path: '/v1/order' }, 404, 'not_found'],
    ['method', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['origin', { headers: { ...JSON_HEADERS, origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['query', { path: '/v1/orders?a=1' }, 400, 'invalid_request'],
    ['media type', { headers: { host: 'localhost', 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ])('answer a large body first: %s', async (_name, request, status, code) => {
    const { url } = await startTestServer();
    const base = { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body };
    const answer = await send(url, { ...base, ...request });
    expect([answer.status, JSON.parse(answer.text).code]).toStrictEqual([status, code]);
  });

  it('answer a large body first: placement enabled', async () => {
    const { url } = await startTestServer({ orders: null });
    const answer = await send(url, { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body });
    expectProblem(answer, { status: 403, code: 'order_placement_disabled', detail: DISABLED });
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('ignore the body of %s', async (method) => {
    const { url } = await startTestServer();
    const headers = { host: 'localhost', 'content-length': body.length };
    const answer = await send(url, { method, path: '/health', headers, body });
    expect(answer.status).toBe(method === 'OPTIONS' ? 204 : 200);
  });
});

describe('a response that cannot be written', () => {
  it('is the problem of a fault of ours', async () => {
    const { url } = await startTestServer({
      handlers: { health: async () => ({ statusCode: 201, headers: { 'x-thing': 'a\r\nb: c' } }) },
    });
    const answer = await send(url, { path: '/health', headers: { host: 'localhost' } });
    expectProblem(answer, { status: 500, code: 'internal_error' });
  });
});

describe('a response without a body', () => {
  it.each([
    ['HEAD', '/health', {}, 200],
    ['OPTIONS', '/health', {}, 204],
    ['GET', `/v1/book/${TOKEN_ID}`, { 'if-none-match': '*' }, 304],
  ])('to %s %s has no length', async (method, path, extra, status) => {
    const { url } = await startTestServer();
    const answer = await send(url, { method, path, headers: { host: 'localhost', ...extra } });
    expect([answer.status, answer.text]).toStrictEqual([status, '']);
    expect(Object.keys(answer.headers)).not.toContain('content-length');
    expect(Object.keys(answer.headers)).not.toContain('transfer-encoding');
  });
});

const ROOT = join(import.meta.dirname, '../../..');
const CONNECTIONS = FULL_EXTENT ? 500 : 50;
/** As much as Node reads at once. */
const CHUNK_BYTES = 65_536;
const LIST = 'GET /v1/markets?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const SMALL = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Kinds of clients that pipeline more than may wait. */
const FLOODS = {
  'as many small requests as are read at once': LIST + SMALL.repeat((CHUNK_BYTES - LIST.length) / SMALL.length),
  'one list more than may wait': LIST.repeat(MAX_WAITING + 1),
} as const;

describe('a service on paper that a crowd floods', () => {
  it.each(Object.entries(FLOODS))(
    'closes their connections and goes on within its memory: %s',
    async (_kind, payload) => {
      // Node's own limit where a machine has 512 MB, as in compose.yaml; with 24 GB it collects garbage later.
      const args = ['--max-semi-space-size=16', '--max-old-space-size=256', 'local/start.js', '--paper'];
      const env = { SERVICE_PORT: '0' };
      const service = await startProgram({ command: process.execPath, args, cwd: ROOT, env });
      const port = Number(new URL(service.url).port);
      const crowd = Array.from({ length: CONNECTIONS }, () => {
        const socket = connect({ host: '127.0.0.1', port }, () => socket.resume().write(payload));
        return socket.on('error', () => socket.destroy());
      });
      const closed = crowd.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (let turn = 0; turn < 10; turn += 1) {
        expect((await send(service.url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
      }
      const { pid } = service;
      // Linux alone tells the most that a process has ever used.
      const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8') : 'VmHWM: 0 kB';
      expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(350 * 1024);
      await Promise.all(closed);
      expect(await service.stop()).toBe(0);
    },
    300_000,
  );
});

describe('pipelined requests', () => {
  const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
  const ORDER_REQUEST = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${ORDER.length}\r\n\r\n${ORDER}`;
  const LIST = 'GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n';

  /** Market data whose lists come when the test says so. */
  function slowLists() {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const listMarkets = async () => {
      await promise;
      return { markets: [], hasMore: false };
    };
    return { marketData: fakeMarketData({ listMarkets }), release };
  }

  it('are answered in their order', async () => {
    const { marketData, release } = slowLists();
    const { url } = await startTestServer({ marketData });
    const { socket, closed } = openRaw(url);
    const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    socket.write(`${ORDER_REQUEST}${LIST}\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`);
    setImmediate(release);
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([201, 200, 404, 200]);
  });

  it('do not begin behind a request that ends the connection', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const { socket, closed } = openRaw(url);
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${ORDER_REQUEST}`);
    expect(parseAnswers(await closed)[0]?.status).toBe(200);
    expect(orders.placed).toStrictEqual([]);
  });

  it('do not begin behind one that asks for an upgrade, and a later one gets no response of another', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const { socket, closed, received } = openRaw(url);
    const upgrade = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    socket.write(`${upgrade}${ORDER_REQUEST}`);
    while (received() === '') await sleep(5);
    socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const answers = parseAnswers(await closed);
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toStrictEqual([[200, 'close']]);
    expect(orders.placed).toStrictEqual([]);
  });

  it('are all answered where 100 wait', async () => {
    const { marketData, release } = slowLists();
    const { url } = await startTestServer({ marketData });
    const { socket, closed } = openRaw(url);
    const ids = Array.from({ length: MAX_WAITING }, (_, index) => `request-${index}`);
    const last = (id: string) => (id === ids.at(-1) ? 'Connection: close\r\n' : '');
    socket.write(ids.map((id) => `${LIST}X-Request-Id: ${id}\r\n${last(id)}\r\n`).join(''));
    setTimeout(release, 50);
    expect(parseAnswers(await closed).map(({ headers }) => headers['x-request-id'])).toStrictEqual(ids);
  });

  it('are closed with their connection where more than 100 wait, which the log says', async () => {
    const { marketData, release } = slowLists();
    const orders = fakeOrders();
    const { url, lines } = await startTestServer({ marketData, orders });
    const { socket, closed } = openRaw(url);
    socket.write(`${`${LIST}\r\n`.repeat(MAX_WAITING)}${ORDER_REQUEST}`);
    expect(await closed).toBe('');
    expect(lines).toMatchObject([{ level: 'warn', message: 'a connection was closed: too many requests wait on it' }]);
    expect(orders.placed).toStrictEqual([]);
    release();
  });
});
