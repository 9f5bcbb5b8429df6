import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { STOP_MS } from '../../shared/limits.ts';
import { startPaperService } from '../support/service/paper-service.ts';
import { startProgram, WITH_THIS_NODE } from '../support/service/program.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');
const words = z.array(z.string());

let folder = '';
/** The file system of the image, as far as the project makes it. */
let image = '';
/** The instructions of the last stage. */
let last = '';

/** What follows each instruction of a name. */
function textsOf(stage: string, name: string): readonly string[] {
  return [...stage.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, text = '']) => text);
}

/** Makes the tree of the image by the lines of the Dockerfile, from the files that these copy and no others. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'container-'));
  const instructions = (await read('deploy/Dockerfile')).replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  const [, build = '', final = ''] = instructions.split(/^FROM .*$/m);
  last = final;
  const source = join(folder, 'src');
  for (const text of textsOf(build, 'COPY')) {
    const paths = text.split(/\s+/);
    const target = paths.pop() ?? '';
    expect(paths.filter((path) => /^(?:\.|\*|\.env)$/.test(path))).toStrictEqual([]);
    for await (const path of glob(paths, { cwd: ROOT })) {
      const name = target.endsWith('/') ? basename(path) : '';
      await cp(join(ROOT, path), join(source, target, name), { recursive: true });
    }
  }
  // Stands for `npm ci`.
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const [, command = ''] = textsOf(build, 'RUN');
  await run('sh', ['-euc', command], { cwd: source, env: WITH_THIS_NODE });
  image = join(folder, 'image');
  const [, from = '', to = ''] = /^--from=build (\/src\/\S+) (\/\S+)$/.exec(textsOf(final, 'COPY')[0] ?? '') ?? [];
  await mkdir(join(image, dirname(to)), { recursive: true });
  await cp(join(folder, from), join(image, to), { recursive: true });
  await mkdir(join(image, 'data'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Paths of the container are below the image's folder here. */
const here = (text: string) => text.replace(/^\/(?=app|data)/, `${image}/`);

function environment(): Record<string, string> {
  const pairs = textsOf(last, 'ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=')));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, here(value)]));
}

/** Starts the container's program as the image says, on a free port. */
function start(env: Readonly<Record<string, string>> = {}) {
  const [program = '', ...args] = words.parse(JSON.parse(textsOf(last, 'ENTRYPOINT')[0] ?? '')).map(here);
  const settings = { ...environment(), SERVICE_PORT: '0', TMPDIR: folder, ...env };
  return startProgram({ command: program, args, cwd: join(image, 'app'), env: settings });
}

async function healthCheck(port: string): Promise<unknown> {
  const command = words.parse(JSON.parse(/CMD (\[.*\])$/.exec(textsOf(last, 'HEALTHCHECK')[0] ?? '')?.[1] ?? ''));
  const [program = '', ...args] = command;
  const check = run(program, args, { env: { ...WITH_THIS_NODE, SERVICE_PORT: port } });
  return check.then(
    () => 0,
    (error) => error.code,
  );
}

describe('the image', () => {
  it('starts read-only, listens on all addresses, and is healthy', async () => {
    const { url, mode, store, stop } = await start();
    expect([mode, store]).toStrictEqual(['read-only', null]);
    expect(environment()['SERVICE_HOST']).toBe('0.0.0.0');
    expect(await healthCheck(new URL(url).port)).toBe(0);
    expect(await stop()).toBe(0);
    expect(await healthCheck(new URL(url).port)).toBe(1);
  });

  it('places orders only with consent for its port, and keeps them in its volume', async () => {
    const { venueUrl } = await startPaperService();
    const key = { SERVICE_PRIVATE_KEY: '22'.repeat(32), SERVICE_PLACE_ORDER: '1' };
    const trading = { ...key, SERVICE_CLOB_URL: venueUrl, SERVICE_GAMMA_URL: venueUrl };
    await expect(start(trading)).rejects.toThrow('SERVICE_REMOTE_ORDERS');
    const { mode, store, stop } = await start({ ...trading, SERVICE_REMOTE_ORDERS: '1' });
    expect([mode, store]).toStrictEqual(['order-placing', join(image, 'data/orders.db')]);
    expect(await stop()).toBe(0);
  });

  it('does not run as root, and holds no setting of an account and no secret of its context', async () => {
    expect([textsOf(last, 'USER'), textsOf(last, 'VOLUME')]).toStrictEqual([['node'], ['/data']]);
    const settings = Object.keys(environment()).filter((name) => name.startsWith('SERVICE_'));
    expect(settings).toStrictEqual(['SERVICE_HOST', 'SERVICE_STORE']);
    const ignored = (await read('deploy/Dockerfile.dockerignore')).split('\n');
    expect(ignored).toStrictEqual(expect.arrayContaining(['.env', '.data', '.git', '**/node_modules']));
  });
});

it('every documented way to stop the service waits for requests in flight', async () => {
  const names = ['compose.yaml', 'README.md', 'order-book-adapter.service', 'kubernetes.yaml'];
  const texts = await Promise.all(names.map((name) => read(`deploy/${name}`)));
  const limit = /(?:stop_grace_period: |--stop-timeout |TimeoutStopSec=|terminationGracePeriodSeconds: )(\d+)/g;
  const seconds = [...texts.join('\n').matchAll(limit)].map(([, value]) => Number(value));
  expect(seconds).toHaveLength(4);
  expect(Math.min(...seconds) * 1_000).toBeGreaterThan(STOP_MS);
});
