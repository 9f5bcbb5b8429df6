import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { cp, glob, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { ROUTES } from '../../functions/routes.ts';
import { buildAssets } from '../../infra/build/build.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'build-'));
  // The files of this builder are private.
  const umask = process.umask(0o077);
  await buildAssets(join(folder, 'here')).finally(() => process.umask(umask));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The files under a folder, each with its mode and its text. */
async function contentsOf(root: string): Promise<Record<string, string>> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const digest = hash('sha256', await readFile(path));
      return [relative(root, path), `${((await stat(path)).mode & 0o777).toString(8)} ${digest}`] as const;
    });
  return Object.fromEntries(await Promise.all(contents));
}

/** Sums up the bytes of some modules and of all that they import, at their start or later, from the same folder. */
async function bytesFrom(root: string, entries: readonly string[]): Promise<number> {
  const seen = new Set(entries);
  let bytes = 0;
  for (const name of seen) {
    const source = await readFile(join(root, name), 'utf8');
    bytes += Buffer.byteLength(source);
    for (const [, imported = ''] of source.matchAll(/"\.\/([\w-]+\.mjs)"/g)) seen.add(imported);
  }
  return bytes;
}

/** The bytes that a function can load: its own, and those of its part of the layer. */
async function bytesOf(name: string): Promise<{ readonly own: number; readonly layer: number }> {
  const root = join(folder, 'here/functions', name);
  const sources = await Promise.all((await readdir(root)).map((file) => readFile(join(root, file), 'utf8')));
  const imports = sources.flatMap((source) => [...source.matchAll(/"\/opt\/nodejs\/([\w-]+\.mjs)"/g)]);
  const entries = imports.map(([, file = '']) => file);
  return {
    own: await bytesFrom(root, ['index.mjs']),
    layer: await bytesFrom(join(folder, 'here/layer/nodejs'), entries),
  };
}

/** Starts a function with its layer; `then`: what comes of it. */
async function start(name: string, then: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const here = join(folder, 'here');
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => next(name.replace('/opt', '${here}/layer'), context) });
    await import('${here}/functions/${name}/index.mjs').${then};
  `;
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })).stdout;
}

describe('the build', () => {
  it('writes the same bytes in another folder, readable by everybody', async () => {
    const elsewhere = join(folder, 'a', 'clone');
    for (const name of ['functions', 'infra', 'local', 'operator', 'shared', 'package.json', 'tsconfig.json']) {
      await cp(join(ROOT, name), join(elsewhere, name), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'));
    await promisify(execFile)(process.execPath, ['infra/build/build.ts'], { cwd: elsewhere });
    const contents = await contentsOf(join(folder, 'here'));
    expect(await contentsOf(join(elsewhere, 'build'))).toStrictEqual(contents);
    expect(Object.values(contents).filter((content) => !content.startsWith('644 '))).toStrictEqual([]);
  });

  // Orders have the clients of AWS once, in the layer.
  it.each([
    ['markets', 120_000, 120_000],
    ['book', 120_000, 120_000],
    ['orders', 460_000, 100_000],
  ])('keeps %s with its part of the layer within %i bytes, %i of its own', async (name, most, mostOwn) => {
    const { own, layer } = await bytesOf(name);
    expect(layer).toBeGreaterThan(0);
    expect(own + layer).toBeLessThanOrEqual(most);
    expect(own).toBeLessThan(mostOwn);
  });

  it.each(Object.keys(ROUTES))("starts %s without loading Node's fetch", async (name) => {
    const stdout = await start(name, 'catch(() => undefined); process.stdout.write(process.moduleLoadList.join())');
    expect(stdout).toContain('"message":"started"');
    expect(stdout).toContain('NativeModule ');
    expect(stdout).not.toContain('undici');
  });

  it('makes a function of events that starts and asks for its secret', async () => {
    const stdout = await start('events', 'then(({ handler }) => handler()).catch(String).then(console.log)', {
      SERVICE_PLACE_ORDER: '1',
      SERVICE_WALLET_ADDRESS: `0x${'2c'.repeat(20)}`,
      SERVICE_PRIVATE_KEY_SECRET: 'trading/key',
      SERVICE_STORE: 'dynamodb:orders',
      FILLS_TOPIC: 'arn:aws:sns:eu-west-1:123456789012:events',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'invented',
      AWS_ENDPOINT_URL_SECRETS_MANAGER: 'http://127.0.0.1:9',
    });
    expect(stdout).toContain('The secret trading/key cannot be read');
  });

  it('contains the curve once, and health imports nothing of the layer', async () => {
    const files = Object.keys(await contentsOf(join(folder, 'here')));
    expect(files.filter((file) => file.endsWith('.wasm'))).toStrictEqual(['layer/nodejs/secp256k1.wasm']);
    const ofEvents = await readFile(join(folder, 'here/functions/events/index.mjs'), 'utf8');
    expect(ofEvents).toContain('/opt/nodejs/open-account.mjs');
    expect((await bytesOf('health')).layer).toBe(0);
  });

  it('puts each part of zod that a function uses into the layer', async () => {
    const shared: object = await import(join(folder, 'here/layer/nodejs/zod.mjs'));
    const used = new Set<string>();
    for await (const file of glob(join(folder, 'here/functions/*/*.mjs'))) {
      const source = await readFile(file, 'utf8');
      const names = [...source.matchAll(/import\*as ([\w$]+) from"\/opt\/nodejs\/zod\.mjs"/g)].map(
        ([, name]) => `${name}`,
      );
      // A minified name may stand for something else elsewhere.
      for (const name of names)
        for (const [, part] of source.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\.(\\w+)`, 'g')))
          if (`${part}` in z) used.add(`${part}`);
    }
    expect(Object.keys(shared).toSorted()).toStrictEqual([...used].toSorted());
  });

  it('contains only parts of its packages that need no other package, nor the files of ~/.aws', async () => {
    const layer = join(folder, 'here/layer/nodejs');
    const modules = (await readdir(layer)).filter((file) => file.endsWith('.mjs'));
    const sources = await Promise.all(modules.map((file) => readFile(join(layer, file), 'utf8')));
    expect(sources.filter((source) => source.includes('ClobAuthDomain'))).toHaveLength(1);
    const unwanted = /["'](?:axios|viem|@ethersproject|browser-or-node)|AWS_CONFIG_FILE/;
    expect(sources.filter((source) => unwanted.test(source))).toStrictEqual([]);
  });
});
