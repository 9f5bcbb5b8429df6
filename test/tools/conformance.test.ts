import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Secret } from '../../shared/secret.ts';
import { type Report, runConformance } from '../../tools/conformance/conform.ts';
import { formatJunit, formatSummary } from '../../tools/conformance/report.ts';
import { regionOf } from '../../tools/conformance/signed-fetch.ts';
import { evmWallet } from '../../tools/support/client-wallets.ts';
import { AWS_VARIABLES, CALLER, REGION } from '../../tools/support/sigv4.ts';
import type { FetchLike } from '../contract/ask.ts';
import { CLIENTS } from '../contract/clients.ts';
import { EVERYWHERE } from '../contract/everywhere.ts';
import { KEYS } from '../contract/keys.ts';
import { ORDERS } from '../contract/orders.ts';
import { CHECKS } from '../contract/sections.ts';
import { startIamGateway, startTokenGateway, startTokenIssuer } from '../support/service/gateway.ts';
import { sharedPaperService, startPaperService } from '../support/service/paper-service.ts';
import { startScriptedService } from '../support/service/scripted-service.ts';

const agree = async () => true;
const QUICK = { quick: true, confirmOrders: agree } as const;

function named({ results }: Report, verdict: 'failed' | 'skipped'): readonly string[] {
  const found = results.filter((result) => result.verdict === verdict);
  return found.map(({ section, clause, reason }) => `${section}: ${clause}: ${reason}`);
}

