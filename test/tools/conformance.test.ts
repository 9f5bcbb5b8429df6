import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Secret } from '../../shared/secret.ts';
import { type Report, runConformance } from '../../tools/conformance/conform.ts';
import { formatJunit, formatSummary } from '../../tools/conformance/report.ts';
import { evmWallet } from '../../tools/support/client-wallets.ts';
import { CALLER } from '../../tools/support/sigv4.ts';
import type { FetchLike } from '../contract/ask.ts';
import { CHECKS } from '../contract/sections.ts';
import { startIamGateway } from '../support/service/gateway.ts';
import { sharedPaperService, startPaperService } from '../support/service/paper-service.ts';

const agree = async () => true;

/** Returns the checks whose clause begins so. */
function checksOf(...clauses: readonly string[]) {
  return CHECKS.filter(({ clause }) => clauses.some((begin) => clause.startsWith(begin)));
}

const PLACES = checksOf('place one order', 'the rules of the market');

function named({ results }: Report, verdict: 'failed' | 'skipped' | 'passed'): readonly string[] {
  const found = results.filter((result) => result.verdict === verdict);
  return found.map(({ section, clause, reason }) => `${section}: ${clause}: ${reason}`);
}

const service = sharedPaperService();

/** Answers each request whose target begins so with a problem. */
function faultyAt(target: string): FetchLike {
  return async (url, init) => {
    const answer = await fetch(url, init);
    const { pathname } = new URL(url);
    if (!pathname.startsWith(target)) return answer;
    const facts = { type: 'about:blank', title: 'Venue unavailable', status: 503, code: 'venue_unavailable' };
    const problem = { ...facts, detail: 'The venue is away.', request_id: answer.headers.get('x-request-id') };
    const headers = new Headers(answer.headers);
    headers.set('content-type', 'application/problem+json');
    headers.set('retry-after', '5');
    headers.set('cache-control', 'no-store');
    return new Response(`${JSON.stringify(problem)}\n`, { status: 503, headers });
  };
}

describe('the suite', () => {
  it('skips the orders of a read-only service', async () => {
    const { url } = await startPaperService({ SERVICE_PLACE_ORDER: '', SERVICE_PRIVATE_KEY: '' });
    const checks = [...PLACES, ...checksOf('are disabled in')];
    const report = await runConformance({ baseUrl: url, checks, confirmOrders: agree });
    expect([named(report, 'failed'), named(report, 'passed').length]).toStrictEqual([[], 1]);
    expect(formatSummary(report)).toContain('The service is read-only.');
  });

  it('checks the key of a service that lists its clients with one of them', async () => {
    const [listed, foreign] = ['7', '8'].map((digit) => new Secret(`0x${digit.repeat(64)}`));
    const { url } = await startPaperService({
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_ALLOWED_CLIENTS: evmWallet('7').address,
    });
    const checks = checksOf('have an EVM', 'are 404 for an unknown token, h');
    for (const [clientKey, failed, isKeyUnchecked] of [
      [undefined, 0, true],
      [listed, 0, false],
      [foreign, 2, true],
    ] as const) {
      const report = await runConformance({ baseUrl: url, checks, clientKey });
      expect([named(report, 'failed').length, report.isKeyUnchecked]).toStrictEqual([failed, isKeyUnchecked]);
      expect(formatSummary(report).includes('give --client-key-file')).toBe(isKeyUnchecked);
    }
  });

  it('places nothing without consent to the cost', async () => {
    const { url, venue } = service();
    const costs: string[] = [];
    const refuse = async (cost: string) => costs.push(cost) < 0;
    const report = await runConformance({ baseUrl: url, checks: PLACES, confirmOrders: refuse });
    expect(costs).toStrictEqual([expect.stringContaining('buy 5 shares at 0.01,\npost-only, 0.05 in collateral')]);
    const reasons = report.results.map(({ reason }) => reason);
    expect(new Set(reasons)).toStrictEqual(new Set(['orders were not asked for']));
    expect(venue.requests().filter(({ path }) => path === '/order')).toStrictEqual([]);
  });

  it.each([
    ['http://127.0.0.1:1', undefined, 'fetch failed'],
    [undefined, async () => Response.json({}), 'does not end with a newline'],
    [undefined, faultyAt('/v1/markets'), /^the markets cannot be read: 503 venue_unavailable: The venue is away\.$/],
  ])('reports an error, and no result, without a service: %s', async (baseUrl, fetchLike, sentence) => {
    const options = { baseUrl: baseUrl ?? service().url, ...(fetchLike && { fetch: fetchLike }) };
    await expect(runConformance(options)).rejects.toThrow(sentence);
  });
});

describe('behind a gateway that keeps orders back', () => {
  const unauthorised: FetchLike = async (target, init) =>
    init.method === 'POST' ? Response.json({ message: 'Unauthorized' }, { status: 401 }) : fetch(target, init);

  it('the suite says how they are checked, and places none', async () => {
    const { url } = await startIamGateway(service().url);
    const sign = { region: 'eu-west-2', credentials: CALLER };
    for (const [options, reason] of [
      [{ edge: 'gateway' }, 'The gateway takes only orders that are signed with AWS credentials: use --sign.'],
      [{ sign }, 'The gateway refused the signature'],
      [{ edge: 'gateway', fetch: unauthorised }, 'only with a token of its issuer: use --token-file'],
      [{ token: 'x.y.z', fetch: unauthorised }, 'check its issuer, audience, scopes and expiry'],
    ] as const) {
      const run = { baseUrl: url, checks: checksOf('are at most 16384', 'another path'), ...options };
      const report = await runConformance(run);
      expect([named(report, 'failed'), named(report, 'passed').length]).toStrictEqual([[], 1]);
      expect(named(report, 'skipped')).toStrictEqual([expect.stringContaining(reason)]);
      await expect(runConformance({ ...run, confirmOrders: agree })).rejects.toThrow(reason);
    }
  });
});

