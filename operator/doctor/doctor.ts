import { flag, option, runCommand, type Terminal, THIS_PROCESS, type Values } from '../../local/command-line.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { openOperatorVenue } from '../../shared/venue/polymarket/operator-venue.ts';
import { checkWhere, WHERE } from '../account/access.ts';
import { type Finding, makeCheck, warn } from './check.ts';
import { checkContract, checkStack } from './deployment.ts';
import { type Asked, askBooks, askCredentials, askFunds, askRegion, writeCredentials } from './questions.ts';
import { checkStart, type Opened } from './start.ts';

const COMMAND = {
  purpose: 'Checks whether the service could place an order: prepares a start, calls the venue, and places nothing.',
  usage: 'npm run doctor -- [options]',
  options: {
    json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
    refresh: flag('make the venue read balance and allowances from the chain'),
    'print-credentials': option('FILE', 'write the API credentials to a new file, in the format of the secret'),
    ...WHERE,
    sign: flag('with --stack: sign the conformance check with AWS credentials, for readAccess=iam'),
    'token-file': option('FILE', 'with --stack: the token that this check sends, for orderAccess=jwt'),
    'client-key-file': option('FILE', 'with --stack: the private key of an allowed client, for this check'),
  },
  notes: `The venue is sent no order. Each line has ok, warn, fail or skip, the check, what is wrong and what to do. Exits with 1 if a
check failed, and with 2 for a wrong option.
`,
} as const;

/** The options of a run. */
export const OPTIONS = COMMAND.options;
type Options = Values<typeof OPTIONS>;

/** The time limit of all calls of the venue. */
const QUESTIONS_MS = 8_500;

const [CLOB, VENUE] = ['the CLOB (SERVICE_CLOB_URL)', 'the venue'];

/** Makes all checks, and yields them in their order. */
async function* examine(options: Options, env: Environment, limitMs: number) {
  const opened: Opened = {};
  yield { id: 'start', ...(await makeCheck('AWS', () => checkStart(options, env, opened))) };
  const { config, account } = opened;
  if (!config) return;
  const call = { deadline: performance.now() + limitMs, venueRequests: [] };
  const asked: Asked = { config, account, venue: openOperatorVenue(config), call, reads: undefined };
  // Concurrent with the checks of the account. Orders do not need the website.
  const region = makeCheck('the website', () => askRegion(asked), warn);
  const books = makeCheck(VENUE, () => askBooks(asked));
  const { stack } = config;
  if (stack) yield { id: 'stack', ...(await makeCheck('AWS', () => checkStack(config, stack))) };
  yield { id: 'credentials', ...(await makeCheck(CLOB, () => askCredentials(asked))) };
  const file = options['print-credentials'];
  if (file) yield { id: 'credentials_file', ...(await makeCheck(CLOB, () => writeCredentials(file, asked))) };
  yield { id: 'funds', ...(await makeCheck(CLOB, () => askFunds(asked, options.refresh))) };
  yield { id: 'region', ...(await region) };
  yield { id: 'books', ...(await books) };
  if (stack) yield { id: 'contract', ...(await checkContract(stack, options)) };
}

/** The longest id. */
const ID_WIDTH = 'credentials_file'.length;

/** Runs the doctor, and prints the line of each check as soon as it is there. Returns 1 if a check failed, 2 for a wrong option. */
export function runDoctor(
  env: Environment,
  terminal: Terminal = THIS_PROCESS,
  limitMs = QUESTIONS_MS,
): Promise<number> {
  const run = async (options: Options) => {
    checkWhere(options);
    const checks: (Finding & { readonly id: string })[] = [];
    for await (const line of examine(options, env, limitMs)) {
      checks.push(line);
      const { id, status, message, fix } = line;
      const words = [status.padEnd(4), id.padEnd(ID_WIDTH), fix === null ? message : `${message} ${fix}`];
      if (!options.json) terminal.out(`${words.join('  ')}\n`);
    }
    const count = (wanted: Finding['status']) => checks.filter(({ status }) => status === wanted).length;
    const sum = `${count('ok')} ok, ${count('warn')} to look at, ${count('fail')} failed, ${count('skip')} skipped.`;
    const isOk = count('fail') === 0;
    terminal.out(options.json ? `${JSON.stringify({ ok: isOk, checks })}\n` : `\n${sum}\n`);
    return isOk ? 0 : 1;
  };
  return runCommand(COMMAND, run, terminal);
}
