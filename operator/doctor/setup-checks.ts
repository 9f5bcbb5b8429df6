import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openAccount, openSigningKey } from '#venue/accounts';
import { storeFileOf } from '../../local/service/folders.ts';
import { checkStore } from '../../local/service/open-store.ts';
import { PROJECT_SETTINGS, withSettingsFile } from '../../local/service/settings-file.ts';
import { AppError } from '../../shared/errors.ts';
import { type Config, parseLocalConfig } from '../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { ACCOUNT_WORDS } from '../../shared/venue/polymarket/accounts.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';
import { DeskError, variablesOf, type Where } from '../desk/access.ts';
import { type Facts, type Finding, fail, keyOf, ok, type Setup, warn } from './facts.ts';

async function readSetup(where: Where, own: Environment): Promise<Setup> {
  const deployed = where.stack === undefined ? undefined : await variablesOf(where, own);
  const file = where.settings;
  const env = deployed?.variables ?? withSettingsFile(file, own);
  const config = parseLocalConfig(env);
  // With the opt-in: the settings of a service that only reads have no API credentials.
  const { orders } = parseLocalConfig({ ...env, SERVICE_PLACE_ORDER: '1', SERVICE_HOST: '' });
  return {
    config,
    key: orders.kind === 'on' ? { signingKey: orders.key, credentials: orders.credentials } : undefined,
    store: config.store,
    pinned: deployed?.pinned,
    keyFile:
      deployed === undefined && own['SERVICE_PRIVATE_KEY'] === undefined ? (file ?? PROJECT_SETTINGS) : undefined,
  };
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

/** Judges the account of the settings against those of the key; sends nothing. */
function judgeAccount(facts: Facts, wallet: Wallet): Finding {
  try {
    const account = openAccount(wallet, facts.setup.config);
    const { signatureType, funderAddress, warning } = account;
    // A deposit wallet may be of an older build; the addresses of other kinds follow from the key.
    if (warning !== undefined && signatureType !== 'deposit-wallet') return fail(warning, SEE_PROFILE);
    facts.account = account;
    if (warning !== undefined) return warn(warning, SEE_PROFILE);
    if (signatureType !== 'eoa') return ok(`${funderAddress} is the ${ACCOUNT_WORDS[signatureType]} of it.`);
    return warn(
      'This address trades by itself: the venue allows that to few accounts made after May 2026.',
      'If your account is younger, use its deposit wallet: docs/going-live.md.',
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(error.message, SEE_PROFILE);
  }
}

/** A digest that is the hash of no order. */
const NO_ORDER = `0x${'00'.repeat(32)}`;

/** Opens the key of the settings, signs `NO_ORDER` with it, and judges the account. */
export async function checkKey(facts: Facts): Promise<Finding> {
  const { config, pinned } = facts.setup;
  const { signingKey } = keyOf(facts);
  try {
    const wallet = await openSigningKey(signingKey, config);
    await wallet.sign(NO_ORDER);
    if (pinned !== undefined && pinned !== wallet.address) {
      const fix = 'See "Rotating keys" in docs/operations.md.';
      return fail(`The key is that of ${wallet.address}, and the deployment trades with ${pinned}.`, fix);
    }
    facts.wallet = wallet;
    const account = judgeAccount(facts, wallet);
    const key = 'kmsKey' in signingKey ? `The KMS key ${signingKey.kmsKey}` : 'The wallet key';
    return { ...account, message: `${key} signs for ${wallet.address}. ${account.message}` };
  } catch (error) {
    const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error;
    if (!(error instanceof ConfigError || error instanceof AppError) || !(cause instanceof Error)) throw error;
    return fail(cause.message, 'See "A key in AWS KMS" in docs/going-live.md.');
  }
}

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
export async function checkRuntime({ setup: { config, store, key, keyFile } }: Facts): Promise<Finding> {
  if (key === undefined) return ok(`Node ${process.version}; no store of orders is needed.`);
  if (keyFile !== undefined && isOthers(keyFile)) {
    return warn(`Others may read ${keyFile}, which holds the wallet key.`, `chmod 600 ${keyFile}`);
  }
  return judgeStore(store, config);
}
