import { openContainer } from '../functions/container.ts';
import type { Config } from '../shared/config.ts';
import type { Environment } from '../shared/environment.ts';
import type { Log } from '../shared/log.ts';
import type { Orders } from '../shared/orders/idempotent-orders.ts';
import { createHandlers } from './app.ts';
import { startServer } from './server.ts';

export interface Service {
  /** Base address without trailing slash. */
  readonly url: string;
  readonly log: Log;
  /** Resolves when the requests in flight are answered. */
  stop(): Promise<void>;
}

interface Trading {
  readonly orders: Orders;
  close(): void;
}

/** Makes the capability to trade. Loaded only here: a reader needs no signing and no store. */
async function openTrading(config: Config, log: Log): Promise<Trading> {
  const [{ createOrderEntry }, { createOrders }, { openOrderStore }] = await Promise.all([
    import('#venue/order-entry'),
    import('../shared/orders/idempotent-orders.ts'),
    import('./sqlite-order-store.ts'),
  ]);
  const { privateKey } = config;
  if (!privateKey) throw new TypeError('Orders need a private key.');
  const entry = createOrderEntry({ ...config, privateKey }, log);
  const store = openOrderStore({ path: config.storePath, log });
  return { orders: createOrders({ entry, store, log }), close: () => store.close() };
}

/**
 * Starts the service from the environment, `overrides` first. Throws `ConfigError` on a malformed setting and
 * `ListenError` where the address is taken.
 */
export async function startService(overrides: Environment = {}): Promise<Service> {
  const { config, log, pipeline } = openContainer(overrides);
  let trading: Trading | undefined;
  const openOrders = async () => {
    trading = await openTrading(config, log);
    return trading.orders;
  };
  const handlers = await createHandlers({ config, log, pipeline, openOrders });
  const { url, close } = await startServer({ handlers, config, log });
  log.info('listening', { url, mode: trading ? 'order-placing' : 'read-only' });
  return { url, log, stop: () => close().finally(() => trading?.close()) };
}
