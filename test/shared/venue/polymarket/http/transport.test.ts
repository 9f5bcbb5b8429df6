import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { CONNECT_MS } from '../../../../../shared/limits.ts';
import { createVenueClock } from '../../../../../shared/venue/polymarket/http/clock.ts';
import { createTransport, TransportError } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { createOrderEntry } from '../../../../../shared/venue/polymarket/order-entry.ts';
import { listenOnLoopback, shut } from '../../../../../tools/support/loopback.ts';
import { accountSettings, limitOrder } from '../../../../support/orders/trading-world.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, createCertificate, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../../../support/venue/venue-answers.ts';

const GET = { name: 'read', method: 'GET', path: '/thing' } as const;
const POST = { name: 'write', method: 'POST', path: '/thing', body: '{"a":1}' } as const;
const MIB = 1024 * 1024;

/** Returns the error of a request that has no readable answer. */
async function failureOf(answer: Promise<unknown>): Promise<{ kind: string; sent: boolean }> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TransportError)) throw new Error('the request did not fail', { cause: error });
  return { kind: error.kind, sent: error.sent };
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return Number(port);
}

describe('transport', () => {
  it('sends the bytes it is given, says who it is, and takes only JSON', async () => {
    const venue = await startVenue(() => ({ status: 201, body: { ok: true } }));
    const http = createTransport(venue.url);
    const call = callWithin();
    const startedAt = performance.now();
    const answer = await http.send({ ...POST, path: '/thing?b=2', headers: { X_ONE: '1' } }, call);
    const elapsed = performance.now() - startedAt;
    expect(answer).toStrictEqual({ status: 201, retryAfter: undefined, isJson: true, text: '{"ok":true}' });
    const [seen] = venue.seen;
    expect({ method: seen?.method, path: seen?.path, query: seen?.query.get('b'), body: seen?.body }).toStrictEqual({
      method: 'POST',
      path: '/thing',
      query: '2',
      body: POST.body,
    });
    expect(seen?.headers).toMatchObject({
      host: new URL(venue.url).host,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '7',
      'user-agent': 'order-book-adapter/1.0.0',
      x_one: '1',
    });
    expect(call.venueRequests).toStrictEqual([{ name: 'write', result: 201, milliseconds: expect.any(Number) }]);
    // In tenths of a millisecond.
    expect(call.venueRequests[0]?.milliseconds).toBeLessThanOrEqual(elapsed + 0.1);
  });

  it('waits for an answer on a connection that was made in time, however long the venue thinks', async () => {
    const venue = await startVenue(async () => {
      await sleep(CONNECT_MS + 200);
      return { body: {} };
    });
    expect(await createTransport(venue.url).send(POST, callWithin(10_000))).toMatchObject({ status: 200 });
  });

  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['application/problem+json', true],
    ['text/html; charset=UTF-8', false],
    ['text/plain', false],
    ['application/jsonp', false],
    ['text/x; of=application/json', false],
  ])('reads an answer of type %s as JSON: %s', async (type, isJson) => {
    const venue = await startVenue(() => ({ headers: { 'content-type': type }, body: '{}' }));
    expect(await createTransport(venue.url).send(GET, callWithin())).toMatchObject({ isJson });
  });

  it.each([
    ['is kept after 4 s', 4_000, true],
    ['is not trusted after more: the process may have stood still', 4_001, false],
    ['is not trusted after the clock was set back', -10_000, false],
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
});

