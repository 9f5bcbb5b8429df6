import { parseArgs } from 'node:util';
import { ConfigError, parseText, UPSTREAM } from '../../shared/formats.ts';
import type { Environment } from '../../shared/settings.ts';
import { type DoctorOptions, examine } from './doctor.ts';
import type { Finding } from './run.ts';

const SITE_URL = 'https://polymarket.com';
const DATA_URL = 'https://data-api.polymarket.com';

const HELP = `Tells before the first order if the account will work: asks the venue with the service's own settings and signatures.

Usage: npm run doctor -- [options]

  --json                    print {"ok", "checks": [{"id", "status", "message", "fix"}]}
  --probe                   also send one empty order without credentials: shows if the venue takes orders from here
  --refresh                 also have the venue read balance and allowances from the chain again
  --secret NAME             read the key from AWS Secrets Manager, all else from the environment, as a deployment does
  --print-credentials FILE  write the API credentials to a new file of your own, in the members of the secret
  --settings FILE           read FILE in the place of .env in the project's folder
  --site-url URL            base URL of the website (${SITE_URL})
  --data-url URL            base URL of the Data API (${DATA_URL})
  --help                    print this

Nothing is placed and no API key is made: all requests are GET, but for the empty order of --probe. Each line says ok, warn,
fail or skip, the check, what is wrong and what mends it. Exits with 1 if a check failed, and with 2 for a wrong option.
`;

/** A private key in the place of a name would be printed, and perhaps sent. */
const KEY_LIKE = /^(?:0x)?[0-9a-f]{64}$/i;

interface Flags {
  readonly help: boolean;
  readonly json: boolean;
  readonly options: DoctorOptions;
}

/** Reads the command line; throws `ConfigError`, or the error of `parseArgs`, for a wrong option. */
function parseFlags(args: readonly string[]): Flags {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: flag,
      json: flag,
      probe: flag,
      refresh: flag,
      secret: text,
      'print-credentials': text,
      settings: text,
      'site-url': { type: 'string', default: SITE_URL },
      'data-url': { type: 'string', default: DATA_URL },
    },
  });
  const { help, json, probe, refresh, secret, settings, 'print-credentials': credentialsFile } = values;
  // Not quoted: it may be a key.
  if (positionals.length > 0) throw new ConfigError('There is an argument that belongs to no option.');
  for (const [name, value] of Object.entries({ secret, settings, 'print-credentials': credentialsFile })) {
    if (value === '') throw new ConfigError(`Option '--${name}' needs a value.`);
    if (value !== undefined && KEY_LIKE.test(value))
      throw new ConfigError(`Option '--${name}' takes a name, not a key.`);
  }
  if (secret !== undefined && settings !== undefined) {
    throw new ConfigError(
      "Options '--secret' and '--settings' exclude each other: a deployment has no file of settings.",
    );
  }
  const siteUrl = parseText(values['site-url'], '--site-url', UPSTREAM);
  const dataUrl = parseText(values['data-url'], '--data-url', UPSTREAM);
  return { help, json, options: { probe, refresh, secret, settings, credentialsFile, siteUrl, dataUrl } };
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

/** Runs the checks and prints each as soon as those before it are known. Gives the exit code. */
async function run({ json, options }: Flags, env: Environment, write: Write): Promise<number> {
  const checks: Line[] = [];
  for (const { id, outcome } of examine(options, env)) {
    const line = { id, ...(await outcome).finding };
    checks.push(line);
    if (!json) write(inWords(line));
  }
  const ok = checks.every(({ status }) => status !== 'fail');
  write(json ? `${JSON.stringify({ ok, checks })}\n` : summaryOf(checks));
  return ok ? 0 : 1;
}

/** The part of a process that a command needs. */
export interface Terminal {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly out: Write;
  readonly err: Write;
}

/** Runs the doctor as its command line says. Gives the exit code: 1 where a check failed, 2 for a wrong option. */
export async function runDoctor({ args, env, out, err }: Terminal): Promise<number> {
  let flags: Flags;
  try {
    flags = parseFlags(args);
  } catch (error) {
    const { code, message } = Object(error);
    if (!(error instanceof ConfigError || String(code).startsWith('ERR_PARSE_ARGS'))) throw error;
    err(`${message}\n\n${HELP}`);
    return 2;
  }
  if (!flags.help) return run(flags, env, out);
  out(HELP);
  return 0;
}
