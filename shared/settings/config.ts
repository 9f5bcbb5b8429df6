import type * as z from 'zod/mini';
import type { SigningKey } from '../account.ts';
import type { ProxyEnv } from '../proxy.ts';
import { completeCredentials } from './credentials.ts';
import { LOOPBACK, sentencesOf, throwProblems } from './formats.ts';
import { readVariables } from './read.ts';
import { funderRule, type OrderValues, orderRules } from './rules.ts';
import { DEPLOYED, type Environment, LOCAL, SETTINGS } from './table.ts';

type Common = typeof SETTINGS.orders & typeof SETTINGS.common;

/** Settings of every process, by their names in the table. */
export interface Config extends Readonly<Omit<z.infer<z.ZodMiniObject<Common>>, 'placeOrder' | 'kmsKey'>> {
  /** Sentences for the log about settings that are not errors but surprise. */
  readonly warnings: readonly string[];
  readonly proxyEnv: ProxyEnv;
}

/** Settings of the local server. */
export type LocalConfig = ReturnType<typeof parseLocalConfig>;

/** Settings of a deployed function. */
export type DeployedConfig = ReturnType<typeof parseDeployedConfig>;

/** The two modes of the service. */
export type Mode = 'read-only' | 'order-placing';

/** Returns the warning for a service with only a key or only the opt-in. */
function warningOf(isAsked: boolean, missing: readonly string[]): readonly string[] {
  if (!isAsked || missing.length === 0) return [];
  return [`The service is read-only: ${missing.join(' and ')} must be set to place orders.`];
}

/** Returns warnings about orders of anyone, and of any size. */
function risksOf(config: OrderValues, isExposed: boolean): readonly string[] {
  const caps = [config.maxOrderNotional, config.maxDailyNotional, config.maxDailyNotionalPerClient];
  return sentencesOf([
    isExposed &&
      config.clientVerification === 'off' &&
      'unverified orders beyond loopback: anyone who reaches the port can trade; set SERVICE_CLIENT_VERIFICATION=required',
    caps.every((cap) => cap === undefined) &&
      'orders without a cap: set SERVICE_MAX_ORDER_NOTIONAL or SERVICE_MAX_DAILY_NOTIONAL',
  ]);
}

/** Where a deployment has its key, and its API credentials if they are not derived. */
export type KeySource =
  | { readonly secret: string }
  | { readonly kmsKey: string; readonly credentialsSecret: string | undefined };

/** Parses the settings of the local server; throws `ConfigError` with a sentence for each mistake. */
export function parseLocalConfig(env: Environment) {
  const { values, warnings } = readVariables(env, LOCAL);
  const {
    placeOrder,
    remoteOrders,
    privateKey,
    kmsKey,
    clobApiKey,
    clobApiSecret,
    clobApiPassphrase,
    httpsProxy,
    noProxy,
    ...config
  } = values;
  const credentials = completeCredentials([clobApiKey, clobApiSecret, clobApiPassphrase]);
  const isLoopback = LOOPBACK.test(config.host);
  // A proxy on this machine passes on requests for other names.
  const isExposed = !isLoopback || config.allowedHosts.length > 0;
  const key: SigningKey | undefined = kmsKey === undefined ? privateKey && { privateKey } : { kmsKey };
  const takesOrders = placeOrder && key !== undefined;
  throwProblems([
    key === undefined && funderRule(config),
    ...orderRules(values),
    takesOrders &&
      !isLoopback &&
      !remoteOrders &&
      'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.',
    takesOrders &&
      env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' &&
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 where orders are enabled: Node would send orders to a venue that it has not verified.',
    // Others choose the `Host` of their requests: a signature for another service would pass.
    takesOrders &&
      config.clientVerification === 'required' &&
      isExposed &&
      !config.publicAuthority &&
      'SERVICE_PUBLIC_AUTHORITY must be set where clients are verified and SERVICE_HOST is not loopback or SERVICE_ALLOWED_HOSTS is set: clients sign for it.',
  ]);
  const mode: Mode = takesOrders ? 'order-placing' : 'read-only';
  const missing = sentencesOf([
    !key && 'SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY',
    !placeOrder && 'SERVICE_PLACE_ORDER=1',
  ]);
  return {
    ...config,
    proxyEnv: { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy },
    mode,
    /** Sentences for the log about orders with little protection. */
    risks: takesOrders ? risksOf(config, isExposed) : [],
    // Without the opt-in `/health` shows the address of the key all the same.
    orders: takesOrders ? ({ kind: 'on', key, credentials } as const) : ({ kind: 'off', missing, key } as const),
    warnings: [...warningOf(placeOrder !== undefined || key !== undefined, missing), ...warnings],
  };
}

/** Parses the settings of a function; throws `ConfigError` with a sentence for each mistake. */
export function parseDeployedConfig(env: Environment) {
  const { values, warnings } = readVariables(env, { ...DEPLOYED, ...SETTINGS.network });
  const {
    placeOrder,
    walletAddress,
    privateKeySecret,
    kmsKey,
    credentialsSecret,
    ordersTable,
    httpsProxy,
    noProxy,
    ...config
  } = values;
  throwProblems([funderRule(config), ...orderRules(values)]);
  const ofSecret = privateKeySecret === undefined ? undefined : { secret: privateKeySecret };
  const key: KeySource | undefined = kmsKey === undefined ? ofSecret : { kmsKey, credentialsSecret };
  const isComplete = placeOrder && walletAddress && key && ordersTable;
  const missing = sentencesOf([!walletAddress && 'SERVICE_WALLET_ADDRESS', !placeOrder && 'SERVICE_PLACE_ORDER=1']);
  return {
    ...config,
    proxyEnv: { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy },
    // Set where the deployment takes orders, in the function of health too. EIP-55.
    walletAddress: placeOrder ? walletAddress : undefined,
    // Only the function of orders has the name of the key.
    orders: isComplete ? ({ kind: 'on', walletAddress, key, ordersTable } as const) : ({ kind: 'off' } as const),
    warnings: [...warningOf(placeOrder !== undefined || walletAddress !== undefined, missing), ...warnings],
  };
}
