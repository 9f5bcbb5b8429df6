import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Terminal } from '../../../local/command-line.ts';
import { runDesk } from '../../../operator/commands/commands.ts';
import type { Environment } from '../../../shared/settings/table.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The end of a command. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Stops a command that should have ended by itself, so that its test fails by what it wrote. */
export const lateStop = () => AbortSignal.timeout(40_000);

/** Runs a command in this process, and collects what it writes. */
export async function collect(run: (terminal: Terminal) => Promise<number>): Promise<Ended> {
  let [out, err] = ['', ''];
  const code = await run({ args: [], stop: lateStop(), out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

/** Runs a program in the project's folder, with only these variables. */
export function runProgram(file: string, args: readonly string[], env: Environment): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  execFile(file, args, { cwd: ROOT, env }, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
  return promise;
}

interface How {
  /** Answers the question, as a person at a terminal would. */
  readonly answer?: string;
  /** Texts that must not be printed. */
  readonly secrets?: readonly string[];
}

/** The options that say where settings come from, or need none. */
const PLACED = ['--paper', '--stack', '--settings', '--help'];

/** Runs a command of the desk in this process, with exactly these settings. */
export async function desk(args: readonly string[], env: Environment, { answer, secrets = [] }: How = {}) {
  const isPlaced = args.length === 0 || PLACED.some((option) => args.includes(option));
  const whole = isPlaced ? args : [...args, '--settings', devNull];
  const end = await collect((terminal) => {
    const ask = async (question: string) => {
      terminal.err(question);
      return answer ?? '';
    };
    return runDesk(env, { ...terminal, args: whole, ask: answer === undefined ? undefined : ask });
  });
  const key = env['SERVICE_PRIVATE_KEY'] || 'no key';
  for (const secret of [key, ...secrets]) expect(JSON.stringify(end)).not.toContain(secret);
  return end;
}

const rows = z.array(z.record(z.string(), z.unknown()));

/** Runs a command and returns its rows. */
export async function deskRows(args: readonly string[], env: Environment, how: How = {}) {
  const { code, out, err } = await desk([...args, '--format', 'json'], env, how);
  return { code, err, rows: out === '' ? [] : rows.parse(JSON.parse(out)) };
}
