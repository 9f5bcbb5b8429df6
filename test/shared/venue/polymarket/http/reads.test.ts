import { describe, expect, it } from '@jest/globals';
import { readWithRetry, refuseRead } from '../../../../../shared/venue/polymarket/http/reads.ts';
import { createTransport, type VenueHttpResponse } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';

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

describe('a read', () => {
  it.each<[string, Reply]>([
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
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

  it.each([400, 403, 404, 425, 429, 500])('is not tried again after %i', async (status) => {
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

  it.each<[string, Reply[], string]>([
    ['silence', ['hang'], 'venue_timeout'],
    ['two resets', ['reset', 'reset'], 'venue_error'],
    ['an endless answer', [{ body: ' '.repeat(8 * 1024 * 1024 + 1) }], 'venue_error'],
  ])('ends after %s with an error of ours', async (_what, replies, code) => {
    const { result } = await readFrom(replies, code === 'venue_timeout' ? 100 : 5_000);
    expect(result).toMatchObject({ name: 'AppError', code });
  });

  it('ends with venue_unavailable where nobody listens', async () => {
    const venue = await startVenue(() => ({}));
    await venue.close();
    const result = await readWithRetry(createTransport(venue.url), GET, callWithin()).catch((error: unknown) => error);
    expect(result).toMatchObject({ code: 'venue_unavailable', retryAfter: 5 });
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

  it.each([
    [answer(429), 'rate_limited', {}, 1],
    [answer(429, '{"error":"Too Many Requests"}', 7), 'rate_limited', {}, 7],
    [answer(429, '', 0), 'rate_limited', {}, 1],
    [answer(425), 'venue_unavailable', {}, 5],
    [answer(503, '', 120), 'venue_unavailable', {}, 120],
    [answer(403, region), 'venue_refused_service', { reason: 'region' }, undefined],
    [answer(403, '<html>'), 'venue_refused_service', { reason: 'firewall' }, undefined],
    [answer(500), 'venue_error', {}, undefined],
    [answer(302), 'venue_error', {}, undefined],
    [answer(200, '<html>'), 'venue_error', {}, undefined],
  ])('is said as what it means: %j', (response, code, facts, retryAfter) => {
    const error = refuseRead(response);
    expect({ code: error.code, facts: error.facts, retryAfter: error.retryAfter }).toStrictEqual({
      code,
      facts,
      retryAfter,
    });
  });
});
