import { createLog } from '../../shared/log.ts';
import { LOOPBACK } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { flag, option, type Values } from '../command-line.ts';
import { createInspection, type Inspection } from '../venue/inspection.ts';
import { type Asking, checkApprovals, checkCredentials, checkFunds, writeCredentials } from './account-checks.ts';
import { createRun, type DoctorLimits, need, type Run, type Step } from './run.ts';
import { checkAccountKind, checkConfig, checkKey, checkRuntime, type Setup } from './setup-checks.ts';
import { checkSignatures } from './signatures.ts';
import { checkBuilder, checkClock, checkOutcomes, checkReads, checkRegion } from './venue-checks.ts';

/** The options of a run. */
export const OPTIONS = {
  json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
  refresh: flag('also have the venue read balance and allowances from the chain again'),
  'print-credentials': option('FILE', 'write the API credentials to a new file, in the members of the secret'),
  stack: option('NAME', 'check a deployment: its wallet key, secret, funder and table, by the outputs of its stack'),
  region: option('REGION', 'of the stack, where it is not that of the environment'),
  settings: option('FILE', "read FILE instead of .env in the project's folder"),
} as const;

/** The values of the options. */
export type DoctorOptions = Values<typeof OPTIONS>;

/** The doctor reports findings and writes no log. */
const SILENT = createLog({ level: 'error', write: () => undefined });

const HERE = { asks: 'This machine' };
const CLOB = { asks: 'The CLOB (SERVICE_CLOB_URL)' };
const VENUE = { asks: 'The venue' };
const SITE_URL = 'https://polymarket.com';
const SITE = { asks: 'The website', optional: true };

/** Creates the function that connects to the settings' hosts, once. It throws `Unmet` if they are malformed. */
function createAsk(run: Run, config: Step<Setup>): () => Promise<Asking> {
  let venue: Inspection | undefined;
  return async () => {
    const { clobUrl, proxyEnv } = (await need(config)).config;
    // A venue on this machine is a paper venue, which also has the path of the website.
    const siteUrl = LOOPBACK.test(new URL(clobUrl).hostname) ? clobUrl : SITE_URL;
    venue ??= createInspection({ clobUrl, proxyEnv, siteUrl }, SILENT);
    return { venue, call: run.newCall() };
  };
}

/** Begins all checks; each waits for the checks that it needs. Returns them in the order of the report. */
export function examine(options: DoctorOptions, env: Environment, limits?: DoctorLimits): readonly Step<unknown>[] {
  const { 'print-credentials': file, refresh } = options;
  const run = createRun(limits);

  // This machine, and the public parts of the venue.
  const config = run.check('config', HERE, async () => checkConfig(options, env));
  const key = run.check('key', HERE, async () => checkKey(await need(config)));
  const ask = createAsk(run, config);
  const account = run.check('account_kind', HERE, async () => checkAccountKind(await need(config), await need(key)));
  run.check('signatures', HERE, async () => {
    await need(config);
    return checkSignatures();
  });
  run.check('runtime', HERE, async () => checkRuntime(await need(config)));
  run.check('clock', CLOB, async () => checkClock(await ask()));
  run.check('region', SITE, async () => checkRegion(await ask()));

  // The account.
  const opened = run.check('credentials', CLOB, async () => checkCredentials(await need(key), await ask()));
  if (file !== undefined) {
    run.check('credentials_file', CLOB, async () => writeCredentials(file, await need(key), await ask()));
  }
  const funds = run.check('funds', CLOB, async () =>
    checkFunds(await need(account), await need(opened), refresh, await ask()),
  );
  run.check('approvals', CLOB, async () => checkApprovals(await need(funds)));

  // Markets and books.
  const reads = run.check('reads', VENUE, async () => checkReads((await need(config)).config, SILENT, run.newCall()));
  run.check('outcomes', CLOB, async () => checkOutcomes(await need(reads), await ask()));
  run.check('builder_code', { ...CLOB, optional: true }, async () =>
    checkBuilder((await need(config)).config, await ask()),
  );
  return run.steps;
}
