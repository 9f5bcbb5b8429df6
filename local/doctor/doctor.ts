import { createLog } from '../../shared/log.ts';
import type { Environment } from '../../shared/settings/table.ts';
import {
  type Account,
  createInspection,
  type Inspection,
} from '../../shared/venue/polymarket/inspection/inspection.ts';
import {
  type Asking,
  checkApprovals,
  checkClosedOnly,
  checkCredentials,
  checkFunds,
  checkProfile,
  writeCredentials,
} from './account-checks.ts';
import { createRun, need, type Run, type Step } from './run.ts';
import {
  checkAccountKind,
  checkConfig,
  checkRuntime,
  checkSecret,
  type Key,
  keyOf,
  type Setup,
} from './setup-checks.ts';
import { checkSignatures } from './signatures.ts';
import { checkClock, checkPicture, checkReads, checkRegion, checkSmallestOrder, checkVersion } from './venue-checks.ts';

/** The choices of a run. */
export interface DoctorOptions {
  /** Sends the one empty order that shows if the venue takes orders from here. */
  readonly probe: boolean;
  /** Has the venue read balance and allowances from the chain again. */
  readonly refresh: boolean;
  /** The name or ARN of a deployment's secret. */
  readonly secret?: string | undefined;
  /** The new file for the API credentials. */
  readonly credentialsFile?: string | undefined;
  /** A file of settings to read instead of the project's own. */
  readonly settings?: string | undefined;
  /** Base URLs of the website and of the Data API, which are no settings. */
  readonly siteUrl: string;
  readonly dataUrl: string;
}

/** The findings are what is told. */
const SILENT = createLog({ level: 'error', write: () => undefined });

const HERE = { asks: 'This machine' };
const CLOB = { asks: 'The CLOB (SERVICE_CLOB_URL)' };
const GAMMA = { asks: 'Gamma (SERVICE_GAMMA_URL)' };

/** A run with what its checks share. */
interface Shared {
  readonly run: Run;
  readonly options: DoctorOptions;
  readonly config: Step<Setup>;
  readonly key: Step<Key>;
  /** Connects to the hosts of the settings; throws `Unmet` where these are malformed. */
  readonly ask: () => Promise<Asking>;
}

function share(run: Run, options: DoctorOptions, env: Environment): Shared {
  const { secret, siteUrl, dataUrl } = options;
  const config = run.check('config', HERE, async () => checkConfig(options, env));
  const key =
    secret === undefined
      ? { id: 'config', result: config.result.then(({ value, finding }) => (value ? keyOf(value) : { finding })) }
      : run.check('secret', { asks: 'AWS Secrets Manager' }, async () => checkSecret(secret, await need(config)));
  let venue: Inspection | undefined;
  const ask = async () => {
    const { gammaUrl, clobUrl } = (await need(config)).config;
    venue ??= createInspection({ gammaUrl, clobUrl, siteUrl, dataUrl }, SILENT);
    return { venue, newCall: run.newCall };
  };
  return { run, options, config, key, ask };
}

/** Adds the checks of this machine and of the venue as every visitor sees it. */
function addOpening({ run, options, config, key, ask }: Shared): Step<Account> {
  const account = run.check('account_kind', HERE, async () => checkAccountKind(await need(config), await need(key)));
  run.check('runtime', HERE, async () => checkRuntime(await need(config), SILENT));
  run.check('clock', CLOB, async () => checkClock(await ask()));
  run.check('venue_version', { ...CLOB, optional: true }, async () => checkVersion(await ask()));
  run.check('signatures', HERE, async () => checkSignatures((await need(config)).config.builderCode));
  const site = { asks: new URL(options.siteUrl).host, optional: true };
  run.check('region', options.probe ? CLOB : site, async () => checkRegion(options.probe, await ask()));
  return account;
}

/** Adds the checks of the account; gives the funds. */
function addAccount({ run, options, key, config, ask }: Shared, account: Step<Account>) {
  const { credentialsFile: file, dataUrl } = options;
  const opened = run.check('credentials', CLOB, async () => checkCredentials(await need(key), await ask()));
  if (file !== undefined) {
    run.check('credentials_file', CLOB, async () => writeCredentials(file, await need(key), await ask()));
  }
  run.check('closed_only', CLOB, async () => checkClosedOnly(await need(opened), await ask()));
  const funds = run.check('funds', CLOB, async () =>
    checkFunds(await need(account), await need(opened), options.refresh, await ask()),
  );
  const data = { asks: new URL(dataUrl).host, optional: true };
  run.check('approvals', data, async () => checkApprovals(await need(account), funds.result, await ask()));
  run.check('profile', { ...GAMMA, optional: true }, async () => {
    const { funderAddress } = (await need(config)).config;
    const owner = await need(key);
    return checkProfile(owner, funderAddress ?? owner.wallet.address, await ask());
  });
  return funds;
}

/** Begins all checks; each waits for those that it needs. They are printed in the order of the steps. */
export function examine(options: DoctorOptions, env: Environment): readonly Step<unknown>[] {
  const run = createRun();
  const shared = share(run, options, env);
  const funds = addAccount(shared, addOpening(shared));
  const { config, ask } = shared;
  const reads = run.check('reads', { asks: 'The venue' }, async () =>
    checkReads((await need(config)).config, SILENT, run.newCall),
  );
  run.check('smallest_order', HERE, async () => {
    const { config: settings } = await need(config);
    return checkSmallestOrder(settings, await need(reads), (await funds.result).value);
  });
  run.check('picture', { asks: 'The venue', optional: true }, async () => {
    await need(reads);
    return checkPicture(await ask());
  });
  return run.steps;
}
