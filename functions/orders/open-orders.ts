import { createOrderEntry, type OrderEntrySettings } from '#venue/order-entry';
import type { Log } from '../../shared/log.ts';
import type { DayCaps, OrderStore } from '../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';

/** Opens orders with an account. Throws `ConfigError` where the settings contradict each other. */
export function openOrders(settings: OrderEntrySettings & DayCaps, store: OrderStore, log: Log): Orders {
  const { maxDailyNotional, maxDailyNotionalPerClient } = settings;
  const entry = createOrderEntry(settings, log);
  return createOrders({ entry, store, log, maxDailyNotional, maxDailyNotionalPerClient });
}
