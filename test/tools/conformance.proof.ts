import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AWS_VARIABLES, REGION } from '../../tools/support/sigv4.ts';
import { startIamGateway, startTokenGateway, startTokenIssuer } from '../support/service/gateway.ts';
import { startPaperService } from '../support/service/paper-service.ts';

// What the command finds is tested beside it, in conformance.test.ts.

const MAIN = join(import.meta.dirname, '../../tools/conformance/main.ts');

function run(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  const options = { env: { ...process.env, ...AWS_VARIABLES } };
  execFile(process.execPath, [MAIN, '--quick', '--orders', ...args], options, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}

describe('the command', () => {
  it('exits with 0 for a service that conforms, signs for it, and writes what CI reads', async () => {
    const { url: serviceUrl, venue } = await startPaperService();
    const { url, throttle } = await startIamGateway(serviceUrl);
    throttle(1);
    const folder = await mkdtemp(join(tmpdir(), 'junit-'));
    const junit = join(folder, 'results.xml');
    const ended = await run('--url', `${url}/`, '--yes', '--sign', '--region', REGION, '--junit', junit);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(venue.orders()).toHaveLength(1);
    expect(ended.stdout).toMatch(/^One order will rest on the book until you cancel it at the venue: buy 5 shares/);
    expect(ended.stdout).toContain('0 failed');
    const suite = /<testsuite name="conformance" tests="\d+" failures="0" skipped="\d+"/;
    expect(await readFile(junit, 'utf8')).toMatch(suite);
    await rm(folder, { recursive: true });
  });

  it('exits with 1 for a service that does not conform, behind a login whose token is in a file', async () => {
    const issuer = await startTokenIssuer();
    // The cap is none of the document's business: the suite cannot place its order, and says so.
    const { url } = await startTokenGateway(issuer, () => startPaperService({ SERVICE_MAX_ORDER_NOTIONAL: '0.04' }));
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    const file = join(folder, 'token');
    const { access_token: token } = JSON.parse(await (await fetch(`${issuer.url}/token`, { method: 'POST' })).text());
    await writeFile(file, `${token}\n`);
    const { code, stdout } = await run('--url', url, '--yes', '--token-file', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL {2}keys: .*\n.*order_above_cap/);
    await rm(folder, { recursive: true });
  });

  it('exits with 2 where nobody can be asked for consent', async () => {
    const stderr = expect.stringContaining('give --yes to agree');
    expect(await run('--url', (await startPaperService()).url)).toMatchObject({ code: 2, stderr });
  });
});
