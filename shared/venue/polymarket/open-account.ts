import type { ApiCredentials } from '../../account.ts';
import type { AwsRoute } from '../../aws-client.ts';
import type { Secret } from '../../secret.ts';
import type { Config } from '../../settings/config.ts';
import { CREDENTIAL_NAMES } from '../../settings/credentials.ts';
import { ConfigError } from '../../settings/formats.ts';
import { openWallet, type Wallet } from '../../wallets/evm-key.ts';
import { type Account, type ChosenAccount, chooseAccount } from './accounts.ts';

export { AccountError, chooseAccount, EOA_WARNING } from './accounts.ts';

/** The settings of an account; `region`: that of AWS, if it is not the environment's. */
type AccountConfig = Pick<
  Config,
  'mode' | 'key' | 'credentials' | 'walletAddress' | 'signatureType' | 'funderAddress' | 'builderCode' | 'proxyEnv'
> &
  Pick<AwsRoute, 'region'>;

/** Thrown for a key that is not that of the wallet to trade with. */
export class ForeignKeyError extends ConfigError {
  override readonly name = 'ForeignKeyError';
  readonly address: string;

  constructor(address: string) {
    super(`The wallet key is that of ${address}: SERVICE_WALLET_ADDRESS names another wallet.`);
    this.address = address;
  }
}

/** The hash that a KMS key signs as a test: no order has it. */
const PROOF = `0x${'01'.repeat(32)}`;

/** An account with its API credentials, if some are given. */
type OpenAccount = Account & ChosenAccount & { readonly credentials: ApiCredentials | undefined };

/** A key that signs, in this process or in KMS, and the API credentials that are given with it. */
interface Held {
  readonly key: { readonly privateKey: Secret } | { readonly kmsKey: string } | undefined;
  readonly credentials: ApiCredentials | undefined;
}

/** Reads what the settings name: the secret that holds the key, or the credentials beside a key of KMS. */
async function readHeld({ key, credentials, ...config }: AccountConfig): Promise<Held> {
  if (!key || 'privateKey' in key || ('kmsKey' in key && key.credentialsSecret === undefined))
    return { key, credentials };
  // Loaded only here: a key in this process needs no client of AWS.
  const { readSecret } = await import('./account-secret.ts');
  const isKms = 'kmsKey' in key;
  const name = isKms ? key.credentialsSecret : key.secret;
  const { privateKey, credentials: held } = await readSecret(`${name}`, config);
  if (isKms && privateKey)
    throw new ConfigError(`The secret ${name} must hold no private key: SERVICE_KMS_KEY is set.`);
  return { key: isKms ? key : privateKey && { privateKey }, credentials: credentials ?? held };
}

/**
 * Opens the wallet of a key. One in KMS signs once where orders are placed: a disabled key, or a role that may not sign, is
 * found here.
 */
async function openKey(
  key: NonNullable<Held['key']>,
  { mode, builderCode, region, proxyEnv }: AccountConfig,
): Promise<Wallet> {
  if ('privateKey' in key) {
    // Both are 32 bytes of hex, and each order publishes the code.
    if (builderCode !== key.privateKey.reveal().toLowerCase()) return openWallet(key.privateKey);
    throw new ConfigError('SERVICE_BUILDER_CODE must not be the private key: it is published with each order.');
  }
  const { openKmsWallet } = await import('../../wallets/kms-key.ts');
  const wallet = await openKmsWallet(key.kmsKey, { region, proxyEnv });
  if (mode === 'read-only') return wallet;
  await wallet.sign(PROOF).catch(({ cause }: Error) => {
    throw new ConfigError(cause instanceof Error ? cause.message : 'KMS does not sign.', { cause });
  });
  return wallet;
}

async function openHeld({ key, credentials }: Held, config: AccountConfig): Promise<OpenAccount> {
  const { walletAddress: pinned, builderCode } = config;
  if (!key) {
    throw new ConfigError(
      config.key && 'secret' in config.key
        ? `The secret ${config.key.secret} must hold the privateKey.`
        : `SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set, or SERVICE_WALLET_ADDRESS with ${CREDENTIAL_NAMES.join(', ')}.`,
    );
  }
  const wallet = await openKey(key, config);
  if (pinned !== undefined && wallet.address.toLowerCase() !== pinned.toLowerCase()) {
    throw new ForeignKeyError(wallet.address);
  }
  return { wallet, credentials, builderCode, ...chooseAccount(wallet.address, config) };
}

/**
 * Opens the account of the settings. Throws `ConfigError` where the key cannot be read, does not sign or does not control the
 * account, and `ForeignKeyError` for that of another wallet than SERVICE_WALLET_ADDRESS.
 */
export async function openAccount(config: AccountConfig): Promise<OpenAccount> {
  return openHeld(await readHeld(config), config);
}

/** The wallet address and the credentials for reads of an account. */
export interface ReadAccess {
  readonly address: string;
  readonly credentials: ApiCredentials | undefined;
  /** Signs for API credentials where none are given. */
  readonly wallet: Wallet | undefined;
}

/**
 * Opens an account for reads, without its key where address and API credentials are given. KMS is asked for a signature only
 * to derive credentials. Throws as `openAccount`.
 */
export async function openForReads(config: AccountConfig): Promise<ReadAccess> {
  const { walletAddress: address } = config;
  const held = config.credentials && address !== undefined ? { ...config, key: undefined } : await readHeld(config);
  const { key, credentials } = held;
  if (credentials && address !== undefined && !(key && 'privateKey' in key)) {
    return { address, credentials, wallet: undefined };
  }
  const { wallet } = await openHeld(held, config);
  return { address: wallet.address, credentials, wallet: credentials ? undefined : wallet };
}

/** Loads the wallets of clients. Exported here because the layer has all cryptography. */
export async function loadWalletKinds() {
  return (await import('../../wallets/wallet-kinds.ts')).WALLET_KINDS;
}
