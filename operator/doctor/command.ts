import { KEY_LIKE } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { runCommand, type Terminal, THIS_PROCESS, UsageError } from '../command-line.ts';
import { checkWhere } from '../desk/access.ts';
import { type DoctorOptions, examine, OPTIONS } from './doctor.ts';
import type { Line } from './run.ts';

const COMMAND = {
  purpose:
    "Checks before the first order that the account will work: asks the venue with the service's own settings and key.",
  usage: `npm run doctor -- [options]`,
  options: OPTIONS,
  notes: `All requests are GET. Each line has ok, warn, fail or skip, the check, what is wrong and what to do. Exits with 1 if a
check failed, and with 2 for a wrong option.
`,
} as const;

/** The longest id. */
const ID_WIDTH = 'credentials_file'.length;

function inWords({ id, status, message, fix }: Line): string {
  return `${status.padEnd(4)}  ${id.padEnd(ID_WIDTH)}  ${message}${fix === null ? '' : ` ${fix}`}\n`;
}

function summaryOf(lines: readonly Line[]): string {
  const count = (wanted: Line['status']) => lines.filter(({ status }) => status === wanted).length;
  return `\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed, ${count('skip')} skipped.\n`;
}

/** Prints the line of each check as soon as it is there. Returns the exit code. */
async function run(
  options: DoctorOptions,
  env: Environment,
  write: Terminal['out'],
  limitMs?: number,
): Promise<number> {
  const checks: Line[] = [];
  for await (const line of examine(options, env, limitMs)) {
    checks.push(line);
    if (!options.json) write(inWords(line));
  }
  const ok = checks.every(({ status }) => status !== 'fail');
  write(options.json ? `${JSON.stringify({ ok, checks })}\n` : summaryOf(checks));
  return ok ? 0 : 1;
}

/** Runs the doctor. Returns the exit code: 1 if a check failed, 2 for a wrong option. */
export function runDoctor(env: Environment, terminal: Terminal = THIS_PROCESS, limitMs?: number): Promise<number> {
  return runCommand(
    COMMAND,
    (values) => {
      const { region, 'print-credentials': file = '' } = values;
      if (KEY_LIKE.test(file)) throw new UsageError('--print-credentials takes a name, not a key.');
      checkWhere(values);
      // The SDK looks there for the region of key and table.
      if (region !== undefined) process.env['AWS_REGION'] = region;
      return run(values, env, terminal.out, limitMs);
    },
    terminal,
  );
}
