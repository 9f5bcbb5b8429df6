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

/** Finds the Node that runs the tests before any other, with its compile cache: the next process takes half the time. */
export const WITH_THIS_NODE = {
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
} as const;

interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment besides `WITH_THIS_NODE`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service as a program; gives what its line `listening` says. It is killed after the test. */
export async function startProgram({ command, args = [], cwd, env = {} }: Program) {
  const options = { cwd, env: { ...WITH_THIS_NODE, ...env } };
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const output: string[] = [];
  const lines = createInterface({ input: child.stdout }).on('line', (line) => output.push(line));
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code, signal], stderr]) => {
    return { code: code ?? signal, stderr };
  });
  /** Waits for a line of the output that matches. */
  const line = (pattern: RegExp): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const check = () => {
      const found = output.find((candidate) => pattern.test(candidate));
      if (found !== undefined) resolve(found);
    };
    lines.on('line', check);
    check();
    ended.then(({ code, stderr }) => reject(new Error(`It ended with ${code}: ${stderr}`)), reject);
    return promise;
  };
  const { url, mode, store } = listening.parse(JSON.parse(await line(/"message":"listening"/)));
  /** Stops it as an operator does; gives the exit code. */
  const stop = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    return (await ended).code;
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return {
    ...{ url: url.replace('0.0.0.0', '127.0.0.1'), mode, store },
    ...{ output, child, line, ended, stop, kill },
  };
}
