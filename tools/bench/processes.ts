import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import manifest from '../../package.json' with { type: 'json' };
import { TOKEN_ID } from './venue/records.ts';

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..');
/** The venue's own answer time in the rows that have one: a server in the same region. */
export const VENUE_DELAY_MS = 25;

const START_LIMIT_MS = 20_000;
/** An invented key of the benchmark: no funds. */
const PRIVATE_KEY = `0x${'1f'.repeat(32)}`;
/** The API credentials that both the service and the official client are given. */
const CREDENTIALS = {
  SERVICE_CLOB_API_KEY: 'bench-key',
  SERVICE_CLOB_API_SECRET: 'YmVuY2gtc2VjcmV0LWJlbmNo',
  SERVICE_CLOB_API_PASSPHRASE: 'bench',
};
/** The arguments of `node` in the script `start`. */
const [, , ...START] = manifest.scripts.start.split(' ');
/** The flags of the load generator, from package.json: with more room the collector seldom stops the process. */
const ROOMY = manifest.scripts.bench.split(' ').filter((word) => word.includes('semi-space-size'));

type Env = Readonly<Record<string, string>>;

/** A process that listens. `startTime`: from the spawn to the line that says where, in milliseconds. */
interface RunningProcess extends AsyncDisposable {
  readonly url: string;
  readonly startTime: number;
}

/** Keeps the environment of the shell that started the benchmark from the measured processes. */
function cleanEnvironment(env: Env): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...env };
}

/**
 * Starts a Node process that writes where it listens. Its output goes to a file, as an operator's would: a pipe would
 * have the load generator read the log.
 */
async function startProcess(args: readonly string[], env: Env = {}): Promise<RunningProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(directory, 'output');
  const output = openSync(file, 'a');
  const startedAt = performance.now();
  const variables = cleanEnvironment({ SERVICE_STORE: join(directory, 'orders.db'), ...env });
  const child = spawn(process.execPath, args, { cwd: ROOT, env: variables, stdio: ['ignore', output, output] });
  const exited = once(child, 'exit');
  const dispose = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
  while (performance.now() < startedAt + START_LIMIT_MS && child.exitCode === null) {
    const port = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/.exec(await readFile(file, 'utf8'))?.[1];
    const startTime = performance.now() - startedAt;
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, startTime, [Symbol.asyncDispose]: dispose };
    await sleep(1);
  }
  const text = await readFile(file, 'utf8');
  await dispose();
  throw new Error(`A process did not start to listen: ${text}`);
}

/** Runs a Node process to its end: returns its output, and its duration in milliseconds. */
export async function runProcess(args: readonly string[], env: Env = {}): Promise<{ output: string; time: number }> {
  const startedAt = performance.now();
  const options = { cwd: ROOT, env: cleanEnvironment(env) };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return { output: stdout, time: performance.now() - startedAt };
}

/** Starts the venue stub, which takes `delay` milliseconds for each answer. */
export async function startVenue(delay: number) {
  const running = await startProcess([...ROOMY, 'tools/bench/venue/main.ts', String(delay)]);
  return {
    ...running,
    /** Returns the longest chain of requests since the last call in which each began after the one before ended. */
    depth: async () => Number(await (await fetch(`${running.url}/bench/depth`)).text()),
  };
}

/** Returns the settings of an order-placing service; without `credentials` its first order derives them. */
export function serviceEnv(venueUrl: string, { credentials = true, orders = true } = {}): Env {
  return {
    SERVICE_PORT: '0',
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    ...(orders && { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: PRIVATE_KEY }),
    ...(orders && credentials && CREDENTIALS),
  };
}

/** Starts the service as `npm start` does, without the developer's own settings. */
export function startService(
  venueUrl: string,
  options?: { readonly credentials?: boolean; readonly orders?: boolean },
) {
  return startProcess([...START, '--settings', devNull], serviceEnv(venueUrl, options));
}

/** Starts a bare proxy, the baseline. */
export function startProxy(venueUrl: string): Promise<RunningProcess> {
  return startProcess(['tools/bench/baselines/proxy.ts'], { BENCH_VENUE_URL: venueUrl });
}

/** Writes the program as JavaScript, so that the baseline does not pay for the stripping of types, as the service does. */
async function officialClient(venueUrl: string, mode: 'first' | 'load') {
  const script = 'build/bench/official-client.mjs';
  const source = await readFile(join(import.meta.dirname, 'baselines', 'official-client.ts'), 'utf8');
  await mkdir(join(ROOT, 'build', 'bench'), { recursive: true });
  await writeFile(join(ROOT, script), stripTypeScriptTypes(source));
  const env = {
    BENCH_MODE: mode,
    BENCH_VENUE_URL: venueUrl,
    BENCH_TOKEN_ID: TOKEN_ID,
    BENCH_PRIVATE_KEY: PRIVATE_KEY.slice(2),
    BENCH_CREDENTIALS: Object.values(CREDENTIALS).join(' '),
  };
  return [[script], env] as const;
}

const first = z.object({ order: z.number(), errors: z.number() });
const burst = z.object({ rate: z.number(), errors: z.number() });

/** Places the first order of a fresh process that has loaded the official client; `order`: its time in milliseconds. */
export async function placeFirstOrder(venueUrl: string): Promise<z.infer<typeof first>> {
  const { output } = await runProcess(...(await officialClient(venueUrl, 'first')));
  return first.parse(JSON.parse(output));
}

/** Starts a process with the official client; `place` sends orders for some seconds, ten at a time. */
export async function startOfficialClient(venueUrl: string) {
  const running = await startProcess(...(await officialClient(venueUrl, 'load')));
  const place = async (seconds: number) =>
    burst.parse(JSON.parse(await (await fetch(`${running.url}/${seconds}`)).text()));
  return { ...running, place };
}
