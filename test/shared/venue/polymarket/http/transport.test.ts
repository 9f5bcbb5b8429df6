import dns from 'node:dns';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TransportError } from '../../../../../shared/http/exchange.ts';
import { CONNECT_MS } from '../../../../../shared/limits.ts';
import { Secret } from '../../../../../shared/secret.ts';
import { createTransport } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { listenOnLoopback, shut } from '../../../../../tools/support/loopback.ts';
import { fakeOnly } from '../../../../support/jest.ts';
import { until } from '../../../../support/until.ts';
import { CERTIFICATE, callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { startSlowListener } from '../../../../support/venue/slow-listener.ts';

const GET = { name: 'read', method: 'GET', path: '/thing' } as const;
const POST = { name: 'write', method: 'POST', path: '/thing', body: '{"a":1}' } as const;
const UNSENT = { sent: false };

/** Returns the error of a request that has no readable answer. */
async function failureOf(answer: Promise<unknown>) {
  const error = await answer.catch((reason: unknown) => reason);
  if (!(error instanceof TransportError)) throw new Error('the request did not fail', { cause: error });
  return { kind: error.kind, sent: error.sent };
}

// Times of the transport pass when a test says so.
beforeEach(() => fakeOnly(['setTimeout', 'clearTimeout']));
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('transport', () => {
  it.each([
    ['is reused after 4 s', 4_000, true],
    ['is not reused after more than 4 s, since the process may have been suspended', 4_001, false],
    ['is not reused after the clock was set back', -10_000, false],
  ])('a connection %s', async (_what, laterMs, isKept) => {
    let now = 1_000_000;
    const venue = await startVenue(() => ({}));
    const http = createTransport(venue.url, { now: () => now });
    for (const ms of [0, 0, laterMs]) {
      now += ms;
      await http.send(GET, callWithin());
    }
    const [first, second, third] = venue.seen.map(({ port }) => port);
    expect([second === first, third === first]).toStrictEqual([true, isKept]);
  });

  it('waits longer than the 250 ms of Node for the slow one of two addresses, if the other is dead', async () => {
    const port = await startSlowListener();
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    jest.spyOn(dns, 'lookup').mockImplementation((...asked: unknown[]) => {
      const done = asked.at(-1);
      if (typeof done === 'function') done(null, addresses);
    });
    expect(await createTransport(`http://venue.example:${port}`).send(GET, callWithin())).toMatchObject({
      status: 200,
    });
  });

  it('does not reuse a connection on which unrequested bytes arrived', async () => {
    const users: Socket[] = [];
    const server = createHttpServer(({ socket }, response) => {
      const answers = users.push(socket);
      response.end(`${answers}`);
      if (answers === 1) setImmediate(() => socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 1\r\n\r\nx'));
    });
    const http = createTransport(await listenOnLoopback(server));
    expect(await http.send(GET, callWithin())).toMatchObject({ text: '1' });
    await sleep(50);
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200, text: '2' });
    expect(users[1]).not.toBe(users[0]);
    await shut(server);
  });
});

