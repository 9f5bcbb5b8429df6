import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach } from '@jest/globals';
import * as z from 'zod/mini';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const listening = z.object({
  message: z.literal('listening'),
  url: z.string(),
  mode: z.string(),
  store: z.nullable(z.string()),
});

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Finds the Node that runs the tests before any other. */
export const WITH_THIS_NODE = { PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) } as const;

interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment besides `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service as a program; gives what its line `listening` says. It is killed after the test. */
export async function startProgram({ command, args = [], cwd, env = {} }: Program) {
  const options = { cwd, env: { ...WITH_THIS_NODE, ...env } };
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const ended = once(child, 'close');
  const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof listening>>();
  const output: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    const { data } = listening.safeParse(parsed(line));
    if (data) resolve(data);
  });
  text(child.stderr).then((stderr) => reject(new Error(`It ended: ${stderr}`)), reject);
  const { url, mode, store } = await promise;
  /** Stops it as an operator does; gives the exit code. */
  const stop = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url: url.replace('0.0.0.0', '127.0.0.1'), mode, store, output, pid: child.pid, stop, kill };
}