describe('transport without a readable answer', () => {
  it('knows that nothing was sent when the connection is refused', async () => {
    const http = createTransport(`http://127.0.0.1:${await closedPort()}`);
    const call = callWithin();
    const sending = http.send(POST, call);
    expect(await failureOf(sending)).toStrictEqual({ kind: 'not_connected', sent: false });
    await expect(sending).rejects.toMatchObject({
      name: 'TransportError',
      message: "the venue's answer did not come: not_connected",
      cause: { code: 'ECONNREFUSED' },
    });
    expect(call.venueRequests).toMatchObject([{ name: 'write', result: 'not_connected' }]);
  });

  it.each<[string, Reply, string]>([
    ['no answer', 'hang', 'timeout'],
    ['a reset', 'reset', 'reset'],
  ])('knows that a request may have arrived on a connection that was kept: %s', async (_what, reply, kind) => {
    const venue = await startVenue((_request, index) => (index === 0 ? {} : reply));
    const http = createTransport(venue.url);
    await http.send(GET, callWithin());
    expect(await failureOf(http.send({ ...POST, timeLimit: 300 }, callWithin()))).toStrictEqual({ kind, sent: true });
    expect(venue.seen[1]?.port).toBe(venue.seen[0]?.port);
  });

  it('knows that nothing was sent when no time is left', async () => {
    const venue = await startVenue(() => ({}));
    const spent = callWithin(-1);
    expect(await failureOf(createTransport(venue.url).send(POST, spent))).toStrictEqual({
      kind: 'timeout',
      sent: false,
    });
    expect(venue.calls()).toStrictEqual([]);
  });

  it('knows that a request may have arrived when the TLS handshake is over, and not before', async () => {
    // A server that accepts the connection and never answers the handshake.
    const silent = createServer(() => undefined);
    const http = createTransport((await listenOnLoopback(silent)).replace('http:', 'https:'));
    expect(await failureOf(http.send(POST, callWithin(200)))).toStrictEqual({ kind: 'timeout', sent: false });
    silent.close();
  });

  it('knows that a request may have arrived once the TLS handshake is over', async () => {
    const { key, cert } = createCertificate();
    let posts = 0;
    const server = createTlsServer({ key, cert }, (request, response) => {
      if (request.method === 'GET') response.end('{}');
      else posts += 1;
    });
    const address = new URL(await listenOnLoopback(server));
    const known = getCACertificates('default');
    setDefaultCACertificates([cert]);
    try {
      const http = createTransport(`https://localhost:${address.port}`);
      const hanging = http.send({ ...POST, timeLimit: 1_000 }, callWithin());
      expect(await failureOf(hanging)).toStrictEqual({ kind: 'timeout', sent: true });
      expect(await http.send(GET, callWithin())).toMatchObject({ status: 200, text: '{}' });
      expect(posts).toBe(1);
    } finally {
      setDefaultCACertificates(known);
      await shut(server);
    }
  });

  it('gives up a connection that is not there after 3 s, however much time is left', async () => {
    const silent = createServer(() => undefined);
    const http = createTransport((await listenOnLoopback(silent)).replace('http:', 'https:'));
    // More than a test may take.
    expect(await failureOf(http.send(POST, callWithin(600_000)))).toStrictEqual({ kind: 'not_connected', sent: false });
    silent.close();
  });

  const stalled: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"a":');
  };
  const cutWithLength: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"a":', () => response.destroy());
  };
  const cutChunked: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"a":', () => response.destroy());
  };
  const oversize: Reply = { body: ' '.repeat(2 * MIB + 1) };
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
    ['a body that stalls', stalled, 'timeout'],
    ['a reset instead of an answer', 'reset', 'reset'],
    ['a body that ends before its length', cutWithLength, 'reset'],
    ['a body that ends in the middle of its chunks', cutChunked, 'reset'],
    ['a body of over 8 MiB', oversize, 'too_large'],
    ['a switch to another protocol', switching, 'reset'],
    ['an answer that is no HTTP', raw('SSH-2.0-OpenSSH_9.9\r\n\r\n'), 'no_http'],
    ['a head that is no HTTP', raw('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'), 'no_http'],
    ['a body that is no HTTP', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'), 'no_http'],
  ])('knows that the request may have arrived after %s', async (_what, reply, kind) => {
    const venue = await startVenue((_request, index) => (index === 0 ? {} : reply));
    const http = createTransport(venue.url);
    // Opens the connection, which may take longer than the limit of the second request.
    await http.send(POST, callWithin(60_000));
    const timeLimit = kind === 'timeout' ? 500 : 600_000;
    const failure = await failureOf(http.send({ ...POST, timeLimit }, callWithin(600_000)));
    expect(failure).toStrictEqual({ kind, sent: true });
  });

  it('gives up in its time while it waits for a free connection, and is never sent then', async () => {
    const held: ServerResponse[] = [];
    const venue = await startVenue(() => (response) => held.push(response));
    const http = createTransport(venue.url);
    const others = Array.from({ length: 256 }, () => http.send(GET, callWithin(60_000)));
    while (held.length < others.length) await sleep(20);
    const ended = await failureOf(http.send(POST, callWithin(300)));
    for (const response of held) response.end('{}');
    await Promise.all(others);
    expect(ended).toStrictEqual({ kind: 'timeout', sent: false });
    expect(venue.calls().filter((call) => call !== 'GET /thing')).toStrictEqual([]);
  }, 60_000);

  it('ends with the call even where the request may take longer', async () => {
    const venue = await startVenue((_request, index) => (index === 0 ? {} : 'hang'));
    const http = createTransport(venue.url);
    await http.send(GET, callWithin(60_000));
    const answer = http.send({ ...GET, timeLimit: 600_000 }, callWithin(500));
    expect(await failureOf(answer)).toStrictEqual({ kind: 'timeout', sent: true });
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
    const date = new Date(NOW).toUTCString();
    const venue = await startVenue(() => ({ status: 429, headers: { 'retry-after': value, date } }));
    expect(await createTransport(venue.url).send(GET, callWithin())).toMatchObject({ retryAfter: seconds });
  });

  it.each([
    ['0', 50_000],
    ['1', 0],
    ['3600', 0],
  ])('learns nothing of the clock from an answer that a cache has kept: Age %s', async (age, skew) => {
    const venue = await startVenue(() => ({ headers: { date: new Date(NOW + 50_000).toUTCString(), age } }));
    const clock = createVenueClock({ ownNow: () => NOW, uptime: () => 0 });
    await createTransport(venue.url, { clock }).send(GET, callWithin());
    expect(clock.skew()).toBe(skew);
  });

  it.each([
    ['agrees', 600_000, 600_000],
    ['differs', 0, 0],
  ])(
    'asks for a doubtful time once more before it gives the answer, elsewhere for orders: %s',
    async (_what, then, skew) => {
      const at = (ms: number) => ({ headers: { date: new Date(NOW + ms).toUTCString() } });
      const [venue, other] = [await startVenue(() => at(600_000)), await startVenue(() => at(then))];
      const clock = createVenueClock({ ownNow: () => NOW, uptime: () => 0 });
      const timeFrom = createTransport(other.url, { clock });
      await createTransport(venue.url, { clock, timeFrom }).send(POST, callWithin());
      expect([clock.skew(), venue.calls(), other.calls()]).toStrictEqual([skew, ['POST /thing'], ['GET /time']]);
    },
  );
});

