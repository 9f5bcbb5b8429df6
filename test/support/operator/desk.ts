import { devNull } from 'node:os';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { runDesk } from '../../../operator/desk/commands.ts';
import type { Environment } from '../../../shared/settings/table.ts';

/** The end of a command. */
export interface DeskEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface How {
  /** Answers the question, as a person at a terminal would. */
  readonly answer?: string;
  /** Texts that must not be printed. */
  readonly secrets?: readonly string[];
}

/** Runs a command of the desk in this process, with exactly these settings. */
export async function desk(
  args: readonly string[],
  env: Environment,
  { answer, secrets = [] }: How = {},
): Promise<DeskEnd> {
  const written = { out: '', err: '' };
  const isHelped =
    args.length === 0 ||
    args.includes('--paper') ||
    args.includes('--stack') ||
    args.includes('--settings') ||
    args.includes('--help');
  const code = await runDesk(env, {
    args: isHelped ? args : [...args, '--settings', devNull],
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    ask:
      answer === undefined
        ? undefined
        : async (question) => {
            written.err += question;
            return answer;
          },
  });
  const key = env['SERVICE_PRIVATE_KEY'] || 'no key';
  for (const secret of [key, ...secrets]) expect(JSON.stringify(written)).not.toContain(secret);
  return { code, out: written.out, err: written.err };
}

const rows = z.array(z.record(z.string(), z.unknown()));

/** Runs a command and returns its rows. */
export async function deskRows(args: readonly string[], env: Environment, how: How = {}) {
  const { code, out, err } = await desk([...args, '--format', 'json'], env, how);
  return { code, err, rows: out === '' ? [] : rows.parse(JSON.parse(out)) };
}
