import type * as z from 'zod/mini';
import { completeCredentials } from './credentials.ts';
import { LOOPBACK, refuse, said } from './formats.ts';
import { readVariables } from './read.ts';
import { DEPLOYED, type Environment, LOCAL, type SETTINGS } from './table.ts';

type Common = typeof SETTINGS.orders & typeof SETTINGS.common;

/** Settings of every process, by their names in the table. */
export interface Config extends Readonly<Omit<z.infer<z.ZodMiniObject<Common>>, 'placeOrder'>> {
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
function warnOfReadOnly(optIn: boolean | undefined, variable: string, key: unknown): readonly string[] {
  return said([
    optIn === false && 'SERVICE_PLACE_ORDER is set to something other than 1, so order placement stays disabled.',
    optIn && key === undefined && `SERVICE_PLACE_ORDER is 1 but ${variable} is not set: the service is read-only.`,
    optIn === undefined &&
      key !== undefined &&
      `${variable} is set but SERVICE_PLACE_ORDER is not 1: the service is read-only.`,
  ]);
}

/** Refuses a kind of account without its address, where no key is at hand to say which address that is. */
function funderProblem({ signatureType = 'eoa', funderAddress }: Pick<Config, 'signatureType' | 'funderAddress'>) {
  return (
    signatureType !== 'eoa' &&
    !funderAddress &&
    'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.'
  );
}

/** Parses the settings of the local server; throws `ConfigError` with a sentence for each mistake. */
export function parseLocalConfig(env: Environment) {
  const { values, warnings } = readVariables(env, LOCAL);
  const { placeOrder, remoteOrders, privateKey, clobApiKey, clobApiSecret, clobApiPassphrase, ...config } = values;
  const credentials = completeCredentials([clobApiKey, clobApiSecret, clobApiPassphrase]);
  const isLoopback = LOOPBACK.test(config.host);
  const takesOrders = placeOrder && privateKey !== undefined;
  refuse([
    !privateKey && funderProblem(config),
    takesOrders &&
      !isLoopback &&
      !remoteOrders &&
      'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.',
    // Others choose the `Host` of their requests: a signature for another service would pass.
    takesOrders &&
      config.clientVerification === 'required' &&
      !(isLoopback && config.allowedHosts.length === 0) &&
      !config.publicAuthority &&
      'SERVICE_PUBLIC_AUTHORITY must be set where clients are verified and SERVICE_HOST is not loopback or SERVICE_ALLOWED_HOSTS is set: clients sign for it.',
  ]);
  const missing = said([!privateKey && 'SERVICE_PRIVATE_KEY', !placeOrder && 'SERVICE_PLACE_ORDER=1']);
  return {
    ...config,
    // Without the opt-in `/health` shows the address of the key all the same.
    orders: takesOrders
      ? ({ kind: 'on', privateKey, credentials } as const)
      : ({ kind: 'off', missing, privateKey } as const),
    warnings: [...warnOfReadOnly(placeOrder, 'SERVICE_PRIVATE_KEY', privateKey), ...warnings],
  };
}

/** Parses the settings of a function; throws `ConfigError` with a sentence for each mistake. */
export function parseDeployedConfig(env: Environment) {
  const { values, warnings } = readVariables(env, DEPLOYED);
  const { placeOrder, walletAddress, privateKeySecret, ordersTable, ...config } = values;
  refuse([funderProblem(config)]);
  const isComplete = placeOrder && walletAddress && privateKeySecret && ordersTable;
  return {
    ...config,
    // Set where the deployment takes orders, in the function of health too. EIP-55.
    walletAddress: placeOrder ? walletAddress : undefined,
    // The key is in a secret store, whose name only the function of orders has.
    orders: isComplete
      ? ({ kind: 'on', walletAddress, privateKeySecret, ordersTable } as const)
      : ({ kind: 'off' } as const),
    warnings: [...warnOfReadOnly(placeOrder, 'SERVICE_WALLET_ADDRESS', walletAddress), ...warnings],
  };
}
