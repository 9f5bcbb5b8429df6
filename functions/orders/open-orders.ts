import { createOrderEntry, type OrderEntrySettings } from '#venue/order-entry';
import type { Log } from '../../shared/log.ts';
import type { OrderStore } from '../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { Config } from '../../shared/settings/config.ts';

type Account = Pick<OrderEntrySettings, 'wallet' | 'credentials'>;

/** Opens orders with an account. Throws `ConfigError` where the settings contradict each other. */
export function openOrders(config: Config, account: Account, store: OrderStore, log: Log): Orders {
  const { maxDailyNotional, maxDailyNotionalPerClient } = config;
  const entry = createOrderEntry({ ...config, ...account }, log);
  return createOrders({ entry, store, log, maxDailyNotional, maxDailyNotionalPerClient });
}
