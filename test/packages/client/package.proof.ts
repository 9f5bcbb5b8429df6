import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPaperService } from '../../support/service/paper-service.ts';
import { startScriptedService } from '../../support/service/scripted-service.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const CLIENT = join(ROOT, 'packages/client');
const NAME = 'order-book-adapter-client';
/** The most that a page loads. */
const MAX_BYTES = 14.8 * 1024;
/** The Node that runs the tests, and one of the system, if there is one; callers may use Node 20. */
const NODES = [process.execPath, ...['/usr/local/bin/node', '/usr/bin/node'].filter((path) => existsSync(path))];

let project = '';

/** An empty project that has the packed client installed. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'client-package-'));
  await run('npm', ['run', '--silent', 'build:client'], { cwd: ROOT });
  const { stdout: tarball } = await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: CLIENT });
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--ignore-scripts', tarball.trim()], { cwd: project });
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe('the packed client', () => {
  it('installs as one package of at most 14.8 KB, with the licence, for Nodes that have AbortSignal.any', async () => {
    const installed = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.keys(installed.packages)).toStrictEqual([`node_modules/${NAME}`]);
    const inPackage = (path: string) => join(project, 'node_modules', NAME, path);
    const { engines } = JSON.parse(await readFile(inPackage('package.json'), 'utf8'));
    expect(engines).toStrictEqual({ node: '>=20.3' });
    expect(await readFile(inPackage('LICENSE'), 'utf8')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
    expect((await stat(inPackage('build/client.js'))).size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('can be loaded with require()', async () => {
    const script = `console.log(typeof require('${NAME}').createClient)`;
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: project });
    expect(stdout).toBe('function\n');
  });

  it.each(NODES)('ends an attempt in time in %s', async (node) => {
    const { url } = await startScriptedService(['silence']);
    // Garbage is collected all the time: a limit that nothing holds would go with it.
    const script = `
      import { createClient } from '${NAME}';
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = () => timeout(500);
      setInterval(gc, 50);
      setTimeout(() => process.exit(1), 20_000);
      const { signal } = new AbortController();
      const error = await createClient({ baseUrl: '${url}' }).book('1', { signal }).catch((thrown) => thrown);
      console.log(error.code);
      process.exit();`;
    const { stdout } = await run(node, ['--expose-gc', '--input-type=module', '-e', script], { cwd: project });
    expect(stdout).toBe('network_error\n');
  });

  it.each(NODES)('runs the example of its README in %s', async (node) => {
    const { url, venue } = await startPaperService();
    const readme = await readFile(join(project, 'node_modules', NAME, 'README.md'), 'utf8');
    const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
    await writeFile(join(project, 'example.js'), example.replace('http://127.0.0.1:8080', url));
    const { stdout } = await run(node, ['example.js'], { cwd: project });
    expect(stdout).toBe(`${venue.orders()[0]?.id} live\n`);
  });

  it('has types that compile in a strict project, and reject a wrong order', async () => {
    const source = `
      import { createClient, OrderBookError, type OrderRequest, roundToTick } from '${NAME}';
      import { type OrderEvent, verifyEvent } from '${NAME}';
      const client = createClient({ baseUrl: 'http://127.0.0.1:8080', wallet: undefined, fetch: undefined });
      const order: OrderRequest = { token_id: '1', side: 'buy', price: '0.5', size: 5 };
      const { status } = await client.placeOrder(order, { signal: AbortSignal.timeout(1) });
      // @ts-expect-error a direction that does not exist
      export const price: string = roundToTick(0.5, '0.01', 'floor');
      // @ts-expect-error a watch that nothing could end
      await client.watchBook('1', () => {}, {});
      export const isLive: boolean = status === 'live';
      export const tick = (error: unknown): string | undefined =>
        error instanceof OrderBookError && error.code === 'price_off_tick' ? error.facts.tick_size : undefined;
      // @ts-expect-error a side that does not exist
      await client.placeOrder({ ...order, side: 'hold' });
      // @ts-expect-error a member that does not exist
      await client.placeOrder({ ...order, post_onl: true });
      export const POST = async (got: Request) => verifyEvent(await got.text(), got.headers, 'whsec_…');
      export const told = ({ type, data }: OrderEvent): string => (type === 'order.unreadable' ? '' : data.filled_size);
      // @ts-expect-error a value that an unreadable row does not have
      export const value = ({ data }: OrderEvent): string => data.value;
      // @ts-expect-error a code that does not exist
      export const never = (error: OrderBookError): boolean => error.code === 'price_of_tick';
    `;
    await writeFile(join(project, 'use.ts'), source);
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      ignoreDeprecations: '6.0',
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      // Those of TypeScript itself: the client's are checked.
      skipDefaultLibCheck: true,
    };
    const projects = ['nodenext', 'node10'];
    for (const moduleResolution of projects) {
      const module = moduleResolution === 'node10' ? 'esnext' : moduleResolution;
      const options = { ...compilerOptions, module, moduleResolution };
      const config = { compilerOptions: options, files: ['use.ts'] };
      await writeFile(join(project, `${moduleResolution}.json`), JSON.stringify(config));
    }
    // One process for both: it reads TypeScript's own libraries once.
    const build = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--build', ...projects.map((name) => `${name}.json`)];
    await expect(run(process.execPath, build, { cwd: project })).resolves.toMatchObject({ stdout: '' });
  });
});
