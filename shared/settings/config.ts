import { parseCredentials } from './credentials.ts';
import { type Attempt, ConfigError, LOOPBACK, readAll } from './formats.ts';
import {
  COMMON_SETTINGS,
  DEPLOYMENT_SETTINGS,
  type Environment,
  LOCAL_SETTINGS,
  readSettings,
  refuseUnknown,
  type Values,
} from './table.ts';

/** Settings of every process, by their names in the table. */
export interface Config extends Omit<Values<typeof COMMON_SETTINGS>, 'placeOrder'> {
  /** Sentences for the log about settings that are not errors but surprise. */
  readonly warnings: readonly string[];
}

/** Settings of the local server. */
export type LocalConfig = ReturnType<typeof parseLocalConfig>;

/** Settings of a deployed function. */
export type DeployedConfig = ReturnType<typeof parseDeployedConfig>;

/** The two modes of the service. */
export type Mode = 'read-only' | 'order-placing';

/** Returns the mode that the settings of a local server make. */
export function modeOf({ orders }: LocalConfig): Mode {
  return orders.kind === 'off' ? 'read-only' : 'order-placing';
}

/** The warning in the log of a service that places orders for the address of its key. */
export const EOA_WARNING =
  'the account is eoa: the venue takes orders of such accounts only from its allowlist; a newer account is a deposit wallet, and SERVICE_FUNDER_ADDRESS its address';

/** Returns the warning for a service with only a key or only the opt-in; `variable` is the one that brings the key. */
function warnOfReadOnly(optIn: boolean | undefined, variable: string, key: unknown): string[] {
  if (optIn === false) {
    return ['SERVICE_PLACE_ORDER is set to something other than 1, so order placement stays disabled.'];
  }
  if (optIn && key === undefined) {
    return [`SERVICE_PLACE_ORDER is 1 but ${variable} is not set: the service is read-only.`];
  }
  if (!optIn && key !== undefined) {
    return [`${variable} is set but SERVICE_PLACE_ORDER is not 1: the service is read-only.`];
  }
  return [];
}

/** Returns a warning for each setting of deployments: SERVICE_WALLET_ADDRESS, for example, pins nothing locally. */
function warnOfUnused(env: Environment): string[] {
  const given = Object.values(DEPLOYMENT_SETTINGS).filter(({ name }) => env[name]);
  return given.map(
    ({ name }) => `${name} is a setting of deployed functions alone: the local server does not read it.`,
  );
}

function readCommon(env: Environment, attempt: Attempt): Values<typeof COMMON_SETTINGS> {
  attempt(() => refuseUnknown(env));
  return readSettings(env, COMMON_SETTINGS, attempt);
}

/** Refuses a kind of account without its address, where no key is at hand to say which address that is. */
function requireFunder(env: Environment, { signatureType }: Pick<Config, 'signatureType'>): void {
  const { funderAddress } = COMMON_SETTINGS;
  if (signatureType === undefined || signatureType === 'eoa' || env[funderAddress.name]) return;
  throw new ConfigError('SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.');
}

/** Refuses orders over the network without consent. A malformed one is reported where it is parsed. */
function requireConsent(env: Environment, host: string): void {
  const { privateKey, remoteOrders } = LOCAL_SETTINGS;
  if (LOOPBACK.test(host) || !env[privateKey.name] || env[remoteOrders.name]) return;
  throw new ConfigError(
    'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.',
  );
}

/** Refuses verification by names that anybody may send: a signature for another service would be good here. */
function requireAuthority(env: Environment, { host, allowedHosts }: Pick<LocalConfig, 'host' | 'allowedHosts'>): void {
  const { publicAuthority } = COMMON_SETTINGS;
  if ((LOOPBACK.test(host) && allowedHosts.length === 0) || env[publicAuthority.name]) return;
  throw new ConfigError(
    'SERVICE_PUBLIC_AUTHORITY must be set where clients are verified and SERVICE_HOST is not loopback or SERVICE_ALLOWED_HOSTS is set: it is what clients sign for.',
  );
}

/** Parses the settings of the local server; throws `ConfigError` with a sentence for each mistake. */
export function parseLocalConfig(env: Environment) {
  return readAll((attempt) => {
    const { placeOrder, ...common } = readCommon(env, attempt);
    const { remoteOrders, privateKey, clobApiKey, clobApiSecret, clobApiPassphrase, ...local } = readSettings(
      env,
      LOCAL_SETTINGS,
      attempt,
    );
    if (!privateKey) attempt(() => requireFunder(env, common));
    if (placeOrder) attempt(() => requireConsent(env, local.host));
    if (placeOrder && privateKey && common.clientVerification === 'required')
      attempt(() => requireAuthority(env, local));
    const credentials = attempt(() => parseCredentials([clobApiKey, clobApiSecret, clobApiPassphrase]));
    const missing = [privateKey ? [] : 'SERVICE_PRIVATE_KEY', placeOrder ? [] : 'SERVICE_PLACE_ORDER=1'].flat();
    return {
      ...common,
      ...local,
      // The key is in the environment. Without the opt-in `/health` shows its address all the same.
      orders:
        placeOrder && privateKey
          ? ({ kind: 'on', privateKey, credentials } as const)
          : ({ kind: 'off', missing, privateKey } as const),
      warnings: [...warnOfReadOnly(placeOrder, 'SERVICE_PRIVATE_KEY', privateKey), ...warnOfUnused(env)],
    };
  });
}

/** Parses the settings of a function; throws `ConfigError` with a sentence for each mistake. */
export function parseDeployedConfig(env: Environment) {
  return readAll((attempt) => {
    const { placeOrder, ...common } = readCommon(env, attempt);
    attempt(() => requireFunder(env, common));
    const { walletAddress, privateKeySecret, ordersTable, ...told } = readSettings(env, DEPLOYMENT_SETTINGS, attempt);
    const isComplete = placeOrder && walletAddress && told.orderAccess && privateKeySecret && ordersTable;
    return {
      ...common,
      ...told,
      // Set where the deployment takes orders, also for the function of health. EIP-55.
      walletAddress: placeOrder ? walletAddress : undefined,
      // The key is in a secret store. Only the function that places orders is told where.
      orders: isComplete
        ? ({ kind: 'on', walletAddress, privateKeySecret, ordersTable } as const)
        : ({ kind: 'off' } as const),
      warnings: warnOfReadOnly(placeOrder, 'SERVICE_WALLET_ADDRESS', walletAddress),
    };
  });
}
