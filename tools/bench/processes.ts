import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import { CREDENTIALS, PRIVATE_KEY } from './venue/records.ts';

/** The folder of the project. */
const ROOT = join(import.meta.dirname, '..', '..');

const START_LIMIT_MS = 20_000;
/** The arguments of `node` in the script `start`. */
const [, , ...START] = manifest.scripts.start.split(' ');

type Env = Readonly<Record<string, string>>;

/** Settings of a service that places orders, and whose first order derives its API credentials. */
export const KEY: Env = { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: PRIVATE_KEY };
/** The same with API credentials. */
export const ORDERS: Env = {
  ...KEY,
  SERVICE_CLOB_API_KEY: CREDENTIALS.key,
  SERVICE_CLOB_API_SECRET: CREDENTIALS.secret,
  SERVICE_CLOB_API_PASSPHRASE: CREDENTIALS.passphrase,
};

/** Reads the resident memory of a process in megabytes; Linux only. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

/** Reads the processor time of a process, in the clock ticks of the kernel; Linux only. */
async function ticksOf(pid: number | undefined): Promise<number> {
  const [, times] = /\) (?:\S+ ){11}(\d+ \d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user, kernel] = (times ?? '').split(' ');
  return Number(user) + Number(kernel);
}

const IDLE_MS = 200;

/** Waits until a process has been idle for a while: what it loads after its start is loaded. */
async function settle(pid: number | undefined): Promise<void> {
  for (let before = -1, ticks = 0; ticks !== before; ) {
    before = ticks;
    await sleep(IDLE_MS);
    ticks = await ticksOf(pid);
  }
}

/**
 * Starts a Node process that writes where it listens. `startTime`: from the spawn until then, in milliseconds. It has no
 * other environment, and its output goes to a file, as an operator's would: a pipe would have the load generator read
 * the log.
 */
async function startProcess(args: readonly string[], env: Env = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(directory, 'output');
  const output = openSync(file, 'a');
  const startedAt = performance.now();
  const variables = { SERVICE_STORE: join(directory, 'orders.db'), ...env };
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
    if (port !== undefined)
      return {
        url: `http://127.0.0.1:${port}`,
        startTime,
        memory: () => memoryOf(child.pid),
        settled: () => settle(child.pid),
        [Symbol.asyncDispose]: dispose,
      };
    await sleep(1);
  }
  const text = await readFile(file, 'utf8');
  await dispose();
  throw new Error(`A process did not start to listen: ${text}`);
}

/** Starts the venue stub, which takes `delay` milliseconds for each answer. */
export function startVenue(delay: number) {
  // With the flags of the load generator: with more room the collector seldom stops it.
  return startProcess([...process.execArgv, 'tools/bench/venue/main.ts', String(delay)]);
}

/** Starts the service as `npm start` does, without the developer's own settings; by default it places orders. */
export function startService(venueUrl: string, env = ORDERS) {
  const upstreams = { SERVICE_GAMMA_URL: venueUrl, SERVICE_CLOB_URL: venueUrl };
  return startProcess([...START, '--settings', devNull], { SERVICE_PORT: '0', ...upstreams, ...env });
}

/** Starts a baseline; `json`: a proxy that parses and writes JSON. */
export function startBaseline(name: 'proxy' | 'official-client', venueUrl: string, ...mode: readonly 'json'[]) {
  return startProcess([`tools/bench/baselines/${name}.ts`, venueUrl, ...mode]);
}

/** Asks a program of the benchmark for a number. */
export async function askNumber(url: string): Promise<number> {
  return Number(await (await fetch(url)).text());
}
