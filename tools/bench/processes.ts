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

/** A process to start. */
export interface ProcessSpec {
  /** Node's arguments: a script relative to the project, and its own. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that listens. */
export interface RunningProcess extends AsyncDisposable {
  readonly url: string;
  /** The time from the spawn to the line that says where it listens, in milliseconds. */
  readonly startTime: number;
}

/** Keeps the environment of the shell that started the benchmark from the measured processes. */
function cleanEnvironment(env: ProcessSpec['env'] = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...env };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Waits for a line that names an address, and returns the address. */
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
export async function startProcess({ args, env }: ProcessSpec): Promise<RunningProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(directory, 'output');
  const output = openSync(file, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: cleanEnvironment({ SERVICE_STORE: join(directory, 'orders.db'), ...env }),
    stdio: ['ignore', output, output],
  });
  const dispose = async () => {
    await kill(child);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const url = await readUrl(child, file);
    return { url, startTime: performance.now() - startedAt, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Runs a Node process to its end: returns its output, and its duration in milliseconds. */
export async function runProcess({ args, env }: ProcessSpec): Promise<{ output: string; time: number }> {
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: cleanEnvironment(env) });
  return { output: stdout, time: performance.now() - startedAt };
}