describe('a service that keeps the contract', () => {
  it('passes where it is read-only', async () => {
    const { url } = await startPaperService({ SERVICE_PLACE_ORDER: '', SERVICE_PRIVATE_KEY: '' });
    const report = await runConformance({ baseUrl: url, ...QUICK });
    expect(named(report, 'failed')).toStrictEqual([]);
    expect(report.results.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(20);
  });

  it('passes where it lists its clients, and checks its key with one of them', async () => {
    const [key, foreignKey] = ['7', '8'].map((digit) => new Secret(`0x${digit.repeat(64)}`));
    const { url } = await startPaperService({
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_ALLOWED_CLIENTS: evmWallet('7').address,
    });
    const checks = [...CLIENTS, ...ORDERS.filter(({ clause }) => clause.startsWith('are 404'))];
    const check = (clientKey?: Secret) => runConformance({ baseUrl: url, checks, clientKey });
    const [unlisted, listed, foreign] = [await check(), await check(key), await check(foreignKey)];
    for (const report of [unlisted, listed]) expect(named(report, 'failed')).toStrictEqual([]);
    expect([unlisted, listed].map(({ isKeyUnchecked }) => isKeyUnchecked)).toStrictEqual([true, false]);
    expect(formatSummary(unlisted)).toContain('give --client-key-file');
    expect(named(foreign, 'failed')).not.toStrictEqual([]);
  });

  it('places nothing without consent to the cost', async () => {
    const { url, venue } = await startPaperService();
    const costs: string[] = [];
    const refuse = async (cost: string) => costs.push(cost) < 0;
    const report = await runConformance({ baseUrl: url, checks: [...KEYS, ...ORDERS], confirmOrders: refuse });
    expect(costs).toStrictEqual([expect.stringContaining('buy 5 shares at 0.01,\npost-only, 0.05 in collateral')]);
    expect(named(report, 'skipped')).toContainEqual(
      expect.stringMatching(/the rules of the market.*were not asked for$/),
    );
    expect(venue.requests().filter(({ path }) => path === '/order')).toStrictEqual([]);
  });
});

describe('behind a gateway that takes only signed orders', () => {
  it('the suite checks the reads when it does not sign, and says how the orders are checked', async () => {
    const { url: serviceUrl, venue } = await startPaperService();
    const { url } = await startIamGateway(serviceUrl);
    const unsigned = { baseUrl: url, edge: 'gateway', checks: [...EVERYWHERE, ...ORDERS] } as const;
    const report = await runConformance(unsigned);
    expect(named(report, 'failed')).toStrictEqual([]);
    const reason = 'The gateway takes only orders that are signed with AWS credentials: use --sign.';
    expect(named(report, 'skipped')).toContain(`orders: are at most 16384 bytes: ${reason}`);
    await expect(runConformance({ ...unsigned, confirmOrders: agree })).rejects.toThrow(reason);
    expect(venue.orders()).toStrictEqual([]);
  });

  it('the suite says that it was refused, with another region', async () => {
    const { url: serviceUrl } = await startPaperService();
    const { url } = await startIamGateway(serviceUrl);
    const wrong = { region: 'eu-west-2', credentials: CALLER };
    const run = runConformance({ baseUrl: url, sign: wrong, quick: true, confirmOrders: agree });
    await expect(run).rejects.toThrow('The gateway refused the signature');
  });

  it('the suite says that it has no token, where a token is wanted', async () => {
    const { url } = await startPaperService();
    const unauthorised: FetchLike = async (target, init) =>
      init.method === 'POST' && target.includes('/v1/orders')
        ? Response.json({ message: 'Unauthorized' }, { status: 401 })
        : fetch(target, init);
    const report = await runConformance({ baseUrl: url, edge: 'gateway', checks: ORDERS, fetch: unauthorised });
    expect(named(report, 'failed')).toStrictEqual([]);
    expect(named(report, 'skipped')).toContainEqual(
      expect.stringContaining('only with a token of its issuer: use --token-file'),
    );
  });

  it('derives the region from the address', () => {
    expect(regionOf('https://abc.execute-api.eu-west-1.amazonaws.com')).toBe('eu-west-1');
    expect(regionOf('https://abc.execute-api.cn-north-1.amazonaws.com.cn')).toBe('cn-north-1');
    expect(regionOf('https://orders.example')).toBeUndefined();
    expect(regionOf('https://abc.execute-api.eu-west-1.amazonaws.com.example')).toBeUndefined();
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

function withBody(change: (body: Record<string, unknown>) => unknown) {
  return ({ status, headers }: Response, text: string) =>
    new Response(`${JSON.stringify(change(JSON.parse(text)))}\n`, { status, headers });
}

function withHeader(name: string, value: string | null) {
  return ({ status, headers }: Response, text: string) => {
    const changed = new Headers(headers);
    if (value === null) changed.delete(name);
    else changed.set(name, value);
    return new Response(text === '' ? null : text, { status, headers: changed });
  };
}

/** Answers that only a gateway gives, from a service that has none before it. */
function ofGateway(status: number) {
  return () => Response.json({ message: 'Service Unavailable' }, { status });
}

function withStatus(status: number) {
  return ({ headers }: Response, text: string) => new Response(text, { status, headers });
}

describe('a breach of the contract', () => {
  const service = sharedPaperService();
  const verifying = sharedPaperService({ SERVICE_CLIENT_VERIFICATION: 'required' });

  async function failuresWith(fetchLike: FetchLike, checks = CHECKS, baseUrl = service().url) {
    return named(await runConformance({ baseUrl, checks, fetch: fetchLike, ...(checks === KEYS && QUICK) }), 'failed');
  }

  it('is found in answers to reads, and those of the checks before them', async () => {
    const changes: Parameters<typeof spoil>[0] = [
      [
        'has the best prices first',
        /GET .*\/book\/\d{60,}\?/,
        withBody((book) => ({ ...book, bids: list.parse(book['bids']).toReversed() })),
      ],
      ['is 304 while the ETag is current', /GET .*\/book\/\d{60,}$/, withHeader('etag', null)],
      ['is 404 for an unknown token', /GET .*\/book\/1$/, withStatus(400)],
      ['another path is 404', /GET \/v2\/markets/, ofGateway(503)],
      [
        'wants a token id in canonical form',
        /GET .*\/book\/01$/,
        withBody((problem) => ({ ...problem, errors: [{ field: 'id', detail: '' }] })),
      ],
      ['want one limit', /limit=05$/, withBody((problem) => ({ ...problem, code: 'unknown_token' }))],
      [
        'come most traded first',
        /limit=100$/,
        withBody((markets) => ({ ...markets, items: list.parse(markets['items']).toReversed() })),
      ],
      ['never more than the limit', /limit=500$/, withBody((list) => ({ ...list, next: 'an undocumented member' }))],
      ['says what the service is', /GET \/health\?/, withBody(({ venue, ...health }) => health)],
      ['only listed ones health', /GET \/health$/, withHeader('access-control-allow-origin', '*')],
      ['another method is 405', /DELETE/, withHeader('allow', 'GET')],
      ['OPTIONS without Origin', /OPTIONS/, withHeader('x-request-id', null)],
      ['are 20 by default', /\/v1\/markets$/, withHeader('content-type', 'text/plain')],
      ['HEAD is GET', /HEAD \/health/, withHeader('cache-control', null)],
      ['are at most 16384 bytes', /POST \/v1\/orders/, withBody((problem) => ({ ...problem, status: 400 }))],
    ];
    const reads = CHECKS.filter(({ section, clause }) => section !== 'orders' || clause.startsWith('are at most'));
    const failed = await failuresWith(spoil(changes), reads);
    for (const [check] of changes) expect(failed).toContainEqual(expect.stringContaining(check));
  });

  it('is found where clients are verified', async () => {
    const spoiled = withBody(({ challenge, ...problem }) => ({
      ...problem,
      challenge: `${challenge}\n`,
      code: 'client_signature_required',
    }));
    const fetchSpoiled: FetchLike = async (target, init) => {
      const response = await fetch(target, init);
      return response.status === 401 ? spoiled(response, await response.text()) : response;
    };
    const failed = await failuresWith(fetchSpoiled, CLIENTS, verifying().url);
    for (const check of ['are told the text to sign', 'are refused for any other signature']) {
      expect(failed).toContainEqual(expect.stringContaining(check));
    }
  });

  it.each([
    ['one order', 0, 'place one order'],
    ['a repeat that comes at the same time', 2, 'two answers under one key are first ones'],
  ])('is found where an adapter forgets the key of %s', async (_what, only, failure) => {
    const { url } = await startPaperService();
    let sent = 0;
    const forgetful: FetchLike = (target, init) => {
      const headers = new Headers(init.headers);
      if (headers.has('idempotency-key') && !String(init.body).includes('"token_id":"1"')) sent += 1;
      if (only === 0 || sent === only) headers.delete('idempotency-key');
      return fetch(target, { ...init, headers });
    };
    expect(await failuresWith(forgetful, KEYS, url)).toContainEqual(expect.stringContaining(failure));
  });

  it('is found where health names another wallet than orders do', async () => {
    const other = withBody((body) => ({ ...body, wallet_address: `0x${'0'.repeat(40)}` }));
    const failed = await failuresWith(spoil([['', /GET \/health$/, other]]), KEYS);
    expect(failed).toStrictEqual([expect.stringContaining('health names another wallet')]);
  });
});

const MAIN = join(import.meta.dirname, '../../tools/conformance/main.ts');

function run(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const env = { ...process.env, ...AWS_VARIABLES };
  execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}

describe('the command', () => {
  it('exits with 0 for a service that conforms, and writes what CI reads', async () => {
    const { url, venue } = await startPaperService();
    const folder = await mkdtemp(join(tmpdir(), 'junit-'));
    const junit = join(folder, 'results.xml');
    const { code, stdout } = await run('--url', `${url}/`, '--quick', '--orders', '--yes', '--junit', junit);
    expect([code, venue.orders().length]).toStrictEqual([0, 1]);
    expect(stdout).toMatch(/^One order will rest on the book until you cancel it at the venue: buy 5 shares at 0.01,/);
    expect(stdout).toContain('0 failed');
    expect(await readFile(junit, 'utf8')).toMatch(
      /<testsuite name="conformance" tests="\d+" failures="0" skipped="\d+"/,
    );
    await rm(folder, { recursive: true });
  });

  it('exits with 1 for a service that does not conform', async () => {
    const { url } = await startPaperService({ SERVICE_MAX_ORDER_NOTIONAL: '0.04' });
    // The cap is none of the document's business: the suite cannot place its order, and says so.
    const { code, stdout } = await run('--url', url, '--quick', '--orders', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}keys: .*\n.*order_above_cap/);
  });

  it('signs with the credentials of the environment', async () => {
    const { url: serviceUrl, venue } = await startPaperService();
    const { url, throttle } = await startIamGateway(serviceUrl);
    throttle(1);
    const ended = await run('--url', url, '--quick', '--orders', '--yes', '--sign', '--region', REGION);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(venue.orders()).toHaveLength(1);
  });

  it("sends a login's token from a file", async () => {
    const issuer = await startTokenIssuer();
    const { url } = await startTokenGateway(issuer, () => startPaperService());
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    const file = join(folder, 'token');
    const { access_token: token } = JSON.parse(await (await fetch(`${issuer.url}/token`, { method: 'POST' })).text());
    await writeFile(file, `${token}\n`);
    const ended = await run('--url', url, '--quick', '--orders', '--yes', '--token-file', file);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const wrong = runConformance({ baseUrl: url, token: 'x.y.z', quick: true, confirmOrders: agree });
    await expect(wrong).rejects.toThrow('check its issuer, audience, scopes and expiry');
    await rm(folder, { recursive: true });
  });

  it('exits with 2 without a service, a market or consent', async () => {
    const { url: other } = await startScriptedService([{ status: 200, body: {} }]);
    const { url, venue } = await startPaperService();
    await expect(runConformance({ baseUrl: 'http://127.0.0.1:1' })).rejects.toThrow('fetch failed');
    await expect(runConformance({ baseUrl: other })).rejects.toThrow('does not end with a newline');
    const unasked = await run('--url', url, '--orders', '--quick');
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('give --yes to agree') });
    expect(venue.orders()).toStrictEqual([]);
  });
});

describe('the reports', () => {
  const report: Report = {
    mode: 'read-only',
    results: [
      { section: 'book', clause: 'is <good>', verdict: 'passed', milliseconds: 1_500 },
      { section: 'book', clause: 'is bad', verdict: 'failed', reason: 'a "quote" & \u0000', milliseconds: 2 },
      { section: 'orders', clause: 'are left', verdict: 'skipped', reason: 'slow', milliseconds: 0 },
    ],
    passed: false,
    isKeyUnchecked: false,
    unseen: ['health 500 internal_error'],
  };

  it('are well-formed XML', () => {
    expect(formatJunit(report)).toContain('<testcase classname="book" name="is &lt;good&gt;" time="1.5"/>');
    expect(formatJunit(report)).toContain('<failure message="a &quot;quote&quot; &amp; ?"/>');
    expect(formatJunit(report)).toContain('tests="3" failures="1" skipped="1" time="1.502"');
  });
});
