import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { Secret } from '../../../../../shared/secret.ts';
import {
  answerTo,
  readShape,
  readWithRetry,
  refuseRead,
  waitUntil,
} from '../../../../../shared/venue/polymarket/http/reads.ts';
import {
  createTransport,
  TransportError,
  type VenueHttpResponse,
} from '../../../../../shared/venue/polymarket/http/transport.ts';
import { listenOnLoopback, shut } from '../../../../../tools/support/loopback.ts';
import { callWithin, createCertificate, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';

const GET = { name: 'read', method: 'GET', path: '/thing' } as const;

/** Reads from a venue that answers one thing after the other. */
async function readFrom(replies: readonly Reply[], budget?: number) {
  const venue = await startVenue((_request, index) => replies[index] ?? 'hang');
  const result = await readWithRetry(createTransport(venue.url), GET, callWithin(budget)).catch(
    (error: unknown) => error,
  );
  return { venue, result };
}

const cut: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{', () => response.destroy());
};
const noHttp: Reply = ({ socket }) => socket?.end('SSH-2.0-OpenSSH_9.9\r\n\r\n');

describe('a read', () => {
  it.each<[string, Reply]>([
    ...[500, 502, 503, 504, 520, 521, 522, 523, 524].map((status): [string, Reply] => [`${status}`, { status }]),
    ['a reset', 'reset'],
    ['a body that breaks off', cut],
  ])('is tried a second time after %s, a moment later', async (_what, reply) => {
    const { venue, result } = await readFrom([reply, { body: '1' }]);
    expect(result).toMatchObject({ status: 200, text: '1' });
    const [first, second] = venue.seen;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(49);
  });

  it('is tried a second time where its answer is lost, on a connection that is made for it', async () => {
    // The others give back two connections that would be used again.
    const venue = await startVenue((_request, index) => (index === 2 ? 'hang' : { body: String(index) }));
    const http = createTransport(venue.url);
    await Promise.all([http.send(GET, callWithin()), http.send(GET, callWithin())]);
    expect(await readWithRetry(http, GET, callWithin())).toMatchObject({ text: '3' });
    const ports = venue.seen.map(({ port }) => port);
    expect(ports.slice(0, 3)).not.toContain(ports[3]);
  });

  it('is tried twice and not more', async () => {
    const { venue, result } = await readFrom([{ status: 502 }, { status: 502 }, {}]);
    expect(result).toMatchObject({ status: 502 });
    expect(venue.seen.length).toBe(2);
  });

  it.each([400, 403, 404, 425, 429, 501, 525])('is not tried again after %i', async (status) => {
    const { venue, result } = await readFrom([{ status }]);
    expect(result).toMatchObject({ status });
    expect(venue.seen.length).toBe(1);
  });

  it('waits as long as the venue asks', async () => {
    const { venue } = await readFrom([{ status: 503, headers: { 'retry-after': '1' } }, {}]);
    const [first, second] = venue.seen;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('passes the answer on when there is no time for the wait and a second try', async () => {
    const { venue, result } = await readFrom([{ status: 503, headers: { 'retry-after': '1' } }], 1_400);
    expect(result).toMatchObject({ status: 503, retryAfter: 1 });
    expect(venue.seen.length).toBe(1);
  });

  it.each<[string, Reply[], string, string]>([
    ['silence', ['hang'], 'venue_timeout', 'The venue did not answer in time, and no order was sent. Try again.'],
    ['two resets', ['reset', 'reset'], 'venue_error', 'The venue broke off its answer. Try again.'],
    [
      'two answers that are no HTTP',
      [noHttp, noHttp],
      'venue_error',
      'The venue returned an answer that cannot be read. Try again later.',
    ],
    [
      'an endless answer',
      [{ body: ' '.repeat(8 * 1024 * 1024 + 1) }],
      'venue_error',
      'The venue returned an answer that cannot be read. Try again later.',
    ],
  ])('ends after %s with an error of ours', async (_what, replies, code, message) => {
    const { result } = await readFrom(replies, code === 'venue_timeout' ? 100 : 5_000);
    expect(result).toMatchObject({ name: 'AppError', code, message });
  });

  it('is venue_unavailable when the venue is unreachable', async () => {
    const venue = await startVenue(() => ({}));
    await venue.close();
    const result = await readWithRetry(createTransport(venue.url), GET, callWithin()).catch((error: unknown) => error);
    expect(result).toMatchObject({
      code: 'venue_unavailable',
      message: 'The venue cannot be reached. Try again later.',
      retryAfter: 5,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it.each<[string, Reply, object]>([
    ['a success of that shape', { body: '{"a":1}' }, { a: 1 }],
    ['a success of another shape', { body: '{"a":"1"}' }, { code: 'venue_error' }],
    ['a success that is no JSON', { body: '<html>' }, { code: 'venue_error' }],
    ['another status, whatever its shape', { status: 404, body: '{"a":1}' }, { code: 'venue_error' }],
  ])('has a shape, or is an error: %s', async (_what, reply, expected) => {
    const venue = await startVenue(() => reply);
    const reading = readShape(createTransport(venue.url), GET, z.object({ a: z.number() }), callWithin());
    expect(await reading.catch((error: unknown) => error)).toMatchObject(expected);
  });
});

describe('an answer that is asked for once', () => {
  it('is given as it is, or fails as a read does', async () => {
    const venue = await startVenue((_request, index) => (index === 0 ? { body: '1' } : 'reset'));
    const http = createTransport(venue.url);
    expect(await answerTo(http.send(GET, callWithin()))).toMatchObject({ text: '1' });
    await expect(answerTo(http.send(GET, callWithin()))).rejects.toMatchObject({
      name: 'AppError',
      code: 'venue_error',
      cause: { code: 'ECONNRESET' },
    });
    const fault = new TypeError('a fault of ours');
    await expect(answerTo(Promise.reject(fault))).rejects.toBe(fault);
  });
});

describe('a wait for what another has begun', () => {
  it('ends with its answer, or with its own time', async () => {
    const slow = new Promise(() => undefined);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    expect(await waitUntil(performance.now() + 60_000, Promise.resolve('book'))).toBe('book');
    expect(timers()).toBe(before);
    for (const left of [30, -1]) {
      const startedAt = performance.now();
      await expect(waitUntil(startedAt + left, slow)).rejects.toMatchObject({
        code: 'venue_timeout',
      });
      // A timer may fire a moment before its time.
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(left / 2);
    }
  });
});

describe('a status that is no success', () => {
  const answer = (status: number, text = '', retryAfter?: number): VenueHttpResponse => ({
    status,
    retryAfter,
    isJson: text.startsWith('{'),
    text,
  });
  const region = '{"error":"Trading restricted in your region, please refer to available regions"}';

  const limited = 'The venue limits the rate of requests. Slow down.';
  const away = 'The venue is temporarily unavailable. Try again later.';
  const unreadable = 'The venue returned an answer that cannot be read. Try again later.';

  it.each([
    [answer(429), 'rate_limited', limited, 1],
    [answer(429, '{"error":"Too Many Requests"}', 7), 'rate_limited', limited, 7],
    [answer(429, '', 0), 'rate_limited', limited, 1],
    [answer(425), 'venue_unavailable', away, 5],
    [answer(503, '', 120), 'venue_unavailable', away, 120],
    [answer(500), 'venue_error', unreadable, undefined, 'status 500, not JSON'],
    [answer(404, '{}'), 'venue_error', unreadable, undefined, 'status 404'],
    [answer(302), 'venue_error', unreadable, undefined, 'status 302, not JSON'],
    [answer(200, '<html>'), 'venue_error', unreadable, undefined, 'status 200, not JSON'],
  ])('is said as what it means, and what it was for the log: %j', (response, code, message, ...more) => {
    const error = refuseRead(response);
    const [retryAfter, cause] = more;
    expect([error.code, error.message, error.retryAfter]).toStrictEqual([code, message, retryAfter]);
    expect(error.cause).toStrictEqual(cause && new Error(String(cause)));
  });

  it.each([
    [answer(403, region), 'region'],
    [answer(403, '<html>'), 'firewall'],
    [{ ...answer(403, region), isJson: false }, 'firewall'],
  ])('refuses the service: %j is about its %s', (response, reason) => {
    expect(refuseRead(response)).toMatchObject({ code: 'venue_refused_service', facts: { reason } });
  });
});

const POST = { name: 'write', method: 'POST', path: '/order', body: '{"a":1}' } as const;

const known = getCACertificates('default');
let venue: Server;
let proxy: Server;
let venueUrl: string;
let proxyUrl: string;
let posts = 0;
let tunnels: (string | undefined)[] = [];
let status = 200;

beforeAll(async () => {
  const { key, cert } = createCertificate();
  setDefaultCACertificates([cert]);
  venue = createTlsServer({ key, cert }, (_request, response) => {
    posts += 1;
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  venueUrl = `https://localhost:${new URL(await listenOnLoopback(venue)).port}`;
  proxy = createServer();
  proxy.on('connect', ({ url }, socket) => {
    tunnels.push(url);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const upstream = connect(Number(new URL(venueUrl).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    return upstream.on('error', () => socket.destroy());
  });
  proxyUrl = await listenOnLoopback(proxy);
});

beforeEach(() => {
  [posts, tunnels, status] = [0, [], 200];
});

afterAll(async () => {
  setDefaultCACertificates(known);
  await shut(proxy);
  await shut(venue);
});

describe('a proxy between the service and the venue', () => {
  it('carries requests to an https host', async () => {
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: new Secret(proxyUrl) } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200, text: '{}' });
    expect([posts, tunnels]).toStrictEqual([1, [new URL(venueUrl).host]]);
  });

  it('is left out for a host of NO_PROXY', async () => {
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: new Secret(proxyUrl), NO_PROXY: 'localhost' } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200 });
    expect([posts, tunnels]).toStrictEqual([1, []]);
  });

  it('is left out for an http host, which is on loopback', async () => {
    const { url } = await startVenue(() => ({ body: {} }));
    const http = createTransport(url, { proxyEnv: { HTTPS_PROXY: new Secret(proxyUrl) } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200 });
    expect(tunnels).toStrictEqual([]);
  });

  it('that refuses the tunnel sends nothing to the venue', async () => {
    status = 407;
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: new Secret(proxyUrl) } });
    const error = await http.send(POST, callWithin()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind: 'not_connected', sent: false });
    expect([posts, tunnels.length]).toStrictEqual([0, 1]);
  });
});
