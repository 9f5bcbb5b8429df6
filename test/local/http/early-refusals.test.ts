import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Agent } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { MAX_CONNECTIONS } from '../../../local/http/connections.ts';
import { expectProblem, openRaw, parseAnswers, send, sendRaw } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData, fakeOrders, PLACEMENT, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const HOST = 'Host: localhost\r\n';
const LAST = `${HOST}Connection: close\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });

const INVALID_HTTP = {
  title: 'Invalid request',
  status: 400,
  code: 'invalid_request',
  detail: 'The request is not valid: request must be HTTP/1.1.',
  errors: [{ field: 'request', detail: 'must be HTTP/1.1.' }],
};
const TOO_LONG = {
  title: 'Uri too long',
  status: 414,
  code: 'uri_too_long',
  detail: 'The URL is longer than 8192 bytes. Send a shorter one.',
};
const TOO_LARGE = {
  title: 'Headers too large',
  status: 431,
  code: 'headers_too_large',
  detail: 'The request line and the headers together are larger than 16384 bytes. Send fewer or shorter headers.',
};
const TIMED_OUT = {
  title: 'Request timeout',
  status: 408,
  code: 'request_timeout',
  detail: 'The request took too long to arrive, and nothing was done. Send it again, without pauses.',
};

/** Short enough for a test, long enough for a busy machine not to meet them by chance. */
const QUICK = { headersTimeout: 600, requestTimeout: 700, connectionsCheckingInterval: 20 };

describe('what is not HTTP', () => {
  it.each([
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two lengths of a body', `POST /v1/orders HTTP/1.1\r\n${LAST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [
      'a length beside chunks',
      `POST /v1/orders HTTP/1.1\r\n${LAST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na`,
    ],
    ['a header without a name', `GET /health HTTP/1.1\r\n${LAST}: x\r\n\r\n`],
    ['a space before the colon', `GET /health HTTP/1.1\r\n${LAST}X : x\r\n\r\n`],
    ['a target outside ASCII', `GET /health\u00e4 HTTP/1.1\r\n${LAST}\r\n`],
    ['a target without a slash', `GET health HTTP/1.1\r\n${LAST}\r\n`],
    ['rubbish', 'rubbish\r\n\r\n'],
    ['an unknown method', `FOO /health HTTP/1.1\r\n${LAST}\r\n`],
    ['a method in lower case', `patch /v1/orders HTTP/1.1\r\n${LAST}\r\n`],
  ])('is refused as a problem: %s', async (_name, text) => {
    const { url, lines } = await startTestServer();
    const answers = await sendRaw(url, text);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], INVALID_HTTP);
    expect(lines).toMatchObject([{ message: 'request', status: 400, request_id: answers[0]?.headers['x-request-id'] }]);
  });

  it('is refused within a body too, once, with the request id that the head brought', async () => {
    const { url, lines, close } = await startTestServer();
    const head = `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}X-Request-Id: mine\r\n`;
    const answers = await sendRaw(url, `${head}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], { ...INVALID_HTTP, request_id: 'mine' });
    await close();
    for (let turns = 0; turns < 100; turns += 1) await setImmediate();
    expect(lines).toHaveLength(1);
  });

  it('is refused where a body ends early', async () => {
    const { url } = await startTestServer();
    const text = `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 10\r\n\r\n{`;
    const answers = await sendRaw(url, text, { halfClose: true });
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], INVALID_HTTP);
  });

  it('never takes the place of the answer to an order that is under way', async () => {
    const accepted = Promise.withResolvers<void>();
    const placed = Promise.withResolvers<void>();
    const orders = fakeOrders(async () => {
      placed.resolve();
      await accepted.promise;
      return PLACEMENT;
    });
    const { url } = await startTestServer({ orders });
    const { socket, closed } = openRaw(url);
    socket.write(
      `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${ORDER.length}\r\n\r\n${ORDER}rubbish\r\n\r\n`,
    );
    await placed.promise;
    accepted.resolve();
    const answers = parseAnswers(await closed);
    expect(answers.map(({ status }) => status)).toStrictEqual([201]);
  });
});

describe('requests that HTTP allows and this server does not', () => {
  it.each([
    ['/health#x', 'a fragment'],
    ['ws://localhost/health', 'a URL of another scheme'],
    ['ws://evil.example/health', 'a URL of another scheme and host'],
  ])('refuses %s: %s', async (path) => {
    const { url } = await startTestServer();
    const text = Buffer.from(`GET ${path} HTTP/1.1\r\n${LAST}\r\n`, 'latin1');
    expectProblem((await sendRaw(url, text))[0], {
      status: 400,
      code: 'invalid_request',
      detail: 'The request is not valid: path must begin with a slash.',
      errors: [{ field: 'path', detail: 'must begin with a slash.' }],
    });
  });

  it('gives an answer to HTTP/1.0 its length', async () => {
    const { url } = await startTestServer();
    const [answer] = await sendRaw(url, `GET /health HTTP/1.0\r\n${HOST}\r\n`);
    expect(answer?.headers['content-length']).toBe(String(answer?.text.length));
  });

  it('refuses two lengths of one body, also with a lenient Node', async () => {
    const script = `
      const { startServer } = await import('./local/http/server.ts');
      const { connect } = await import('node:net');
      const log = { info() {}, warn() {}, error() {} };
      const server = await startServer({ handlers: {}, config: { host: '127.0.0.1', port: 0, allowedHosts: [] }, log });
      const socket = connect(new URL(server.url).port, '127.0.0.1');
      socket.write('POST /v1/orders HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n');
      socket.once('data', (data) => { console.log(String(data).split('\\r\\n')[0]); process.exit(); });`;
    const args = ['--insecure-http-parser', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe('HTTP/1.1 400 Bad Request\n');
  });

  it('closes the connection of CONNECT, and goes on', async () => {
    const { url } = await startTestServer();
    expect(await sendRaw(url, `CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n`)).toStrictEqual([]);
    expect((await send(url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
  });

  it('answers a request for an upgrade as any other', async () => {
    const { url } = await startTestServer();
    const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket\r\n';
    expect((await sendRaw(url, `GET /health HTTP/1.1\r\n${HOST}${upgrade}\r\n`))[0]?.status).toBe(200);
  });
});

describe('sizes', () => {
  const withHeader = (bytes: number) => `GET /health HTTP/1.1\r\n${LAST}X-Filler: ${'a'.repeat(bytes)}\r\n\r\n`;
  const withTarget = (bytes: number) => `GET /${'a'.repeat(bytes - 1)} HTTP/1.1\r\n${LAST}\r\n`;

  it('allows 8 KiB of target and not a byte more', async () => {
    const { url } = await startTestServer();
    expect((await sendRaw(url, withTarget(8_192)))[0]?.status).toBe(404);
    expectProblem((await sendRaw(url, withTarget(8_193)))[0], TOO_LONG);
  });

  it('allows 16 KiB of request line and headers', async () => {
    const { url } = await startTestServer();
    expect((await sendRaw(url, withHeader(16_000)))[0]?.status).toBe(200);
    expectProblem((await sendRaw(url, withHeader(16_384)))[0], TOO_LARGE);
    expectProblem((await sendRaw(url, withHeader(1_000_000)))[0], TOO_LARGE);
  });
});

describe('slow requests', () => {
  it.each([
    ['nothing', ''],
    ['half a request line', 'GET /hea'],
    ['half the headers', 'GET /health HTTP/1.1\r\nHost: loc'],
  ])('are answered 408 and cut off: %s', async (_name, text) => {
    const { url } = await startTestServer({ limits: QUICK });
    const answers = await sendRaw(url, text);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], TIMED_OUT);
  });

  it('are no matter of the time that an answer takes', async () => {
    const done = Promise.withResolvers<void>();
    const orders = fakeOrders(async () => {
      await done.promise;
      return PLACEMENT;
    });
    const { url } = await startTestServer({ orders, limits: QUICK });
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const order = send(url, { method: 'POST', path: '/v1/orders', headers, body: ORDER });
    // Until a slow request that came later has been cut off, the time is over for the order's connection as well.
    expectProblem((await sendRaw(url, 'GET '))[0], TIMED_OUT);
    done.resolve();
    expect((await order).status).toBe(201);
  });
});

describe('connections', () => {
  it('make room for a new one where the most are open: the one that is idle longest goes, with a log line', async () => {
    const { url, lines } = await startTestServer();
    const asked = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const idle = [];
    for (let i = 0; i < MAX_CONNECTIONS; i += 1) {
      const raw = openRaw(url);
      raw.socket.write(asked);
      while (raw.received() === '') await once(raw.socket, 'data');
      idle.push(raw);
    }
    const [first, second] = idle;
    first?.socket.write(asked);
    await once(first?.socket ?? new EventEmitter(), 'data');
    expect((await send(url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
    await second?.closed;
    expect(first?.socket.closed).toBe(false);
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'connection closed: the most connections are open', address: '127.0.0.1' },
    ]);
    for (const { socket } of idle) socket.destroy();
  });

  it('with 10,000 pipelined lists do not delay the health of the service', async () => {
    let lists = 0;
    const listMarkets = async () => {
      lists += 1;
      return { markets: [], hasMore: false };
    };
    const { url } = await startTestServer({ marketData: fakeMarketData({ listMarkets }) });
    const crowd = Array.from({ length: 100 }, () => openRaw(url).socket);
    for (const socket of crowd) socket.write('GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100));
    while (lists === 0) await setImmediate();
    expect((await send(url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
    expect(lists).toBeLessThan(2_000);
    for (const socket of crowd) socket.destroy();
  });

  it('are kept for longer than clients keep them, so that no order meets their end', async () => {
    const { url } = await startTestServer();
    const agent = new Agent({ keepAlive: true });
    const { headers } = await send(url, { path: '/health', headers: { host: 'localhost' }, agent });
    agent.destroy();
    expect(headers['keep-alive']).toBe('timeout=65');
  });
});
