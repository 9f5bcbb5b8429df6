import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { createClient } from '../../packages/client/client.ts';
import { VERSION } from '../../shared/version.ts';
import { buildPackage } from '../../tools/package/main.ts';
import { startPaperService } from '../support/service/paper-service.ts';
import { startProgram, WITH_THIS_NODE } from '../support/service/program.ts';
import { startVenue } from '../support/venue/scripted-venue.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const NAME = 'order-book-adapter';
/** The tarball, of which 1.2 MB are the curve, whose tables cannot be compressed. */
const MAX_TARBALL_BYTES = 2_500_000;

const packed = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
]);

let folder = '';
let project = '';
let size = 0;
let files: readonly string[] = [];

const TRADING = { SERVICE_PRIVATE_KEY: '22'.repeat(32), SERVICE_PLACE_ORDER: '1' };

/** An empty project that has the packed service installed. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-package-'));
  project = join(folder, 'project');
  await mkdir(project);
  const outdir = join(folder, 'here');
  await buildPackage(outdir);
  const args = ['pack', outdir, '--json', '--ignore-scripts', '--pack-destination', outdir];
  const [{ filename, ...found }] = packed.parse(JSON.parse((await run('npm', args, { cwd: ROOT })).stdout));
  ({ size } = found);
  files = found.files.map((file) => file.path);
  await writeFile(join(project, 'package.json'), '{}');
  await run('npm', ['install', '--offline', '--ignore-scripts', join(outdir, filename)], { cwd: project });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the installed program in the project. */
function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = join(project, 'node_modules/.bin', NAME);
  return startProgram({ command, args, cwd: project, env: { SERVICE_PORT: '0', TMPDIR: folder, ...env } });
}

describe('the package', () => {
  it('contains programs, documents and licences, and nothing else', async () => {
    const installed = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.entries(installed.packages)).toMatchObject([[`node_modules/${NAME}`, { version: VERSION }]]);
    const kinds = [
      /^server\/(?:start|chunks\/[\w-]+-[A-Z0-9]{8})\.js$/,
      /^server\/chunks\/secp256k1\.wasm$/,
      /^packages\/console\/(?:app\.js|plot\.js|index\.html|style\.css)$/,
      /^(?:packages\/(?:client|console|paper-venue)\/|docs\/|deploy\/)?[\w-]+\.(?:md|png)$/,
      /^deploy\/(?:order-book-adapter\.service|nginx\.conf|kubernetes\.yaml|Caddyfile)$/,
      /^(?:LICENSE|THIRD-PARTY-LICENSES\.txt|\.env\.example|openapi\.json|package\.json)$/,
    ];
    expect(files.filter((file) => !kinds.some((kind) => kind.test(file)))).toStrictEqual([]);
    for (const file of ['server/start.js', 'README.md', 'LICENSE', 'docs/going-live.md']) expect(files).toContain(file);
    expect(size).toBeLessThanOrEqual(MAX_TARBALL_BYTES);
  });

  it('names its own commands, and none of a clone', async () => {
    for (const file of files.filter((name) => /^server\/.*\.js$/.test(name))) {
      const text = await readFile(join(project, 'node_modules', NAME, file), 'utf8');
      expect(text.match(/npm (?:run|start)\b.*|.*\bIn a clone\b.*/g)).toBeNull();
    }
  });

  it('names each package whose code it holds, with its licence', async () => {
    const notices = await readFile(join(project, 'node_modules', NAME, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['express', 'ethers', 'zod', '@aws-sdk/client-secrets-manager'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([A-Z]`, 'm'));
    expect(notices).toMatch(
      /^libsecp256k1, in secp256k1\.wasm \(MIT\)\n\nMIT License\n\nCopyright \(c\) 2013 Pieter Wuille$/m,
    );
    expect(notices).not.toContain('undefined');
  });

  it('trades on paper', async () => {
    const { url, mode, output, stop } = await start(['--paper']);
    expect(mode).toBe('order-placing');
    expect(output.join('\n')).toMatch(/^ {2}desk +SERVICE_PORT=\d+ npx order-book-adapter orders --paper open /m);
    const client = createClient({ baseUrl: url });
    const { items } = await client.markets({ limit: 1 });
    const token_id = items[0]?.outcomes[0]?.token_id ?? '';
    const placed = await client.placeOrder({ token_id, side: 'buy', price: '0.01', size: '5', post_only: true });
    expect(placed.status).toBe('live');
    expect(await stop()).toBe(0);
  });

  it('is read-only without settings, and places orders only with a store that is the same wherever it is started', async () => {
    const readOnly = await start([]);
    expect([readOnly.mode, readOnly.store, await readOnly.stop()]).toStrictEqual(['read-only', null, 0]);
    const { venueUrl } = await startPaperService();
    const settings = { ...TRADING, SERVICE_CLOB_URL: venueUrl, SERVICE_GAMMA_URL: venueUrl };
    await expect(start([], settings)).rejects.toThrow('SERVICE_STORE must be an absolute path');
    await expect(start([], { ...settings, SERVICE_STORE: 'orders.db' })).rejects.toThrow('must be an absolute path');
    const path = join(folder, 'orders.db');
    const { store, stop } = await start([], { ...settings, SERVICE_STORE: path });
    expect(store).toBe(path);
    expect(await stop()).toBe(0);
  });

  it.each([
    ['a container', (url: string) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` })],
    [
      'a web identity',
      (url: string) => ({
        AWS_WEB_IDENTITY_TOKEN_FILE: join(project, 'package.json'),
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/orders',
        AWS_ENDPOINT_URL_STS: url,
      }),
    ],
  ])('reads a table with the credentials of %s, as a pod has them', async (_name, own) => {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const key = { AccessKeyId: 'AKIDPOD', SecretAccessKey: 's', Token: 't', Expiration: expires };
    const sts = `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AKIDPOD</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expires}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
    const { url, seen } = await startVenue(({ path, body }) => {
      if (path === '/credentials') return { body: key };
      return body.includes('AssumeRole')
        ? { body: sts, headers: { 'content-type': 'text/xml' } }
        : { body: { Count: 0 } };
    });
    const { store, stop } = await start([], {
      ...{ ...TRADING, SERVICE_STORE: 'dynamodb:orders' },
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL_DYNAMODB: url,
      ...own(url),
    });
    expect([store, await stop()]).toStrictEqual(['dynamodb:orders', 0]);
    expect(seen.at(-1)?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDPOD\//);
  });

  it('has a doctor that reports a store as the start would', async () => {
    const { url } = await startVenue(() => ({ status: 503 }));
    const env = { ...WITH_THIS_NODE, ...TRADING, SERVICE_CLOB_URL: url, SERVICE_GAMMA_URL: url };
    const doctor = run(join(project, 'node_modules/.bin', NAME), ['doctor'], { cwd: project, env });
    await expect(doctor).rejects.toMatchObject({
      stdout: expect.stringMatching(/^fail {2}start .*SERVICE_STORE must be an absolute path/m),
    });
  });

  it.each([
    ['doctor', 'Checks what keeps the service from placing an order'],
    ['orders', "The operator's desk"],
    ['paper-venue', 'Starts the paper venue'],
    ['--help', 'Order book adapter'],
  ])('has the command %s', async (command, words) => {
    const args = command === '--help' ? [command] : [command, '--help'];
    const { stdout } = await run(join(project, 'node_modules/.bin', NAME), args, { cwd: project, env: WITH_THIS_NODE });
    expect(stdout).toContain(words);
  });
});