let server: Server | undefined;

/** A venue that answers a look-up or a book a second time, late, with a refusal: on the connection of that request. */
async function openBefore(stray: string) {
  const users = new Map<Socket, Set<string>>();
  const sent = { orderId: '' };
  server = createHttpServer((request, response) => {
    const { method, url = '', socket } = request;
    const kind = method === 'POST' ? 'order' : 'read';
    users.set(socket, (users.get(socket) ?? new Set()).add(kind));
    response.setHeader('content-type', 'application/json');
    const query = new URL(url, 'http://venue').searchParams;
    if (kind === 'read') response.end(JSON.stringify(bookAnswer(query.get('token_id') ?? '')));
    else response.end(JSON.stringify({ success: true, errorMsg: '', orderID: sent.orderId, status: 'live' }));
    if (kind === 'read') setTimeout(() => socket.write(stray), 30).unref();
  });
  const clobUrl = await listenOnLoopback(server);
  return { entry: createOrderEntry(accountSettings(clobUrl), collectLog().log), users, sent };
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('the connections that orders are sent on', () => {
  it('carry nothing else, so that a stray answer to a read is no answer to an order', async () => {
    const refusal = '{"error":"not enough balance"}';
    const stray = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${refusal.length}\r\n\r\n${refusal}`;
    const { entry, users, sent } = await openBefore(stray);
    for (let count = 0; count < 8; count += 1) {
      const signed = await entry.sign(limitOrder(), callWithin());
      sent.orderId = signed.orderId;
      expect((await entry.submit(signed, callWithin())).kind).toBe('placed');
    }
    const uses = [...users.values()].map((kinds) => [...kinds].join());
    expect(new Set(uses)).toStrictEqual(new Set(['read', 'order']));
  });
});
