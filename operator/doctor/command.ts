import type { Environment } from '../../shared/settings/table.ts';
import { runCommand, type Terminal, THIS_PROCESS } from '../command-line.ts';
import { checkOptions, type DoctorOptions, OPTIONS } from './options.ts';
import type { DoctorLimits, Finding } from './run.ts';

const COMMAND = {
  purpose:
    "Tells before the first order if the account will work: asks the venue with the service's own settings and signatures.",
  usage: `npm run doctor -- [options]
       order-book-adapter doctor [options]    in the package`,
  options: OPTIONS,
  notes: `Nothing is placed and no API key is made: all requests are GET, but for the empty order of --probe. Each line says ok, warn,
fail or skip, the check, what is wrong and what mends it. Exits with 1 if a check failed, and with 2 for a wrong option.
`,
} as const;

interface Line extends Finding {
  readonly id: string;
}

/** The longest id. */
const ID_WIDTH = 'credentials_file'.length;

function inWords({ id, status, message, fix }: Line): string {
  return `${status.padEnd(4)}  ${id.padEnd(ID_WIDTH)}  ${message}${fix === null ? '' : ` ${fix}`}\n`;
}

function summaryOf(lines: readonly Line[]): string {
  const count = (wanted: Finding['status']) => lines.filter(({ status }) => status === wanted).length;
  return `\n${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed, ${count('skip')} skipped.\n`;
}

/** Runs the checks and prints each as soon as those before it are known. Returns the exit code. */
async function run(
  options: DoctorOptions,
  env: Environment,
  write: Terminal['out'],
  limits?: DoctorLimits,
): Promise<number> {
  // Loaded only here: `--help` does without.
  const { examine } = await import('./doctor.ts');
  const checks: Line[] = [];
  for (const { id, result } of examine(options, env, limits)) {
    const line = { id, ...(await result).finding };
    checks.push(line);
    if (!options.json) write(inWords(line));
  }
  const ok = checks.every(({ status }) => status !== 'fail');
  write(options.json ? `${JSON.stringify({ ok, checks })}\n` : summaryOf(checks));
  return ok ? 0 : 1;
}

/** Runs the doctor as its command line says. Returns the exit code: 1 where a check failed, 2 for a wrong option. */
export function runDoctor(env: Environment, terminal: Terminal = THIS_PROCESS, limits?: DoctorLimits): Promise<number> {
  return runCommand(COMMAND, (values) => run(checkOptions(values), env, terminal.out, limits), terminal);
}
