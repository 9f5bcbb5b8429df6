import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { HttpResponse } from '../../../../../shared/http/exchange.ts';
import { READ_ATTEMPT_MS } from '../../../../../shared/limits.ts';
import { createTransport } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { fakeOnly } from '../../../../support/jest.ts';
import { callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';

// Pauses pass at once.
const pauses: number[] = [];
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (milliseconds: number) => void pauses.push(milliseconds),
}));
const { answerTo, readWithRetry, refuseRead } = await import('../../../../../shared/venue/polymarket/http/reads.ts');

const unreadable = 'The venue returned an answer that cannot be read. Try again later.';
const GET = { name: 'read', method: 'GET', path: '/thing' } as const;

beforeEach(() => void pauses.splice(0));

/** Reads from a venue that answers one thing after the other; `asked`: the number of its requests. */
async function readFrom(replies: readonly Reply[], budget?: number) {
  const venue = await startVenue((_request, index) => replies[index] ?? 'hang');
  const reading = readWithRetry(createTransport(venue.url), GET, callWithin(budget));
  const result = await reading.catch((error: unknown) => error);
  return { asked: venue.seen.length, result };
}

const cut: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{', () => response.destroy());
};
const noHttp: Reply = ({ socket }) => socket?.end('SSH-2.0-OpenSSH_9.9\r\n\r\n');
const endless: Reply = { body: ' '.repeat(2 * 1024 * 1024 + 1) };
const busy: Reply = { status: 503, headers: { 'retry-after': '1' } };
const shut: Reply = { status: 503, headers: { 'retry-after': '1000' } };

const late = 'The venue did not answer in time. Try again.';
const refused = (message: string, code = 'venue_error') => ({ name: 'AppError', code, message });
const brokenOff = refused('The venue cut off its answer. Try again.');
const again = { status: 200, text: '1' };

describe('a read', () => {
  it.each<
    readonly [string, readonly Reply[], asked: number, result: object, pauses?: readonly unknown[], budget?: number]
  >([
    ...[500, 502, 503, 504, 520, 521, 522, 523, 524].map(
      (status) => [`twice after ${status}`, [{ status }, { body: '1' }], 2, again] as const,
    ),
    ['twice after a reset', ['reset', { body: '1' }], 2, again],
    ['twice after a body that breaks off', [cut, { body: '1' }], 2, again],
    ['twice after what is no HTTP', [noHttp, { body: '1' }], 2, again],
    ['twice and not more', [{ status: 502 }, { status: 502 }, {}], 2, { status: 502 }],
    ['twice, then broken off', ['reset', 'reset'], 2, brokenOff],
    ['twice, then unusable', [noHttp, noHttp], 2, refused(unreadable)],
    ['as late as the venue asks', [busy, {}], 2, { status: 200 }, [1_000]],
    ['once without time for the wait and a second try', [shut, {}], 1, { retryAfter: 1_000 }, [], 1_000_400],
    ['once where the answer is endless', [endless, {}], 1, refused(unreadable), []],
    ['until its time is over', ['hang', 'hang'], 1, refused(late, 'venue_timeout'), [], 1_000],
    ...[400, 403, 404, 425, 429, 501, 525].map(
      (status) => [`once after ${status}`, [{ status }, {}], 1, { status }, []] as const,
    ),
  ])('is tried %s', async (_how, replies, asked, result, ...[waited = [expect.any(Number)], budget]) => {
    expect(await readFrom(replies, budget)).toMatchObject({ asked, result });
    expect(pauses).toStrictEqual(waited);
    if (waited[0] !== 1_000) expect(pauses.filter((pause) => pause < 50 || pause > 200)).toStrictEqual([]);
  });

  it('is tried a second time where its answer is lost, on a connection that is made for it', async () => {
    fakeOnly(['setTimeout', 'clearTimeout']);
    // The others give back two connections that would be used again.
    const venue = await startVenue((_request, index) => {
      if (index === 2) setImmediate(() => jest.advanceTimersByTime(READ_ATTEMPT_MS));
      return index === 2 ? 'hang' : { body: String(index) };
    });
    const http = createTransport(venue.url);
    await Promise.all([http.send(GET, callWithin()), http.send(GET, callWithin())]);
    expect(await readWithRetry(http, GET, callWithin())).toMatchObject({ text: '3' });
    const ports = venue.seen.map(({ port }) => port);
    expect(ports.slice(0, 3)).not.toContain(ports[3]);
    jest.useRealTimers();
  });

  it('is venue_unavailable when the venue is unreachable', async () => {
    const venue = await startVenue(() => ({}));
    await venue.close();
    await expect(readWithRetry(createTransport(venue.url), GET, callWithin())).rejects.toMatchObject({
      code: 'venue_unavailable',
      message: 'The venue cannot be reached. Try again later.',
      retryAfter: 5,
      cause: { code: 'ECONNREFUSED' },
    });
  });
});

it('a single attempt fails with the error of a read, and a fault of ours is thrown unchanged', async () => {
  const { url } = await startVenue(() => 'reset');
  const error = { name: 'AppError', code: 'venue_error', cause: { code: 'ECONNRESET' } };
  await expect(answerTo(createTransport(url).send(GET, callWithin()))).rejects.toMatchObject(error);
  const fault = new TypeError('a fault of ours');
  await expect(answerTo(Promise.reject(fault))).rejects.toBe(fault);
});

describe('a status that is no success', () => {
  const answer = (status: number, text = '', retryAfter?: number): HttpResponse => ({
    status,
    retryAfter,
    isJson: text.startsWith('{'),
    text,
  });
  const region = '{"error":"Trading restricted in your region, please refer to available regions"}';

  const limited = { code: 'rate_limited', message: 'The venue limits the rate of requests. Slow down.' };
  const away = { code: 'venue_unavailable', message: 'The venue is temporarily unavailable. Try again later.' };
  const unusable = (what: string) => ({ code: 'venue_error', message: unreadable, cause: new Error(what) });
  const refused = (reason: string) => ({ code: 'venue_refused_service', facts: { reason } });

  it.each<readonly [HttpResponse, object, retryAfter?: number]>([
    [answer(429), limited, 1],
    [answer(429, '{"error":"Too Many Requests"}', 7), limited, 7],
    [answer(429, '', 0), limited, 1],
    [answer(425), away, 5],
    [answer(503, '', 120), away, 120],
    [answer(500), unusable('status 500, not JSON')],
    [answer(404, '{}'), unusable('status 404')],
    [answer(302), unusable('status 302, not JSON')],
    [answer(200, '<html>'), unusable('status 200, not JSON')],
    [answer(403, region), refused('region')],
    [answer(403, '<html>'), refused('firewall')],
    [{ ...answer(403, region), isJson: false }, refused('firewall')],
  ])('becomes our own error, with the status as its cause: %j', (response, error, ...[retryAfter]) => {
    expect(refuseRead(response)).toMatchObject({ ...error, retryAfter });
  });
});
