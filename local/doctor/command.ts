import { flag, runCommand, type Terminal, THIS_PROCESS, UsageError, type Values } from '../../shared/command-line.ts';
import { ConfigError, parseText, UPSTREAM } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import type { DoctorOptions } from './doctor.ts';
import type { Finding } from './run.ts';

const COMMAND = {
  purpose:
    "Tells before the first order if the account will work: asks the venue with the service's own settings and signatures.",
  usage: `npm run doctor -- [options]
       order-book-adapter doctor [options]    in the package`,
  options: {
    json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
    probe: flag('also send one empty order without credentials: shows if the venue takes orders from here'),
    refresh: flag('also have the venue read balance and allowances from the chain again'),
    secret: {
      type: 'string',
      value: 'NAME',
      meaning: 'read the key from AWS Secrets Manager, all else from the environment, as a deployment does',
    },
    'print-credentials': {
      type: 'string',
      value: 'FILE',
      meaning: 'write the API credentials to a new file of your own, in the members of the secret',
    },
    settings: { type: 'string', value: 'FILE', meaning: "read FILE in the place of .env in the project's folder" },
    'site-url': {
      type: 'string',
      value: 'URL',
      default: 'https://polymarket.com',
      meaning: 'base URL of the website',
    },
    'data-url': {
      type: 'string',
      value: 'URL',
      default: 'https://data-api.polymarket.com',
      meaning: 'base URL of the Data API',
    },
  },
  notes: `Nothing is placed and no API key is made: all requests are GET, but for the empty order of --probe. Each line says ok, warn,
fail or skip, the check, what is wrong and what mends it. Exits with 1 if a check failed, and with 2 for a wrong option.
`,
} as const;

/** A private key given as a name would be printed, and perhaps sent. */
const KEY_LIKE = /^(?:0x)?[0-9a-f]{64}$/i;

function baseUrl(option: string, text: string): string {
  try {
    return parseText(text, `--${option}`, UPSTREAM);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the options of the checks; throws `UsageError` where they do not go together. */
function optionsOf(values: Values<typeof COMMAND.options>): DoctorOptions {
  const { probe, refresh, secret, settings, 'print-credentials': credentialsFile } = values;
  for (const [name, value] of Object.entries({ secret, settings, 'print-credentials': credentialsFile })) {
    if (value !== undefined && KEY_LIKE.test(value))
      throw new UsageError(`Option '--${name}' takes a name, not a key.`);
  }
  if (secret !== undefined && settings !== undefined) {
    throw new UsageError(
      "Options '--secret' and '--settings' exclude each other: a deployment has no file of settings.",
    );
  }
  const siteUrl = baseUrl('site-url', values['site-url']);
  const dataUrl = baseUrl('data-url', values['data-url']);
  return { probe, refresh, secret, settings, credentialsFile, siteUrl, dataUrl };
}

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

type Write = (text: string) => unknown;

/** Runs the checks and prints each as soon as those before it are known. Returns the exit code. */
async function run(options: DoctorOptions, env: Environment, json: boolean, write: Write): Promise<number> {
  // Loaded only here: `--help` does without.
  const { examine } = await import('./doctor.ts');
  const checks: Line[] = [];
  for (const { id, result } of examine(options, env)) {
    const line = { id, ...(await result).finding };
    checks.push(line);
    if (!json) write(inWords(line));
  }
  const ok = checks.every(({ status }) => status !== 'fail');
  write(json ? `${JSON.stringify({ ok, checks })}\n` : summaryOf(checks));
  return ok ? 0 : 1;
}

/** Runs the doctor as its command line says. Returns the exit code: 1 where a check failed, 2 for a wrong option. */
export function runDoctor(env: Environment, terminal: Terminal = THIS_PROCESS): Promise<number> {
  return runCommand(COMMAND, (values) => run(optionsOf(values), env, values.json, terminal.out), terminal);
}