describe('transport without a readable answer', () => {
  it('reports that nothing was sent if the connection is refused, no time is left, or a header is malformed', async () => {
    const venue = await startVenue(() => ({}));
    const http = createTransport(venue.url);
    expect(await failureOf(http.send(POST, callWithin(-1)))).toStrictEqual({ kind: 'timeout', ...UNSENT });
    const odd = http.send({ ...POST, headers: { X_ONE: 'a\nb' } }, callWithin());
    expect(await failureOf(odd)).toStrictEqual({ kind: 'not_connected', ...UNSENT });
    expect(venue.calls()).toStrictEqual([]);
    await venue.close();
    const call = callWithin();
    const message = 'no answer came: not_connected';
    const error = {
      name: 'TransportError',
      message,
      kind: 'not_connected',
      ...UNSENT,
      cause: { code: 'ECONNREFUSED' },
    };
    await expect(http.send(POST, call)).rejects.toMatchObject(error);
    expect(call.venueRequests).toMatchObject([{ name: 'write', result: 'not_connected' }]);
    expect(call.venueRequests[0]?.milliseconds).toBeLessThan(performance.now());
  });

  it.each([
    ['its time is over', 200, 'timeout'],
    ['2.5 s have passed, however much time is left', CONNECT_MS, 'not_connected'],
  ])(
    'reports that nothing was sent before the end of the TLS handshake, and gives up when %s',
    async (_what, ms, kind) => {
      // A server that accepts the connection and never answers the handshake.
      const { promise: connected, resolve } = Promise.withResolvers<Socket>();
      const silent = createServer(resolve);
      const http = createTransport((await listenOnLoopback(silent)).replace('http:', 'https:'));
      const ended = failureOf(
        http.send({ ...POST, timeLimit: kind === 'timeout' ? ms : 600_000 }, callWithin(600_000)),
      );
      await connected;
      // Until the client knows it too.
      await sleep(50);
      jest.advanceTimersByTime(ms);
      expect(await ended).toStrictEqual({ kind, ...UNSENT });
      silent.close();
    },
  );

  const begun =
    (headers: Record<string, string>, end: (response: ServerResponse) => void): Reply =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.write('{"a":', () => end(response));
    };
  const cut = (response: ServerResponse) => response.destroy();
  const switching: Reply = (response) => {
    response.writeHead(101, { upgrade: 'websocket', connection: 'upgrade' });
    response.end();
  };
  const raw =
    (text: string): Reply =>
    ({ socket }) =>
      socket?.end(text);

  it.each<[string, Reply, string]>([
    ['no answer', 'hang', 'timeout'],
    ['a body that stalls', begun({ 'content-length': '100' }, () => undefined), 'timeout'],
    ['a reset instead of an answer', 'reset', 'reset'],
    ['a body that ends before its length', begun({ 'content-length': '100' }, cut), 'reset'],
    ['a body that ends in the middle of its chunks', begun({}, cut), 'reset'],
    ['a body of over 2 MiB', { body: ' '.repeat(2 * 1024 * 1024 + 1) }, 'too_large'],
    ['a switch to another protocol', switching, 'reset'],
    ['an answer that is no HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n\r\n'), 'no_http'],
    ['a head that is no HTTP', raw('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'), 'no_http'],
    ['a body that is no HTTP', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'), 'no_http'],
  ])('reports that the request may have arrived, on a new and on a kept connection: %s', async (_what, reply, kind) => {
    for (const isKept of [false, true]) {
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      const venue = await startVenue(({ method }) => {
        if (method === 'POST') resolve();
        return method === 'POST' ? reply : {};
      });
      const http = createTransport(venue.url);
      if (isKept) await http.send(GET, callWithin());
      const ended = failureOf(http.send({ ...POST, timeLimit: 600 }, callWithin()));
      await asked;
      // Until the head has arrived.
      if (kind === 'timeout') await sleep(50);
      if (kind === 'timeout') jest.advanceTimersByTime(600);
      expect(await ended).toStrictEqual({ kind, sent: true });
      expect(venue.seen.at(-1)?.port === venue.seen.at(-2)?.port).toBe(isKept);
    }
  });

  it('gives up in time while it waits for a free connection, and sends nothing afterwards', async () => {
    const held: ServerResponse[] = [];
    const venue = await startVenue(() => (response) => held.push(response));
    const http = createTransport(venue.url);
    const others = Array.from({ length: 256 }, () => http.send(GET, callWithin(60_000)));
    await until(() => held.length === others.length);
    const ended = failureOf(http.send({ ...POST, timeLimit: 300 }, callWithin(60_000)));
    jest.advanceTimersByTime(300);
    expect(await ended).toStrictEqual({ kind: 'timeout', ...UNSENT });
    for (const response of held.splice(0)) response.end('{}');
    await Promise.all(others);
    // It would be before this one.
    const last = http.send(GET, callWithin(60_000));
    await until(() => held.length > 0);
    held[0]?.end('{}');
    await last;
    expect(new Set(venue.calls())).toStrictEqual(new Set(['GET /thing']));
  });
});

describe('transport over TLS', () => {
  it.each<[string, tunnelStatus: number, noProxy: string | undefined, expected: object]>([
    ['through the proxy', 200, undefined, { posts: 1, tunnels: 1, end: { status: 200 } }],
    ['without it for a host of NO_PROXY', 200, 'localhost', { posts: 1, tunnels: 0, end: { status: 200 } }],
    ['unless the proxy refuses', 407, undefined, { posts: 0, tunnels: 1, end: { kind: 'not_connected', ...UNSENT } }],
    [
      'and may have sent where no answer comes',
      200,
      '*',
      { posts: 1, tunnels: 0, end: { kind: 'timeout', sent: true } },
    ],
  ])('reaches the venue %s', async (_how, tunnelStatus, NO_PROXY, expected) => {
    let [posts, tunnels] = [0, 0];
    const venue = createTlsServer(CERTIFICATE, (_request, response) => {
      posts += 1;
      if (NO_PROXY === '*') setImmediate(() => jest.advanceTimersByTime(1_000));
      else response.end('{}');
    });
    const port = Number(new URL(await listenOnLoopback(venue)).port);
    const proxy = createHttpServer().on('connect', ({ url }, socket) => {
      if (url === `localhost:${port}`) tunnels += 1;
      if (tunnelStatus !== 200) return socket.end(`HTTP/1.1 ${tunnelStatus} Refused\r\n\r\n`);
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      return upstream.on('error', () => socket.destroy());
    });
    const proxyEnv = { HTTPS_PROXY: new Secret(await listenOnLoopback(proxy)), NO_PROXY };
    const known = getCACertificates('default');
    setDefaultCACertificates([CERTIFICATE.cert]);
    const http = createTransport(`https://localhost:${port}`, { proxyEnv });
    const end = await http.send({ ...POST, timeLimit: 1_000 }, callWithin()).catch((error: unknown) => error);
    setDefaultCACertificates(known);
    expect({ posts, tunnels, end }).toMatchObject(expected);
    for (const server of [venue, proxy]) await shut(server);
  });
});

describe('hints of the venue', () => {
  const NOW = Date.parse('2026-11-02T09:00:00Z');

  it.each([
    ['7', 7],
    ['0', 0],
    ['99999999999', 86_400],
    ['Mon, 02 Nov 2026 09:01:30 GMT', 90],
    ['Mon, 02 Nov 2026 08:00:00 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
  ])('reads Retry-After: %s as %s seconds', async (value, seconds) => {
    const venue = await startVenue(() => ({ status: 429, headers: { 'retry-after': value } }));
    expect(await createTransport(venue.url, { now: () => NOW }).send(GET, callWithin())).toMatchObject({
      retryAfter: seconds,
    });
  });
});
