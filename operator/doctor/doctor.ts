import { flag, option, runCommand, type Terminal, THIS_PROCESS, type Values } from '../../local/command-line.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { openOperatorVenue } from '../../shared/venue/polymarket/operator-venue.ts';
import { checkWhere, WHERE } from '../account/access.ts';
import { type Finding, judge, skip, warn } from './check.ts';
import { checkAlarmTopic, checkStack } from './deployment.ts';
import { checkIndexes } from './indexes.ts';
import {
  askBooks,
  askCredentials,
  askFunds,
  askRegion,
  askRestrictions,
  judgeClob,
  writeCredentials,
} from './questions.ts';
import { checkStart } from './start.ts';

const COMMAND = {
  purpose:
    'Checks what keeps the service from placing an order: prepares a start, calls the venue, and places nothing.',
  usage: 'npm run doctor -- [options]',
  options: {
    json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
    refresh: flag('make the venue read balance and allowances from the chain'),
    'print-credentials': option(
      'FILE',
      'write the API credentials to a new file, as the secret has them; creates missing ones',
    ),
    ...WHERE,
  },
  notes: `The venue is sent no order, and only an order proves one. Each line has ok, warn, fail or skip, the check, what is wrong and what to do. Exits with 1 if a
check failed, and with 2 for a wrong option.
`,
} as const;

export const OPTIONS = COMMAND.options;
type Options = Values<typeof OPTIONS>;

/** The time limit of all calls of the venue. */
const QUESTIONS_MS = 8_500;

type Line = Finding & { readonly id: string };

async function* examine(options: Options, env: Environment, limitMs: number): AsyncGenerator<Line> {
  const { finding: start, config, account } = await checkStart(options, env);
  yield { id: 'start', ...start };
  if (!config) return;
  const call = { deadline: performance.now() + limitMs, venueRequests: [] };
  const asked = { config, account, venue: openOperatorVenue(config), call };
  // Concurrent with the checks of the account. Orders do not need the website.
  const region = askRegion(asked).catch(judge('the website', warn));
  const books = askBooks(asked).catch(judge('the venue'));
  const { stack } = config;
  if (stack) yield { id: 'stack', ...checkStack(config, stack) };
  if (stack) yield { id: 'alarms', ...(await checkAlarmTopic(stack, config)) };
  if (tableNameOf(config.store) !== undefined)
    yield { id: 'indexes', ...(await checkIndexes(config).catch(judge('AWS'))) };
  const { finding, reads } = await askCredentials(asked);
  yield { id: 'credentials', ...finding };
  const file = options['print-credentials'];
  if (file) yield { id: 'credentials_file', ...(await writeCredentials(file, asked).catch(judgeClob)) };
  yield { id: 'funds', ...(await askFunds(asked, reads, options.refresh).catch(judgeClob)) };
  yield { id: 'restrictions', ...(await askRestrictions(asked, reads).catch(judge('the CLOB', warn))) };
  yield { id: 'region', ...(await region) };
  yield { id: 'books', ...(await books) };
}

const ID_WIDTH = 'credentials_file'.length;

/** Runs the doctor, and prints the line of each check as soon as it is there. Returns 1 if a check failed, 2 for a wrong option. */
export function runDoctor(
  env: Environment,
  terminal: Terminal = THIS_PROCESS,
  limitMs = QUESTIONS_MS,
): Promise<number> {
  const run = async (options: Options) => {
    checkWhere(options);
    const checks: Line[] = [];
    const outages = new Set<string>();
    for await (const { outage, ...found } of examine(options, env, limitMs)) {
      // One outage is one failure.
      const isKnown = outage !== undefined && outages.has(outage);
      const line: Line = isKnown ? { id: found.id, ...skip('It failed for the reason above.') } : found;
      if (outage !== undefined && line.status === 'fail') outages.add(outage);
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
