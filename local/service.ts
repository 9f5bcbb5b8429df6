import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMarketData } from '#venue/market-data';
import { type Container, openContainer } from '../functions/container.ts';
import { createHandlers } from '../functions/handlers.ts';
import type { HealthFacts } from '../functions/health/endpoint.ts';
import type { OpenOrders } from '../functions/orders/endpoint.ts';
import { type LocalConfig, modeOf, parseLocalConfig } from '../shared/config.ts';
import { refuse } from '../shared/errors.ts';
import { ConfigError } from '../shared/formats.ts';
import type { Log } from '../shared/log.ts';
import type { Environment } from '../shared/settings.ts';
import { startServer } from './server.ts';
import type { FileOrderStore } from './sqlite-order-store.ts';

export interface Service {
  /** Base address without trailing slash. */
  readonly url: string;
  readonly log: Log;
  /** Resolves when the requests in flight are answered. */
  stop(): Promise<void>;
}

type Addresses = Pick<HealthFacts, 'walletAddress' | 'funderAddress'>;

/** Gives the addresses of the account; throws `ConfigError` where the key and the funder disagree. */
async function addressesOf({ orders: { privateKey }, ...config }: LocalConfig): Promise<Addresses> {
  if (!privateKey) return { walletAddress: null, funderAddress: config.funderAddress };
  // Loaded only where a key is: a reader needs no cryptography.
  const { openAccount } = await import('#venue/order-entry');
  const { wallet, funderAddress } = openAccount({ ...config, privateKey });
  return { walletAddress: wallet.address, funderAddress: config.funderAddress && funderAddress };
}

/** What a start may be told besides its settings. */
interface StartOptions {
  /** The store is made for this run alone: that it knows no earlier keys is no news. */
  readonly throwAwayStore?: boolean;
}

interface Trading {
  readonly openOrders: OpenOrders;
  /** The absolute path of the store, where there is one. */
  readonly store?: string;
  close(): Promise<void>;
}

/** Relative paths count from here, not from where the process happens to be started: another store knows no key. */
const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Opens the store at the start rather than in the first order. Throws `ConfigError` where it cannot be opened. */
async function openAtStart(store: FileOrderStore, path: string): Promise<'made' | 'found'> {
  try {
    return await store.open();
  } catch (cause) {
    await store.close();
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
    throw new ConfigError(`SERVICE_STORE cannot be opened at ${path}: ${reason}.`, { cause });
  }
}

async function openTrading(config: LocalConfig, log: Log, { throwAwayStore }: StartOptions): Promise<Trading> {
  const { orders, storePath, ...rest } = config;
  if (orders.kind === 'off') {
    const disabled = async () => {
      throw refuse('order_placement_disabled', { why: orders.missing });
    };
    return { openOrders: disabled, close: async () => undefined };
  }
  // Loaded only here: a reader starts sooner without signing and a store.
  const [{ createOrderEntry }, { createOrders }, { openOrderStore }] = await Promise.all([
    import('#venue/order-entry'),
    import('../shared/orders/idempotent-orders.ts'),
    import('./sqlite-order-store.ts'),
  ]);
  const entry = createOrderEntry({ ...rest, ...orders }, log);
  const path = resolve(PROJECT, storePath);
  const store = openOrderStore({ path, log });
  const found = await openAtStart(store, path);
  if (found === 'made' && !throwAwayStore) {
    log.warn('new order store: keys of earlier orders are not known here', { store: path });
  }
  const opened = createOrders({ entry, store, log });
  return { openOrders: async () => opened, store: path, close: store.close };
}

/**
 * Serves the endpoints. Throws `ConfigError` where the key and the funder disagree or the store cannot be opened, and
 * `ListenError` where the address is taken.
 */
export async function serve(
  { config, log, pipeline }: Container<LocalConfig>,
  options: StartOptions = {},
): Promise<Service> {
  const mode = modeOf(config);
  const health = { mode, ...(await addressesOf(config)) };
  const { openOrders, store, close: closeStore } = await openTrading(config, log, options);
  const handlers = createHandlers({ pipeline, health, marketData: createMarketData(config, log), openOrders });
  try {
    const { url, close } = await startServer({ handlers, config, log });
    log.info('listening', { url, mode, store });
    return { url, log, stop: () => close().finally(closeStore) };
  } catch (error) {
    await closeStore();
    throw error;
  }
}

/**
 * Starts the service from the environment, `overrides` first. Throws `ConfigError` also on a malformed setting.
 */
export async function startService(overrides: Environment = {}, options: StartOptions = {}): Promise<Service> {
  return serve(openContainer(parseLocalConfig, overrides), options);
}
