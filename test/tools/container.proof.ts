import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { STOP_MS } from '../../shared/limits.ts';
import { startPaperService } from '../support/service/paper-service.ts';
import { startProgram, WITH_THIS_NODE } from '../support/service/program.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** The instructions of a Dockerfile, stage by stage. */
async function readStages(): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  const [, ...stages] = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split(/^FROM .*$/m);
  return stages;
}

/** What follows each instruction of a name. */
function textsOf(stage: string, name: string): readonly string[] {
  return [...stage.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, text = '']) => text);
}

const words = z.array(z.string());

let folder = '';
/** The file system of the image, as far as the project makes it. */
let image = '';
let last = '';

/** Finds what is kept out of the context: of the lines that match a path or a folder above it, the last decides. */
async function readIgnored(): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const matches = (path: string, pattern: string) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  return (path) =>
    lines.reduce((ignored, line) => (matches(path, line.replace(/^!/, '')) ? !line.startsWith('!') : ignored), false);
}

/** Copies as COPY does: what is in a folder, and files into a folder. */
async function copy(text: string, to: string): Promise<void> {
  const isIgnored = await readIgnored();
  const paths = text.split(/\s+/);
  const target = paths.pop() ?? '';
  for (const pattern of paths) {
    for await (const path of glob(pattern, { cwd: ROOT })) {
      const isFolder = target.endsWith('/');
      const filter = (source: string) => !isIgnored(relative(ROOT, source));
      await cp(join(ROOT, path), join(to, target, isFolder ? basename(path) : ''), { recursive: true, filter });
    }
  }
}

/** Makes the tree of the image by the lines of the Dockerfile, from the files that these copy and no others. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'container-'));
  const [build = '', final = ''] = await readStages();
  last = final;
  const source = join(folder, 'src');
  await mkdir(source);
  for (const text of textsOf(build, 'COPY')) await copy(text, source);
  // Stands for `npm ci`.
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const [, command = ''] = textsOf(build, 'RUN');
  await run('sh', ['-euc', command], { cwd: source, env: WITH_THIS_NODE });
  image = join(folder, 'image');
  const [text = ''] = textsOf(final, 'COPY');
  const [, from = '', to = ''] = /^--from=build (\/src\/\S+) (\/\S+)$/.exec(text) ?? [];
  await mkdir(dirname(join(image, to)), { recursive: true });
  await cp(join(folder, from), join(image, to), { recursive: true });
  await mkdir(join(image, 'data'));
  for (const path of await readdir(join(image, to), { recursive: true, withFileTypes: true }))
    await chmod(join(path.parentPath, path.name), path.isDirectory() ? 0o555 : 0o444);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Paths of the container are below the image's folder here. */
function here(text: string): string {
  return text.replace(/^\/(?=app|data)/, `${image}/`);
}

function environment(): Record<string, string> {
  const pairs = textsOf(last, 'ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=')));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, here(value)]));
}

/** Starts the container's program as the image says, on a free port. */
function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const [program = '', ...own] = words.parse(JSON.parse(textsOf(last, 'ENTRYPOINT')[0] ?? '')).map(here);
  expect(program).toBe('node');
  const settings = { ...environment(), SERVICE_PORT: '0', TMPDIR: folder, ...env };
  return startProgram({ command: program, args: [...own, ...args], cwd: join(image, 'app'), env: settings });
}

const ended = z.object({ code: z.number() });

async function healthCheck(port: string): Promise<unknown> {
  const command = words.parse(JSON.parse(/CMD (\[.*\])$/.exec(textsOf(last, 'HEALTHCHECK')[0] ?? '')?.[1] ?? ''));
  const [program = '', ...args] = command;
  const check = run(program, args, { env: { ...WITH_THIS_NODE, SERVICE_PORT: port } });
  return check.then(
    () => 0,
    (error: unknown) => ended.parse(error).code,
  );
}

const KEY = { SERVICE_PRIVATE_KEY: '22'.repeat(32), SERVICE_PLACE_ORDER: '1' };

describe('the image', () => {
  it('is read-only by default, listens for its container, and is healthy', async () => {
    const { url, mode, store, stop } = await start();
    expect([mode, store]).toStrictEqual(['read-only', null]);
    expect(environment()['SERVICE_HOST']).toBe('0.0.0.0');
    expect(await healthCheck(new URL(url).port)).toBe(0);
    expect(await stop()).toBe(0);
    expect(await healthCheck(new URL(url).port)).toBe(1);
  });

  it('places orders only where that is said of its port too, and keeps them in its volume', async () => {
    const { venueUrl } = await startPaperService();
    const trading = { ...KEY, SERVICE_CLOB_URL: venueUrl, SERVICE_GAMMA_URL: venueUrl };
    await expect(start([], trading)).rejects.toThrow('SERVICE_REMOTE_ORDERS');
    const { mode, store, stop } = await start([], { ...trading, SERVICE_REMOTE_ORDERS: '1' });
    expect([mode, store]).toStrictEqual(['order-placing', join(image, 'data/orders.db')]);
    expect(textsOf(last, 'VOLUME')).toStrictEqual(['/data']);
    expect(await stop()).toBe(0);
  });

  it('does not run as root, and holds no setting of an account', () => {
    expect(textsOf(last, 'USER')).toStrictEqual(['node']);
    const settings = Object.keys(environment()).filter((name) => name.startsWith('SERVICE_'));
    expect(settings).toStrictEqual(['SERVICE_HOST', 'SERVICE_STORE']);
  });

  it('is built from a context without secrets', async () => {
    const ignored = (await readFile(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8')).split('\n');
    expect(ignored).toStrictEqual(expect.arrayContaining(['.env', '.data', '.git', '**/node_modules']));
    const [build = ''] = await readStages();
    const sources = textsOf(build, 'COPY').flatMap((text) => text.split(/\s+/).slice(0, -1));
    expect(sources.filter((path) => /^(?:\.|\*|\.env)$/.test(path))).toStrictEqual([]);
  });
});

describe('the compose file', () => {
  it('waits for the requests in flight, as whatever else may stop the service does in the documents', async () => {
    const texts = await Promise.all(
      ['deploy/compose.yaml', 'deploy/README.md', 'deploy/order-book-adapter.service', 'deploy/kubernetes.yaml'].map(
        (path) => readFile(join(ROOT, path), 'utf8'),
      ),
    );
    const limit = /(?:stop_grace_period: |--stop-timeout |TimeoutStopSec=|terminationGracePeriodSeconds: )(\d+)/g;
    const seconds = [...texts.join('\n').matchAll(limit)].map(([, value]) => Number(value));
    expect(seconds).toHaveLength(4);
    expect(Math.min(...seconds) * 1_000).toBeGreaterThan(STOP_MS);
  });
});