type Change = (response: Response, text: string) => Response;

/** Changes answers to requests whose method and target match. */
function spoil(changes: readonly (readonly [check: string, RegExp, Change])[]): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { pathname, search } = new URL(url);
    const found = changes.find(([, pattern]) => pattern.test(`${init.method} ${pathname}${search}`));
    return found ? found[2](response, await response.text()) : response;
  };
}

const list = z.array(z.unknown());

function withBody(change: (body: Record<string, unknown>) => unknown): Change {
  return ({ status, headers }, text) =>
    new Response(`${JSON.stringify(change(JSON.parse(text)))}\n`, { status, headers });
}

function withHeader(name: string, value: string | null): Change {
  return ({ status, headers }, text) => {
    const changed = new Headers(headers);
    if (value === null) changed.delete(name);
    else changed.set(name, value);
    return new Response(text === '' ? null : text, { status, headers: changed });
  };
}

/** Answers that break a check each. */
const BREACHES: readonly (readonly [check: string, RegExp, Change])[] = [
  [
    'refuses a query',
    /\/book\/\d+\?/,
    withBody((problem) => ({ ...problem, errors: list.parse(problem['errors']).slice(1) })),
  ],
  ['is 304 while the ETag is current', /GET .*\/book\/\d{60,}$/, withHeader('etag', null)],
  ['another path is 404', /GET \/v2\/markets/, () => Response.json({ message: 'Unavailable' }, { status: 503 })],
  ['refuse a parameter', /\?limt=5$/, withBody((problem) => ({ ...problem, next: 'an undocumented member' }))],
  ['says what the service is', /GET \/health\?/, withBody(({ venue, ...health }) => health)],
  ['are 20 by default', /\/v1\/markets$/, withHeader('content-type', 'text/plain')],
];

describe('a breach of the contract', () => {
  it('is found by the check of its clause', async () => {
    const checks = checksOf(...BREACHES.map(([check]) => check));
    const report = await runConformance({ baseUrl: service().url, checks, fetch: spoil(BREACHES) });
    expect(named(report, 'failed')).toHaveLength(BREACHES.length);
  });

  const other = withBody((body) => ({ ...body, wallet_address: `0x${'0'.repeat(40)}` }));

  /** Forgets the key of all orders, or of one. */
  function forgetting(only?: number): FetchLike {
    let sent = 0;
    return (target, init) => {
      const headers = new Headers(init.headers);
      if (headers.has('idempotency-key') && !String(init.body).includes('"token_id":"1"')) sent += 1;
      if (only === undefined || sent === only) headers.delete('idempotency-key');
      return fetch(target, { ...init, headers });
    };
  }

  it.each([
    ['an adapter forgets the key of one order', forgetting(), 'keys: place one order'],
    ['an adapter forgets the key of a simultaneous repeat', forgetting(2), 'two answers under one key are first ones'],
    ['health names another wallet than orders', spoil([['', /GET \/health$/, other]]), 'health names another wallet'],
  ])('is found if %s', async (_what, fetchSpoiled, sentence) => {
    const options = { baseUrl: service().url, checks: checksOf('place one order'), fetch: fetchSpoiled };
    const report = await runConformance({ ...options, confirmOrders: agree });
    expect(named(report, 'failed')).toStrictEqual([expect.stringContaining(sentence)]);
  });
});

describe('a red run', () => {
  it.each([
    ['the first 5xx', faultyAt('/v1/orders'), 'The first fault: orders 503 venue_unavailable: The venue is away.\n'],
    ['else the first failed check', spoil(BREACHES.slice(2, 3)), /The first fault: everywhere: .* 503/],
  ])('says at its end %s', async (_what, fetchLike, sentence) => {
    const checks = checksOf('another path is 404', 'are 404 for an unknown token, h');
    const summary = formatSummary(await runConformance({ baseUrl: service().url, checks, fetch: fetchLike }));
    expect(summary).toMatch(sentence);
  });
});

it('the reports for CI are well-formed XML', () => {
  const rest = { mode: 'read-only', passed: false, isKeyUnchecked: false, unseen: [] } as const;
  const results = [
    { section: 'book', clause: 'is <good>', verdict: 'passed', milliseconds: 1_500 },
    { section: 'book', clause: 'is bad', verdict: 'failed', reason: 'a "quote" & \u0000', milliseconds: 2 },
    { section: 'orders', clause: 'are left', verdict: 'skipped', reason: 'slow', milliseconds: 0 },
  ] as const;
  for (const part of [
    '<testcase classname="book" name="is &lt;good&gt;" time="1.5"/>',
    '<failure message="a &quot;quote&quot; &amp; ?"/>',
    'tests="3" failures="1" skipped="1" time="1.502"',
  ]) {
    expect(formatJunit({ ...rest, results })).toContain(part);
  }
});
