import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openAccount, openSigningKey } from '#venue/accounts';
import { checkStore } from '../../local/service/open-store.ts';
import { PROJECT_SETTINGS, storeFileOf, withSettingsFile } from '../../local/service/settings-file.ts';
import type { ApiCredentials, SigningKey } from '../../shared/account.ts';
import { AppError } from '../../shared/errors.ts';
import { type Config, parseLocalConfig } from '../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { ACCOUNT_WORDS, type Account } from '../../shared/venue/polymarket/accounts.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';
import { DeskError, variablesOf, type Where } from '../desk/access.ts';
import { type CheckResult, fail, ok, skip, warn } from './run.ts';

/** A wallet, and the API credentials that are set with it. */
export interface WalletKey {
  readonly wallet: Wallet;
  readonly credentials: ApiCredentials | undefined;
}

/** The settings in force. */
export interface Setup {
  readonly config: Config;
  readonly key?: { readonly signingKey: SigningKey; readonly credentials: ApiCredentials | undefined } | undefined;
  /** The setting of the local server's store of orders. */
  readonly store: string;
  /** The file that the key was read from. */
  readonly keyFile?: string | undefined;
  /** The address that a deployment is set to trade with. */
  readonly pinned?: string | undefined;
}

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

/** Parses the settings as the service does, or reads those of a deployment. */
export async function checkConfig(where: Where, env: Environment): Promise<CheckResult<Setup>> {
  try {
    const setup = await readSetup(where, env);
    const { warnings } = setup.config;
    if (warnings.length > 0) return warn(warnings.join(' '), SETTINGS, setup);
    return ok('The settings are well-formed.', setup);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DeskError)) throw error;
    return fail(error.message.replaceAll('\n', ' '), SETTINGS);
  }
}

/** A digest that is the hash of no order. */
const NO_ORDER = `0x${'00'.repeat(32)}`;

/** Opens the key of the settings and signs `NO_ORDER` with it. */
export async function checkKey({ key, config, pinned }: Setup): Promise<CheckResult<WalletKey>> {
  if (!key)
    return skip(
      'There is no wallet key: neither SERVICE_PRIVATE_KEY nor SERVICE_KMS_KEY is set, so the service only reads.',
    );
  const { signingKey, credentials } = key;
  try {
    const wallet = await openSigningKey(signingKey, config);
    await wallet.sign(NO_ORDER);
    if (pinned !== undefined && pinned !== wallet.address) {
      const fix = 'See "Rotating keys" in docs/operations.md.';
      return fail(`The key is that of ${wallet.address}, and the deployment trades with ${pinned}.`, fix);
    }
    const where = 'kmsKey' in signingKey ? `The KMS key ${signingKey.kmsKey}` : 'The wallet key';
    return ok(`${where} signs for ${wallet.address}.`, { wallet, credentials });
  } catch (error) {
    const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error;
    if (!(error instanceof ConfigError || error instanceof AppError) || !(cause instanceof Error)) throw error;
    return fail(cause.message, 'See "A key in AWS KMS" in docs/going-live.md.');
  }
}

const SEE_PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE to the account that your profile on polymarket.com shows. Where they are, the key is another one: an exported key can be one share of several, which signs nothing by itself, and a session key cannot place orders here. An address with delegated code (EIP-7702) is no deposit wallet: the venue refuses its signatures.';

/** Checks the account of the settings against those of the key; sends nothing. */
export function checkAccountKind({ config }: Setup, { wallet }: WalletKey): CheckResult<Account> {
  try {
    const account = openAccount(wallet, config);
    const { signatureType, funderAddress, warning } = account;
    if (warning !== undefined) {
      const message = warning;
      // A deposit wallet may be of an older build; the addresses of other kinds follow from the key.
      return signatureType === 'deposit-wallet' ? warn(message, SEE_PROFILE, account) : fail(message, SEE_PROFILE);
    }
    if (signatureType !== 'eoa') {
      return ok(`${funderAddress} is the ${ACCOUNT_WORDS[signatureType]} (${wallet.address}).`, account);
    }
    const fix = 'If your account is younger, use its deposit wallet: docs/going-live.md.';
    const message = `${wallet.address} trades by itself: the venue allows that to few accounts made after May 2026.`;
    return warn(message, fix, account);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(error.message, SEE_PROFILE);
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
async function judgeStore(setting: string, { proxyEnv }: Config): Promise<CheckResult> {
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
export async function checkRuntime({ config, store, key, keyFile }: Setup): Promise<CheckResult> {
  if (key === undefined) return ok(`Node ${process.version}; no store of orders is needed.`);
  if (keyFile !== undefined && isOthers(keyFile)) {
    return warn(`Others may read ${keyFile}, which holds the wallet key.`, `chmod 600 ${keyFile}`);
  }
  return judgeStore(store, config);
}
