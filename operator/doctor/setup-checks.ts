import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ForeignKeyError, openAccount } from '#venue/open-account';
import { storeFileOf } from '../../local/service/folders.ts';
import { checkStore } from '../../local/service/open-store.ts';
import { PROJECT_SETTINGS } from '../../local/service/settings-file.ts';
import type { Config } from '../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { ACCOUNT_WORDS } from '../../shared/venue/polymarket/accounts.ts';
import { DeskError, readConfig, type Where } from '../desk/access.ts';
import { accountOf, type Facts, type Finding, fail, ok, type Setup, warn } from './facts.ts';

async function readSetup(where: Where, env: Environment): Promise<Setup> {
  const { settings, stack } = where;
  const isFile = stack === undefined && env['SERVICE_PRIVATE_KEY'] === undefined;
  return { config: await readConfig(where, env), keyFile: isFile ? (settings ?? PROJECT_SETTINGS) : undefined };
}

const SETTINGS = 'npm start -- --help lists the settings.';

/** Parses the settings as the service does, or reads those of a deployment, and hands them to `found`. */
export async function checkConfig(where: Where, env: Environment, found: (setup: Setup) => void): Promise<Finding> {
  try {
    const setup = await readSetup(where, env);
    found(setup);
    const { warnings } = setup.config;
    return warnings.length > 0 ? warn(warnings.join(' '), SETTINGS) : ok('The settings are well-formed.');
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DeskError)) throw error;
    return fail(error.message.replaceAll('\n', ' '), SETTINGS);
  }
}

const SEE_PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE to the account that your profile on polymarket.com shows. Where they are, the key is another one: an exported key can be one share of several, which signs nothing by itself, and a session key cannot place orders here. An address with delegated code (EIP-7702) is no deposit wallet: the venue refuses its signatures.';

/** Opens the account of the settings as the service does: a key of KMS signs once. */
export async function checkKey(facts: Facts): Promise<Finding> {
  const { config } = facts.setup;
  const { key } = config;
  if (!key) accountOf(facts);
  try {
    const account = await openAccount(config);
    const { wallet, signatureType, funderAddress, warning } = account;
    const who = key && 'kmsKey' in key ? `The KMS key ${key.kmsKey}` : 'The wallet key';
    const signs = `${who} signs for ${wallet.address}.`;
    // A deposit wallet may be of an older build; the addresses of other kinds follow from the key.
    if (warning !== undefined && signatureType !== 'deposit-wallet') return fail(`${signs} ${warning}`, SEE_PROFILE);
    facts.account = account;
    if (warning !== undefined) return warn(`${signs} ${warning}`, SEE_PROFILE);
    if (signatureType !== 'eoa') return ok(`${signs} ${funderAddress} is the ${ACCOUNT_WORDS[signatureType]} of it.`);
    return warn(
      `${signs} This address trades by itself: the venue allows that to few accounts made after May 2026.`,
      'If your account is younger, use its deposit wallet: docs/going-live.md.',
    );
  } catch (error) {
    if (error instanceof ForeignKeyError) return fail(error.message, 'See "Rotating keys" in docs/operations.md.');
    if (!(error instanceof ConfigError)) throw error;
    return fail(error.message, /SIGNATURE|FUNDER/.test(error.message) ? SEE_PROFILE : SEE_KMS);
  }
}

const SEE_KMS = 'See "A key in AWS KMS" in docs/going-live.md.';

function isOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o077) !== 0;
}

/** Returns the path if it exists, else the nearest existing folder above it. */
function nearest(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? path : nearest(dirname(path));
}

/** Reads an existing store, and creates none. */
async function judgeStore(setting: string, { proxyEnv }: Config): Promise<Finding> {
  const isFile = tableOf(setting) === undefined;
  try {
    const place = isFile ? storeFileOf(setting) : setting;
    const found = ok(`Node ${process.version}; orders are kept in ${place}.`);
    if (isFile) {
      const there = nearest(place);
      accessSync(there, there === place ? constants.W_OK : constants.W_OK | constants.X_OK);
      if (isOthers(place)) return fail(`Others may read ${place}, which holds signed orders.`, `chmod 600 ${place}`);
      // The service creates a missing store, and fills an empty file.
      if (there !== place || statSync(place).size === 0) return found;
    }
    await checkStore(setting, proxyEnv);
    return found;
  } catch (error) {
    const reason = Error.isError(error) ? error.message.replace(/\.$/, '') : 'unknown';
    const fix = isFile
      ? 'Set SERVICE_STORE to a file in a folder of your own that you may write to, and that only the service uses.'
      : 'Set AWS_REGION and credentials of AWS that may read and write this table.';
    return fail(`The store of orders (${setting}) cannot be used: ${reason}.`, fix);
  }
}

/** Checks Node, the store of orders and the file of the key. */
export async function checkRuntime({ setup: { config, keyFile } }: Facts): Promise<Finding> {
  if (config.key === undefined) return ok(`Node ${process.version}; no store of orders is needed.`);
  if (keyFile !== undefined && isOthers(keyFile)) {
    return warn(`Others may read ${keyFile}, which holds the wallet key.`, `chmod 600 ${keyFile}`);
  }
  return judgeStore(config.store, config);
}
