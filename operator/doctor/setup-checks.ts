import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openAccount, openSigningKey } from '#venue/accounts';
import { createWalletKeyReader, type WalletKey } from '../../functions/orders/wallet-key.ts';
import { checkStore } from '../../local/service/open-store.ts';
import { PROJECT, PROJECT_SETTINGS, storeFileOf, withSettingsFile } from '../../local/service/settings-file.ts';
import type { ApiCredentials, SigningKey } from '../../shared/account.ts';
import { AppError } from '../../shared/errors.ts';
import { type Config, parseDeployedConfig, parseLocalConfig } from '../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import { inVariables } from '../../shared/settings/read.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { ACCOUNT_WORDS, deriveAccounts, findAccount, listAccounts } from '../../shared/venue/polymarket/accounts.ts';
import type { Account } from '../inspection/inspection.ts';
import type { DoctorOptions } from './options.ts';
import { type CheckResult, fail, ok, skip, warn } from './run.ts';

/** The settings in force. */
export interface Setup {
  readonly config: Config;
  /** The key of the settings; a deployment's is in its secret store. */
  readonly key?: { readonly signingKey: SigningKey; readonly credentials: ApiCredentials | undefined } | undefined;
  /** The address that a deployment may trade with. */
  readonly pinnedAddress?: string | undefined;
  /** The setting of the local server's store of orders. */
  readonly store?: string;
  /** The file that the key was read from. */
  readonly keyFile?: string | undefined;
}

function readDeployedSetup(env: Environment): Setup {
  const config = parseDeployedConfig(env);
  // The settings as they will be with the opt-in.
  return { config, pinnedAddress: parseDeployedConfig({ ...env, SERVICE_PLACE_ORDER: '1' }).walletAddress };
}

function readLocalSetup(file: string | undefined, own: Environment): Setup {
  const env = withSettingsFile(file, own);
  const config = parseLocalConfig(env);
  // As it will be with the opt-in: a service that only reads is given no API credentials.
  const { orders } = parseLocalConfig({ ...env, SERVICE_PLACE_ORDER: '1', SERVICE_HOST: '' });
  return {
    config,
    key: orders.kind === 'on' ? { signingKey: orders.key, credentials: orders.credentials } : undefined,
    store: config.store,
    keyFile: own['SERVICE_PRIVATE_KEY'] === undefined ? (file ?? PROJECT_SETTINGS) : undefined,
  };
}

const SETTINGS = 'npm start -- --help lists the settings.';

/** Parses the settings as the service does: of a deployment from the environment, else of a file too. */
export function checkConfig({ secret, settings }: DoctorOptions, env: Environment): CheckResult<Setup> {
  try {
    const setup = secret === undefined ? readLocalSetup(settings, env) : readDeployedSetup(env);
    const { warnings } = setup.config;
    if (warnings.length > 0) return warn(warnings.join(' '), SETTINGS, setup);
    return ok('The settings are well-formed.', setup);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(error.message.replaceAll('\n', ' '), SETTINGS);
  }
}

/** A digest that no venue takes: it is the hash of no order. */
const NO_ORDER = `0x${'00'.repeat(32)}`;

/** Opens the key of the settings, and signs nothing of value with it; without a key the checks that need one are skipped. */
export async function checkKey({ key, config }: Setup): Promise<CheckResult<WalletKey>> {
  if (!key)
    return skip(
      'There is no wallet key: neither SERVICE_PRIVATE_KEY nor SERVICE_KMS_KEY is set, so the service only reads.',
    );
  const { signingKey, credentials } = key;
  try {
    const wallet = await openSigningKey(signingKey, config);
    await wallet.sign(NO_ORDER);
    const where = 'kmsKey' in signingKey ? `The KMS key ${signingKey.kmsKey}` : 'The wallet key';
    return ok(`${where} signs for ${wallet.address}.`, { wallet, credentials });
  } catch (error) {
    const cause = error instanceof AppError && error.cause instanceof Error ? error.cause : error;
    if (!(error instanceof ConfigError || error instanceof AppError) || !(cause instanceof Error)) throw error;
    return fail(cause.message, 'docs/going-live.md says how to make the key and who must be allowed to use it.');
  }
}

