import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { readBody } from '../../../local/http/body-and-reply.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { expectProblem, openRaw, parseAnswers, send, sendRaw } from '../../support/service/http-client.ts';
import { DISABLED, startTestServer } from '../../support/service/local-service.ts';
import { fakeOrders, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const LIMIT_BYTES = 16_384;
const JSON_HEADERS = { host: 'localhost', 'content-type': 'application/json' };
const TOO_LARGE = {
  title: 'Payload too large',
  status: 413,
  code: 'payload_too_large',
  detail: 'The body is larger than 16384 bytes; an order needs a few hundred.',
};

function orderOf(bytes: number): string {
  return JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 }).padEnd(bytes);
}

describe('the 16 KiB limit', () => {
  it('takes a body of exactly the limit', async () => {
    const { url } = await startTestServer();
    const answer = await send(url, {
      method: 'POST',
      path: '/v1/orders',
      headers: JSON_HEADERS,
      body: orderOf(LIMIT_BYTES),
    });
    expect(answer.status).toBe(201);
  });

  it('counts the bytes that came, also where they are not UTF-8', async () => {
    const { url } = await startTestServer();
    const post = (body: Buffer) => send(url, { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body });
    // Each would be three as a text.
    expectProblem(await post(Buffer.alloc(LIMIT_BYTES, 0xff)), {
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      detail: 'The body is not valid JSON: send one order as a JSON object.',
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

  it('answers before the rest of an endless body, and closes the connection', async () => {
    const { url } = await startTestServer({ limits: { drainMs: 200 } });
    const { socket, closed } = openRaw(url);
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100000000000\r\n\r\n${' '.repeat(LIMIT_BYTES + 1)}`);
    const more = setInterval(() => socket.write(' '.repeat(1_000)), 5);
    const answers = parseAnswers(await closed);
    clearInterval(more);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], TOO_LARGE);
    expect(answers[0]?.headers['connection']).toBe('close');
  });

  it('answers before the rest of an endless body in chunks, and soon closes the connection', async () => {
    const { url } = await startTestServer({ limits: { drainMs: 200 } });
    const startedAt = performance.now();
    const { socket, closed } = openRaw(url);
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const chunk = `400\r\n${' '.repeat(1_024)}\r\n`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`);
    const more = setInterval(() => socket.write(chunk), 5);
    const answers = parseAnswers(await closed);
    clearInterval(more);
    expectProblem(answers[0], TOO_LARGE);
    // Long before the time for a whole request, 15 s, is over.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('lets a client that reads only after it has sent everything read its answer', async () => {
    const { url } = await startTestServer();
    const { socket, closed } = openRaw(url);
    socket.pause();
    const head = 'POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 20000000\r\n\r\n`);
    const sent = await new Promise((resolve) => socket.write(Buffer.alloc(20_000_000, ' '), resolve));
    expect(sent ?? undefined).toBeUndefined();
    socket.resume();
    const answers = parseAnswers(await closed);
    expect(answers).toHaveLength(1);
    expectProblem(answers[0], TOO_LARGE);
  });

  it('tells nobody to go on whose body nobody wants', async () => {
    const { url } = await startTestServer({ orders: null });
    const head =
      'PUT /v1/orders HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n';
    const { socket, closed, received } = openRaw(url);
    socket.write(head);
    // Our half is closed after the answer.
    socket.on('end', () => socket.destroy());
    await closed;
    expect(parseAnswers(received()).map(({ status }) => status)).toStrictEqual([405]);
  });

  it('tells a client that waits for it to go on', async () => {
    const { url } = await startTestServer();
    const body = orderOf(200);
    const head = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const { socket, closed } = openRaw(url);
    socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.once('data', () => socket.write(body));
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([100, 201]);
  });

  it('tells a client of HTTP/1.0 nothing but its answer: it would take the word to go on for that', async () => {
    const { url } = await startTestServer();
    const body = orderOf(200);
    const head = `POST /v1/orders HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const answers = await sendRaw(url, `${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(answers.map(({ status }) => status)).toStrictEqual([201]);
  });
});

describe('what the headers alone decide', () => {
  const JSON_TYPE = 'Content-Type: application/json\r\n';

  it.each([
    ['an unlisted origin', `${JSON_TYPE}Origin: https://evil.example\r\nContent-Length: 100\r\n`, 403],
    ['a media type', 'Content-Type: text/plain\r\nContent-Length: 100\r\n', 415],
    ['a body in chunks of another media type', 'Transfer-Encoding: chunked\r\n', 415],
    ['an announced length', `${JSON_TYPE}Content-Length: ${LIMIT_BYTES + 1}\r\n`, 413],
    ['a length far above', `${JSON_TYPE}Content-Length: 90071992547409910\r\n`, 413],
    [
      'the length before another header',
      `${JSON_TYPE}Idempotency-Key: a,b\r\nContent-Length: ${LIMIT_BYTES + 1}\r\n`,
      413,
    ],
    ['another header', `${JSON_TYPE}Idempotency-Key: a,b\r\nContent-Length: 100\r\n`, 400],
  ])('is answered without a byte of the body, and nobody is told to go on: %s', async (_what, head, status) => {
    const orders = fakeOrders();
    const { url, lines } = await startTestServer({ orders });
    for (const expectation of ['', 'Expect: 100-continue\r\n']) {
      const { socket, closed } = openRaw(url);
      socket.write(`POST /v1/orders HTTP/1.1\r\nHost: localhost\r\n${head}${expectation}\r\n`);
      socket.on('end', () => socket.destroy());
      expect(parseAnswers(await closed).map((answer) => answer.status)).toStrictEqual([status]);
    }
    expect(lines).toMatchObject([{ status }, { status }]);
    expect(orders.placed).toStrictEqual([]);
  });

  it('is followed by a body that may have ended in the meantime', async () => {
    const { promise: read, resolve } = Promise.withResolvers<Promise<Buffer>>();
    const server = createServer(async (request) => {
      const closed = once(request, 'close');
      request.destroy();
      await closed;
      const reading = readBody(request, LIMIT_BYTES, new AbortController().signal);
      resolve(reading.catch((error) => error.message));
    });
    // A failure must not keep the process alive.
    server.unref();
    const { socket } = openRaw(await listenOnLoopback(server));
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
    expect(await read).toBe('The connection ended within the body.');
    server.close();
  });

  it('is not that the body is missing: it is awaited', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const body = orderOf(200);
    const { socket, closed, received } = openRaw(url);
    const head = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\n${JSON_TYPE}Connection: close\r\n`;
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 50)}`);
    await sleep(100);
    expect(received()).toBe('');
    socket.write(body.slice(50));
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([201]);
  });
});

describe('checks before the size', () => {
  const body = 'x'.repeat(1_000_000);

  it.each([
    ['host', { headers: { ...JSON_HEADERS, host: 'evil.example' } }, 403, 'host_not_allowed'],
    ['path', { path: '/v1/order' }, 404, 'not_found'],
    ['method', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['origin', { headers: { ...JSON_HEADERS, origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['media type', { headers: { host: 'localhost', 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ])('answer a large body first: %s', async (_name, request, status, code) => {
    const { url } = await startTestServer();
    const base = { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body };
    expectProblem(await send(url, { ...base, ...request }), { status, code });
  });

  it('answer a large body first: placement enabled', async () => {
    const { url } = await startTestServer({ orders: null });
    const answer = await send(url, { method: 'POST', path: '/v1/orders', headers: JSON_HEADERS, body });
    expectProblem(answer, { status: 403, code: 'order_placement_disabled', detail: DISABLED });
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('ignore the body of %s', async (method) => {
    const { url } = await startTestServer();
    const answer = await send(url, {
      method,
      path: '/health',
      headers: { host: 'localhost', 'content-length': body.length },
      body,
    });
    expect(answer.status).toBe(method === 'OPTIONS' ? 204 : 200);
  });

  it('ignore a body of GET that never comes', async () => {
    const { url } = await startTestServer();
    const { socket, closed, received } = openRaw(url);
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n');
    socket.on('end', () => socket.destroy());
    await closed;
    expect(parseAnswers(received()).map(({ status }) => status)).toStrictEqual([200]);
  });

  it('go on with the next request where the ignored body was there', async () => {
    const { url } = await startTestServer();
    const first = 'GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc';
    const answers = await sendRaw(url, `${first}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toStrictEqual([200, 200]);
  });
});

describe('a response that cannot be written', () => {
  it.each([
    ['a header', { headers: { 'x-thing': 'a\r\nb: c' } }],
    ['a cookie', { cookies: ['a\nb'] }],
  ])('for %s is the problem of a fault of ours, in the words of its own status', async (_name, unwritable) => {
    const { url } = await startTestServer({
      handlers: { health: async () => ({ statusCode: 201, ...unwritable }) },
    });
    const { socket, closed } = openRaw(url);
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const received = await closed;
    expect(received).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/);
    expectProblem(parseAnswers(received)[0], { status: 500, code: 'internal_error' });
  });
});

describe('a response without a body', () => {
  it.each([
    ['HEAD', '/health', {}, 200],
    ['OPTIONS', '/health', {}, 204],
    ['GET', `/v1/book/${TOKEN_ID}`, { 'if-none-match': '*' }, 304],
  ])('to %s %s says no length, which would be that of another one', async (method, path, extra, status) => {
    const { url } = await startTestServer();
    const answer = await send(url, { method, path, headers: { host: 'localhost', ...extra } });
    expect([answer.status, answer.text]).toStrictEqual([status, '']);
    expect(Object.keys(answer.headers)).not.toContain('content-length');
    expect(Object.keys(answer.headers)).not.toContain('transfer-encoding');
  });
});
