import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..');

const START_LIMIT_MS = 20_000;
const POLL_INTERVAL_MS = 1;
const STOP_LIMIT_MS = 10_000;
/** Between two samples of a profile: a start lasts a few hundred milliseconds. */
const SAMPLING_INTERVAL_US = 200;

/** A process to start. */
export interface ProcessSpec {
  /** Node's arguments: a script relative to the project, and its own. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder into which the process writes its CPU profile when it is stopped. */
  readonly profileDirectory?: string;
}

/** A process that listens. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** The time from the spawn to the line that says where it listens, in milliseconds. */
  readonly startTime: number;
}

/** Nothing of the shell that started the benchmark reaches the measured processes. */
function cleanEnvironment(env: ProcessSpec['env'] = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...env };
}

/** Kills a process. One that is to write a profile is asked to stop, and killed when it does not. */
async function stop(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const killing = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(killing);
}

/** The address in the first line that names one, as soon as it is there. */
async function readUrl(child: ChildProcess, file: string): Promise<string> {
  const end = performance.now() + START_LIMIT_MS;
  while (performance.now() < end) {
    const text = await readFile(file, 'utf8');
    const port = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/.exec(text)?.[1];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
    if (child.exitCode !== null) throw new Error(`A process ended at its start: ${text}`);
    await sleep(POLL_INTERVAL_MS);
  }
  throw new Error('A process did not start to listen in time.');
}

/**
 * Starts a Node process that writes where it listens. Its output goes to a file, as an operator's would: a pipe would
 * have the load generator read the log.
 */
export async function startProcess({ args, env, profileDirectory }: ProcessSpec): Promise<RunningProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(directory, 'output');
  const output = openSync(file, 'a');
  const profiling =
    profileDirectory === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`, `--cpu-prof-interval=${SAMPLING_INTERVAL_US}`];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...profiling, ...args], {
    cwd: ROOT,
    env: cleanEnvironment({ BENCH_DIRECTORY: directory, SERVICE_STORE: join(directory, 'orders.db'), ...env }),
    stdio: ['ignore', output, output],
  });
  const dispose = async () => {
    await stop(child, profileDirectory === undefined ? 'SIGKILL' : 'SIGTERM');
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const url = await readUrl(child, file);
    const startTime = performance.now() - startedAt;
    return { pid: child.pid ?? 0, url, startTime, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Runs a Node process to its end: what it wrote, and the milliseconds that it took. */
export async function runProcess({ args, env }: ProcessSpec): Promise<{ output: string; time: number }> {
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: cleanEnvironment(env) });
  return { output: stdout, time: performance.now() - startedAt };
}

/** Resident memory of a process in megabytes. */
export async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}
