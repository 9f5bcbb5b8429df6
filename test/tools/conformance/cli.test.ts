import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formatJunit, formatResult, formatSummary } from '../../../tools/conformance/report.ts';
import type { Report } from '../../../tools/conformance/suite.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { AWS_VARIABLES, REGION } from '../../../tools/support/sigv4.ts';
import { startIamGateway, startTokenGateway } from '../../support/service/gateway.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { startScriptedService } from '../../support/service/scripted-service.ts';
import { startTokenIssuer } from '../../support/service/token-issuer.ts';

const MAIN = join(import.meta.dirname, '../../../tools/conformance/main.ts');

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
    expect(await readFile(junit, 'utf8')).toContain(
      '<testsuite name="conformance" tests="35" failures="0" skipped="6"',
    );
    await rm(folder, { recursive: true });
  });

  it('exits with 1 for a service that does not conform', async () => {
    const { url } = await startPaperService({ SERVICE_MAX_ORDER_NOTIONAL: '0.04' });
    // The cap is none of the document's business: the suite cannot place its order, and says so.
    const { code, stdout } = await run('--url', url, '--quick', '--orders', '--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}placing: .*\n.*order_above_cap/);
  });

  it('signs with the credentials of the environment', async () => {
    const { url: serviceUrl, venue } = await startPaperService();
    const { url } = await startIamGateway(serviceUrl);
    const orders = ['--url', url, '--quick', '--orders', '--yes'] as const;
    expect(await run(...orders, '--sign', '--region', REGION)).toMatchObject({ code: 0, stderr: '' });
    expect(venue.orders()).toHaveLength(1);
    const nowhere = await run(...orders, '--sign');
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--url does not name its region: give --region, too.\n'),
    });
  });

  it("sends a login's token from a file", async () => {
    const issuer = await startTokenIssuer();
    const { url } = await startTokenGateway(issuer, () => startPaperService());
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    const file = join(folder, 'token');
    const { access_token: token } = JSON.parse(await (await fetch(`${issuer.url}/token`, { method: 'POST' })).text());
    const orders = ['--url', url, '--quick', '--orders', '--yes'] as const;
    await writeFile(file, `${token}\n`);
    expect(await run(...orders, '--token-file', file)).toMatchObject({ code: 0, stderr: '' });
    await writeFile(file, 'x.y.z');
    const wrong = { code: 2, stderr: expect.stringContaining('check its issuer, audience, scopes and expiry') };
    expect(await run(...orders, '--token-file', file)).toMatchObject(wrong);
    await rm(folder, { recursive: true });
  });

  it('exits with 2 without a service, a market or consent', async () => {
    const { url: other } = await startScriptedService([{ status: 200, body: {} }]);
    const { url, venue } = await startPaperService();
    const [none, wrong, unasked, unused] = [
      await run('--url', 'http://127.0.0.1:1'),
      await run('--url', other),
      await run('--url', url, '--orders', '--quick'),
      await run('--quick'),
    ];
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('fetch failed') });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('is not documented') });
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('give --yes to agree') });
    expect(unused).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: npm run conformance') });
    expect(venue.orders()).toStrictEqual([]);
  });

  it('gives up a service that takes a connection and says nothing', async () => {
    const silent = createServer(() => undefined);
    const ended = await run('--url', await listenOnLoopback(silent));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('no answer in 11 s') });
    silent.close();
  });
});

describe('the reports', () => {
  const report: Report = {
    mode: 'read-only',
    results: [
      { group: 'book', name: 'is <good>', verdict: 'passed', milliseconds: 1_500 },
      { group: 'book', name: 'is bad', verdict: 'failed', reason: 'a "quote" & \u0000', milliseconds: 2 },
      { group: 'orders', name: 'are left', verdict: 'skipped', reason: 'slow', milliseconds: 0 },
    ],
    passed: false,
    unseen: ['health 500 internal_error'],
  };

  it('are a table', () => {
    const table = [...report.results.map(formatResult), formatSummary(report)].join('');
    expect(table.replaceAll(/ {3,}/g, '  ')).toBe(
      [
        'ok  book: is <good>  1500 ms',
        'FAIL  book: is bad  2 ms',
        '  a "quote" & \u0000',
        'skip  orders: are left  (slow)',
        '',
        '1 passed, 1 failed, 1 skipped.',
        '1 documented answers were not provoked; most of them only the venue or the operator can provoke.',
        'The service is read-only.',
        '',
      ].join('\n'),
    );
  });

  it('are well-formed XML', () => {
    expect(formatJunit(report)).toContain('<testcase classname="book" name="is &lt;good&gt;" time="1.5"/>');
    expect(formatJunit(report)).toContain('<failure message="a &quot;quote&quot; &amp; ?"/>');
    expect(formatJunit(report)).toContain('tests="3" failures="1" skipped="1" time="1.502"');
  });
});