/** Reads the key of a deployment with the reader of its function, and holds it against the pinned address. */
export async function checkSecret(name: string, { pinnedAddress, config }: Setup): Promise<CheckResult<WalletKey>> {
  let key: WalletKey;
  try {
    key = await createWalletKeyReader({ secret: name }, config.builderCode)();
  } catch (error) {
    // Only our own sentences are repeated: they hold no part of a secret.
    if (error instanceof ConfigError) {
      const message = `${name} is of no use: ${error.message.replaceAll('\n', ' ')}`;
      return fail(message, 'docs/deploying.md says what it must hold.');
    }
    const kind = error instanceof Error ? error.name : 'unknown';
    return fail(
      `AWS Secrets Manager does not give the secret ${name} (${kind}).`,
      'Check its name, AWS_REGION, the AWS credentials, and that these may call secretsmanager:GetSecretValue on it.',
    );
  }
  const { address } = key.wallet;
  if (pinnedAddress?.toLowerCase() !== address.toLowerCase()) {
    const pinned = pinnedAddress === undefined ? 'is not set' : `is ${pinnedAddress}`;
    const message = `The secret ${name} holds the key of ${address}, but SERVICE_WALLET_ADDRESS ${pinned}.`;
    return fail(message, `Set SERVICE_WALLET_ADDRESS=${address}, or put the right key into the secret.`);
  }
  return ok(`The secret ${name} holds the key of ${address}.`, key);
}

const SEE_PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE to the account that your profile on polymarket.com shows. Where they are, the key is another one: an exported key can be one share of several, which signs nothing by itself, and a session key cannot place orders here.';

/** Judges the account that orders would be signed for. */
function judgeAccount(account: Account): CheckResult<Account> {
  const { wallet, signatureType, funderAddress } = account;
  if (signatureType === 'eoa') {
    const fix = 'If your account is younger, use its deposit wallet: docs/going-live.md.';
    const message = `${wallet.address} trades by itself: the venue allows that to few accounts made after May 2026.`;
    return warn(message, fix, account);
  }
  if (findAccount(wallet.address, funderAddress)) {
    return ok(`${funderAddress} is the ${ACCOUNT_WORDS[signatureType]} (${wallet.address}).`, account);
  }
  const own = listAccounts(deriveAccounts(wallet.address));
  const message = `${funderAddress} is none of the accounts of this key, which are ${own}.`;
  // A deposit wallet may be of an older build; the other kinds the contracts compute.
  return signatureType === 'deposit-wallet' ? warn(message, SEE_PROFILE, account) : fail(message, SEE_PROFILE);
}

/** Derives the accounts of the key and finds the one that is set among them; sends nothing. */
export function checkAccountKind({ config }: Setup, { wallet }: WalletKey): CheckResult<Account> {
  const { funderAddress, signatureType } = config;
  const found = funderAddress === undefined ? undefined : findAccount(wallet.address, funderAddress);
  if (found && signatureType !== undefined && found.signatureType !== signatureType) {
    const message = `${found.address} is the ${ACCOUNT_WORDS[found.signatureType]}; you set ${signatureType}.`;
    return fail(message, `Set SERVICE_SIGNATURE_TYPE=${found.signatureType}.`);
  }
  try {
    return judgeAccount(inVariables(() => openAccount(wallet, config)));
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

/** Reads an existing store, and creates none. Returns what is wrong with it. */
async function judgeStore(setting: string, place: string): Promise<CheckResult | undefined> {
  const isTable = tableOf(setting) !== undefined;
  const fix = isTable
    ? 'Set AWS_REGION and credentials of AWS that may read and write this table.'
    : 'Set SERVICE_STORE to a file in a folder of your own that you may write to, and that no other program holds.';
  try {
    // Throws for a relative path in an installed package.
    if (!isTable) storeFileOf(setting);
    const there = isTable ? place : nearest(place);
    if (there !== place) {
      if (!statSync(there).isDirectory()) return fail(`${there} is not a folder: there is no room for ${place}.`, fix);
      accessSync(there, constants.W_OK | constants.X_OK);
      return undefined;
    }
    // Opening a pipe would wait for its other end.
    if (!isTable && !statSync(place).isFile()) return fail(`${place} is there, and is no file.`, fix);
    if (isOthers(place)) return fail(`Others may read ${place}, which holds signed orders.`, `chmod 600 ${place}`);
    if (!isTable && statSync(place).size === 0) return undefined;
    await checkStore(setting);
    if (!isTable) accessSync(place, constants.W_OK);
    return undefined;
  } catch (error) {
    const reason = Error.isError(error) ? error.message.replace(/\.$/, '') : 'unknown';
    return fail(`The store of orders at ${place} cannot be used (${reason}).`, fix);
  }
}

/** Checks the process that would serve: its Node, its store of orders and the file of its key. */
export async function checkRuntime({ store, key, keyFile }: Setup): Promise<CheckResult> {
  const node = `Node ${process.version}`;
  if (store === undefined || key === undefined) return ok(`${node}; no store of orders is needed.`);
  const place = tableOf(store) === undefined ? resolve(PROJECT, store) : store;
  const bad = await judgeStore(store, place);
  if (bad) return bad;
  if (keyFile !== undefined && isOthers(keyFile)) {
    return warn(`Others may read ${keyFile}, which holds the wallet key.`, `chmod 600 ${keyFile}`);
  }
  return ok(`${node}; orders are kept in ${place}.`);
}
