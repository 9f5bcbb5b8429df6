import { createMarketData } from '#venue/market-data';
import { type Container, openContainer } from '../functions/container.ts';
import { createHandlers } from '../functions/handlers.ts';
import type { HealthFacts } from '../functions/health/endpoint.ts';
import type { OpenOrders } from '../functions/orders/endpoint.ts';
import { type LocalConfig, modeOf, parseLocalConfig } from '../shared/config.ts';
import { refuse } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Environment } from '../shared/settings.ts';
import { startServer } from './server.ts';

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

interface Trading {
  readonly openOrders: OpenOrders;
  close(): void;
}

async function openTrading({ orders, ...config }: LocalConfig, log: Log): Promise<Trading> {
  if (orders.kind === 'off') {
    const disabled = async () => {
      throw refuse('order_placement_disabled', { why: orders.missing });
    };
    return { openOrders: disabled, close: () => undefined };
  }
  // Loaded only here: a reader starts sooner without signing and a store.
  const [{ createOrderEntry }, { createOrders }, { openOrderStore }] = await Promise.all([
    import('#venue/order-entry'),
    import('../shared/orders/idempotent-orders.ts'),
    import('./sqlite-order-store.ts'),
  ]);
  const entry = createOrderEntry({ ...config, ...orders }, log);
  const store = openOrderStore({ path: config.storePath, log });
  const opened = createOrders({ entry, store, log });
  return { openOrders: async () => opened, close: store.close };
}

/**
 * Serves the endpoints. Throws `ConfigError` where the key and the funder disagree, and `ListenError` where the address
 * is taken.
 */
export async function serve({ config, log, pipeline }: Container<LocalConfig>): Promise<Service> {
  const mode = modeOf(config);
  const health = { mode, ...(await addressesOf(config)) };
  const { openOrders, close: closeStore } = await openTrading(config, log);
  const handlers = createHandlers({ pipeline, health, marketData: createMarketData(config, log), openOrders });
  const { url, close } = await startServer({ handlers, config, log });
  log.info('listening', { url, mode });
  return { url, log, stop: () => close().finally(closeStore) };
}

/**
 * Starts the service from the environment, `overrides` first. Throws `ConfigError` also on a malformed setting.
 */
export async function startService(overrides: Environment = {}): Promise<Service> {
  return serve(openContainer(parseLocalConfig, overrides));
}
