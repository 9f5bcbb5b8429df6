import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { describeInChromium, openPage } from '../support/page/chromium.ts';
import { bundleClient } from '../support/page/client-bundle.ts';
import { startSite } from '../support/page/static-site.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEFAULT_URL = 'http://127.0.0.1:8080';
const run = promisify(execFile);

const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** The code under a heading of the README, with the address of the service in the place of the default one. */
async function example(heading: string, url: string): Promise<string> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, section] = readme.split(`\n### ${heading}\n`);
  const code = /```\w+\n(.*?)```/s.exec(section ?? '')?.[1];
  if (!code?.includes(DEFAULT_URL)) throw new Error(`README.md has no example under "${heading}".`);
  return code.replaceAll(DEFAULT_URL, url);
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'readme-example-'));
  folders.push(path);
  return path;
}

/** A project that has the client installed. */
async function project(): Promise<string> {
  const path = await folder();
  const installed = join(path, 'node_modules/order-book-adapter-client');
  await mkdir(join(installed, 'build'), { recursive: true });
  await cp(join(ROOT, 'client/package.json'), join(installed, 'package.json'));
  await writeFile(join(installed, 'build/client.js'), await bundleClient());
  return path;
}

function has(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

const SMALLEST_ORDER = { side: 'BUY', price: '0.01', original_size: '5', post_only: true };
const PYTHON = has('python3', '--version');
if (!PYTHON) process.stderr.write('SKIPPED: the README’s Python example: python3 is not installed.\n');

describe('the README’s example', () => {
  it('for curl works', async () => {
    const { url, venue } = await startPaperService();
    const { stdout } = await run('sh', ['-euc', await example('curl', url)]);
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toContain('"bids":[');
    expect(stdout).toContain(`{"order_id":"${venue.orders()[0]?.id}","status":"live"`);
  });

  it('for Node works', async () => {
    const { url, venue } = await startPaperService();
    const path = await project();
    await writeFile(join(path, 'example.mjs'), await example('Node, with the typed client', url));
    const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: path });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toBe(`${venue.orders()[0]?.id} live\n`);
  });

  (PYTHON ? it : it.skip)('for Python works', async () => {
    const { url, venue } = await startPaperService();
    // Where `requests` is missing, the example runs on a stand-in with the same calls.
    const standIn = has('python3', '-c', 'import requests')
      ? {}
      : { PYTHONPATH: join(import.meta.dirname, 'stand-in') };
    const path = join(await folder(), 'example.py');
    await writeFile(path, await example('Python', url));
    const env = { ...process.env, ...standIn, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run('python3', [path], { env });
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    expect(stdout).toBe(`${venue.orders()[0]?.id} live\n`);
  });
});

describeInChromium('the README’s example for a browser', () => {
  it('works', async () => {
    const { origin, serve } = await startSite({ '/client.js': await bundleClient() });
    const { url, venue } = await startPaperService({ SERVICE_CORS_ORIGINS: origin });
    serve('/', await example('A browser', url));
    const page = await openPage();
    await page.goto(origin);
    await page.click('button:has-text("Buy 5 at 0.01")');
    await page.waitForSelector('output:has-text("live")');
    expect(venue.orders()).toMatchObject([SMALLEST_ORDER]);
    await page.close();
  });
});
