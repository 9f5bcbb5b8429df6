import { LOOPBACK } from '../loopback.ts';
import type { ProxyEnv } from '../proxy.ts';
import type { Secret } from '../secret.ts';
import { completeCredentials } from './credentials.ts';
import { sentencesOf, throwProblems } from './formats.ts';
import { readVariables } from './read.ts';
import { funderRule, type OrderValues, orderRules } from './rules.ts';
import { DEPLOYED, type Environment, LOCAL, SETTINGS, type ValuesOf } from './table.ts';

/** What signs orders: a private key, the name of the secret that holds one, or a key that stays in AWS KMS. */
type KeySource =
  | { readonly privateKey: Secret }
  | { readonly secret: string }
  | { readonly kmsKey: string; readonly credentialsSecret: string | undefined };

export type Mode = 'read-only' | 'order-placing';

/** Of a deployed function. Its variables are in the template of the stack, so that no secret is among them. */
const FUNCTION = { ...DEPLOYED, ...SETTINGS.network, store: SETTINGS.local.store };

type Values = Omit<ValuesOf<typeof FUNCTION>, 'orderAccess'> & Partial<ValuesOf<typeof LOCAL>>;

/** Brings settings into the form that they have in every process. */
function complete<V extends Values>(values: V) {
  const { privateKey, privateKeySecret, kmsKey, credentialsSecret, ...others } = values;
  const { clobApiKey, clobApiSecret, clobApiPassphrase, httpsProxy, noProxy, ...config } = others;
  const secret = privateKeySecret === undefined ? undefined : { secret: privateKeySecret };
  const key: KeySource | undefined =
    kmsKey === undefined ? (secret ?? (privateKey && { privateKey })) : { kmsKey, credentialsSecret };
  const credentials = completeCredentials([clobApiKey, clobApiSecret, clobApiPassphrase]);
  const proxyEnv: ProxyEnv = { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
  return { ...config, key, credentials, proxyEnv };
}

/** Settings of every process, by their names in the table. */
export interface Config extends Readonly<ReturnType<typeof complete<Values>>> {
  readonly mode: Mode;
  /** Sentences for the log about valid settings with unexpected effects. */
  readonly warnings: readonly string[];
}

export type LocalConfig = ReturnType<typeof parseLocalConfig>;

export type DeployedConfig = ReturnType<typeof parseDeployedConfig>;

/** Returns the warning for a service with only a key or only the opt-in. */
function warningOf(isAsked: boolean, missing: readonly string[]): readonly string[] {
  if (!isAsked || missing.length === 0) return [];
  return [`The service is read-only: ${missing.join(' and ')} must be set to place orders.`];
}

/** Returns warnings about orders without verification or without a cap. */
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

/** Parses the settings of the local server; throws `ConfigError` with a sentence for each mistake. */
export function parseLocalConfig(env: Environment) {
  const { values, warnings } = readVariables(env, LOCAL);
  const { remoteOrders, ...config } = complete(values);
  const { placeOrder, key, host } = config;
  const isLoopback = LOOPBACK.test(host);
  // A proxy on this machine passes on requests for other names.
  const isExposed = !isLoopback || config.allowedHosts.length > 0;
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
    mode,
    /** The settings without which no order is placed. */
    missing,
    /** Sentences for the log about orders with little protection. */
    risks: takesOrders ? risksOf(config, isExposed) : [],
    warnings: [...warningOf(placeOrder !== undefined || key !== undefined, missing), ...warnings],
  };
}

/** Parses the settings of a function; throws `ConfigError` with a sentence for each mistake. */
export function parseDeployedConfig(env: Environment) {
  const { values, warnings } = readVariables(env, FUNCTION);
  const config = complete(values);
  const { placeOrder, walletAddress } = config;
  throwProblems([funderRule(config), ...orderRules(values)]);
  const missing = sentencesOf([!walletAddress && 'SERVICE_WALLET_ADDRESS', !placeOrder && 'SERVICE_PLACE_ORDER=1']);
  // Only the functions of orders and of events have the name of the key.
  const mode: Mode = missing.length === 0 ? 'order-placing' : 'read-only';
  return {
    ...config,
    mode,
    // EIP-55; the function of health also shows it.
    walletAddress: placeOrder ? walletAddress : undefined,
    warnings: [...warningOf(placeOrder !== undefined || walletAddress !== undefined, missing), ...warnings],
  };
}
