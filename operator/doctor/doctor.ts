import type { WalletKey } from '../../functions/orders/wallet-key.ts';
import { createLog } from '../../shared/log.ts';
import { LOOPBACK } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { createInspection, type Inspection } from '../inspection/inspection.ts';
import {
  type Asking,
  checkApprovals,
  checkClosedOnly,
  checkCredentials,
  checkFunds,
  checkProfile,
  writeCredentials,
} from './account-checks.ts';
import type { DoctorOptions } from './options.ts';
import { createRun, type DoctorLimits, need, type Run, type Step } from './run.ts';
import { checkAccountKind, checkConfig, checkKey, checkRuntime, checkSecret, type Setup } from './setup-checks.ts';
import { checkClock, checkReads, checkRegion, checkSmallestOrder, checkVersion } from './venue-checks.ts';

/** The doctor reports findings and writes no log. */
const SILENT = createLog({ level: 'error', write: () => undefined });

const HERE = { asks: 'This machine' };
const CLOB = { asks: 'The CLOB (SERVICE_CLOB_URL)' };
const GAMMA = { asks: 'Gamma (SERVICE_GAMMA_URL)' };
const VENUE = { asks: 'The venue' };
const SITE_URL = 'https://polymarket.com';
const SITE = { asks: 'The website', optional: true };
const DATA_URL = 'https://data-api.polymarket.com';
const DATA = { asks: 'The Data API', optional: true };

/** Creates the function that connects to the settings' hosts, once. It throws `Unmet` if they are malformed. */
function createAsk(run: Run, config: Step<Setup>): () => Promise<Asking> {
  let venue: Inspection | undefined;
  return async () => {
    const { gammaUrl, clobUrl, proxyEnv } = (await need(config)).config;
    // A venue on this machine is a paper venue, which stands for the website and the Data API too.
    const [siteUrl, dataUrl] = LOOPBACK.test(new URL(clobUrl).hostname) ? [clobUrl, clobUrl] : [SITE_URL, DATA_URL];
    venue ??= createInspection({ gammaUrl, clobUrl, proxyEnv, siteUrl, dataUrl }, SILENT);
    return { venue, call: run.newCall() };
  };
}

/** Finds the key in the settings, or reads that of a deployment. */
function findKey(run: Run, config: Step<Setup>, { secret }: DoctorOptions): Step<WalletKey> {
  if (secret !== undefined) {
    return run.check('secret', { asks: 'AWS Secrets Manager' }, async () => checkSecret(secret, await need(config)));
  }
  return run.check('key', HERE, async () => checkKey(await need(config)));
}

/** Begins all checks; each waits for those that it needs. They are printed in the order of the steps. */
export function examine(options: DoctorOptions, env: Environment, limits?: DoctorLimits): readonly Step<unknown>[] {
  const { 'print-credentials': file, probe, refresh } = options;
  const run = createRun(limits);

  // This machine, and the venue as every visitor sees it.
  const config = run.check('config', HERE, async () => checkConfig(options, env));
  const key = findKey(run, config, options);
  const ask = createAsk(run, config);
  const account = run.check('account_kind', HERE, async () => checkAccountKind(await need(config), await need(key)));
  run.check('runtime', HERE, async () => checkRuntime(await need(config)));
  run.check('clock', CLOB, async () => checkClock(await ask()));
  run.check('venue_version', { ...CLOB, optional: true }, async () => checkVersion(await ask()));
  run.check('region', probe ? CLOB : SITE, async () => checkRegion(probe, await ask()));

  // The account.
  const opened = run.check('credentials', CLOB, async () => checkCredentials(await need(key), await ask()));
  if (file !== undefined) {
    run.check('credentials_file', CLOB, async () => writeCredentials(file, await need(key), await ask()));
  }
  run.check('closed_only', CLOB, async () => checkClosedOnly(await need(opened), await ask()));
  const funds = run.check('funds', CLOB, async () =>
    checkFunds(await need(account), await need(opened), refresh, await ask()),
  );
  run.check('approvals', DATA, async () => checkApprovals(await need(account), funds.result, await ask()));
  run.check('profile', { ...GAMMA, optional: true }, async () =>
    checkProfile(await need(key), (await need(config)).config, await ask()),
  );

  // Markets, books and the smallest order.
  const reads = run.check('reads', VENUE, async () => checkReads((await need(config)).config, SILENT, run.newCall()));
  run.check('smallest_order', HERE, async () =>
    checkSmallestOrder((await need(config)).config, await need(reads), (await funds.result).value),
  );
  return run.steps;
}
