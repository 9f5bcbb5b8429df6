import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LIMIT_WARNING_PAUSE_MS } from '../../../../../shared/limits.ts';
import { parseRateLimit } from '../../../../../shared/venue/polymarket/http/rate-limit.ts';
import {
  createAccountSender,
  createCredentialSource,
} from '../../../../../shared/venue/polymarket/http/signed-requests.ts';
import { askedWait, createTransport } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { accepted, CREDENTIALS, openWorld, place } from '../../../../support/orders/trading-world.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin, type Reply, startVenue } from '../../../../support/venue/scripted-venue.ts';

/** The venue's clock: 300 ms into a second. */
const NOW = 1_795_185_721_300;

function headersOf(remaining: string, reset: string, tier = 'standard', warning?: string) {
  return {
    'poly-ratelimit-remaining': remaining,
    'poly-ratelimit-reset': reset,
    'poly-ratelimit-tier': tier,
    ...(warning !== undefined && { 'poly-ratelimit-warning': warning }),
  };
}

describe('the rate limit in the headers of an answer', () => {
  it.each([
    ['the second in which it was asked', '1795185721', 0],
    ['a time in seconds', '1795185733', 12],
    ['a time in milliseconds', '1795185733300', 12],
    ['a time in parts of seconds', '1795185733.25', 12],
    ['a wait', '12', 12],
    ['a wait of parts of a second', '0.2', 1],
    ['no wait', '0', 0],
    ['an hour', '1795189321', 3_600],
    ['more than an hour', '1795189322', null],
    ['a wait of more than an hour', '3601', null],
    ['a second that is over', '1795185720', null],
    ['another year', '1595185721', null],
    ['no number', 'Sat, 21 Nov 2026 09:10:10 GMT', null],
    ['an exponent', '1e3', null],
    ['a minus', '-5', null],
    ['two headers', '5, 5', null],
    ['nothing', '', null],
  ])('resets at %s', (_name, reset, seconds) => {
    expect(parseRateLimit(headersOf('41', reset), NOW)).toStrictEqual({
      remaining: 41,
      reset: seconds,
      tier: 'standard',
      warning: false,
    });
  });

  it('is told as far as it can be read', () => {
    expect(parseRateLimit(headersOf('-2', ' 3 ', 'Elite', 'True'), NOW)).toStrictEqual({
      remaining: -2,
      reset: 3,
      tier: 'Elite',
      warning: true,
    });
    expect(parseRateLimit(headersOf('many', '', '<b>'.repeat(20), 'soon'), NOW)).toStrictEqual({
      remaining: null,
      reset: null,
      tier: null,
      warning: false,
    });
    expect(parseRateLimit({ 'content-type': 'text/html' }, NOW)).toBeUndefined();
  });

  it('is never a wait that no limit asks for', () => {
    const text = fc.oneof(fc.string(), fc.bigInt({ min: 0n, max: 10n ** 16n }).map(String), fc.double().map(String));
    fc.assert(
      fc.property(text, text, text, text, fc.integer({ min: 0, max: 4e12 }), (remaining, reset, tier, warning, now) => {
        const told = parseRateLimit(headersOf(remaining, reset, tier, warning), now);
        if (!told) return;
        expect(told.reset === null || (Number.isInteger(told.reset) && told.reset >= 0 && told.reset <= 3_600)).toBe(
          true,
        );
        expect(told.remaining === null || Number.isFinite(told.remaining)).toBe(true);
        expect(told.tier ?? '').toMatch(/^[\w .-]{0,32}$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the rate limit of orders', () => {
  const limited = (
    status: number,
    headers: Readonly<Record<string, string>>,
    body: object = { error: 'Too Many Requests' },
  ) => {
    return { status, headers, body } as const satisfies Reply;
  };

  it.each([
    ['a 429 that says when it ends', limited(429, headersOf('0', '7')), { code: 'rate_limited', retryAfter: 7 }],
    [
      'a 429 with a wait of its own',
      limited(429, { ...headersOf('0', '7'), 'retry-after': '3' }),
      { code: 'rate_limited', retryAfter: 3 },
    ],
    ['a 429 that says nothing usable', limited(429, headersOf('0', 'soon')), { code: 'rate_limited', retryAfter: 1 }],
    ['a 429 that says nothing at all', limited(429, {}), { code: 'rate_limited', retryAfter: 1 }],
    ['a 425', limited(425, headersOf('9', '7')), { code: 'venue_unavailable', retryAfter: 7 }],
    [
      'a 425 that it has nothing to do with',
      limited(425, headersOf('9', '0')),
      { code: 'venue_unavailable', retryAfter: 5 },
    ],
    [
      'a 503',
      limited(503, headersOf('9', '7'), { error: 'Trading is currently disabled. Check the site' }),
      { code: 'venue_unavailable', retryAfter: 7 },
    ],
    [
      'a 503 with a hint in its body',
      limited(503, headersOf('9', '7'), {
        error: 'post-only mode: only post-only orders and cancels are allowed',
        retry_after_seconds: 119,
      }),
      { code: 'venue_unavailable', retryAfter: 119 },
    ],
  ])('gives the wait of %s', async (_name, reply, expected) => {
    expect((await place(await openWorld({ post: () => reply }))).result).toMatchObject(expected);
  });

  it.each([
    [429, 7],
    [425, 7],
    [503, 7],
    [400, undefined],
    [500, undefined],
  ])('is the wait of an answer that refuses for now alone: %i', (status, wait) => {
    const rateLimit = { remaining: 0, reset: 7, tier: 'standard', warning: false };
    expect(askedWait({ status, retryAfter: undefined, rateLimit, isJson: true, text: '' })).toBe(wait);
  });

  it('gives no wait to an order that it let through', async () => {
    const world = await openWorld({ post: () => limited(400, headersOf('9', '7'), { error: 'invalid signature' }) });
    const { result } = await place(world);
    expect(result).not.toHaveProperty('retryAfter');
  });

  it('is noted with the request that it was told of', async () => {
    const told = Math.floor(Date.now() / 1_000) + 100;
    const world = await openWorld({
      post: (id) => ({ ...accepted(id), headers: headersOf('41.5', String(told)) }),
    });
    const { call } = await place(world);
    expect(call.venueRequests).toMatchObject([
      { name: 'post-order', result: 200, rateLimit: { remaining: 41.5, tier: 'standard' } },
    ]);
    const reset = call.venueRequests[0]?.rateLimit?.reset;
    expect(reset).toBeGreaterThan(90);
    expect(reset).toBeLessThanOrEqual(101);
    expect(call.venueRequests[0]?.rateLimit).not.toHaveProperty('warning');
  });

  it('is warned of in the log, once a minute at most', async () => {
    let clock = 0;
    const warned = await startVenue(() => ({ headers: headersOf('0', '1', 'standard', 'true'), body: {} }));
    const { log, lines } = collectLog();
    const credentials = createCredentialSource(CREDENTIALS, async () => undefined);
    const deps = { clob: createTransport(warned.url), walletAddress: '0x', credentials, log };
    const send = createAccountSender(deps, () => clock);
    const call = () => ({ ...callWithin(), trace: { request_id: 'r-1' } });
    const ask = () => send(() => ({ name: 'post-order', method: 'POST', path: '/order' }), call());
    await ask();
    await ask();
    clock += LIMIT_WARNING_PAUSE_MS - 1;
    await ask();
    expect(lines).toHaveLength(1);
    clock += 1;
    await ask();
    const line = {
      level: 'warn',
      message: 'the venue warns that orders come faster than its rate limit',
      rate_limit: { remaining: 0, reset: 1, tier: 'standard' },
      request_id: 'r-1',
    };
    expect(lines).toMatchObject([line, line]);
  });

  it('is warned of once by the orders of a service that come at once', async () => {
    const headers = headersOf('0', '1', 'standard', 'true');
    const world = await openWorld({ post: (id) => ({ ...accepted(id), headers }) });
    await place(world);
    await place(world);
    expect(world.lines).toMatchObject([{ level: 'warn', rate_limit: { remaining: 0, reset: 1, tier: 'standard' } }]);
  });
});
