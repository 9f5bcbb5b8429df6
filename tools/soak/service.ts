import { flushCompileCache } from 'node:module';
import { createMarketData } from '#venue/market-data';
import { openAccount } from '#venue/open-account';
import { createOrderEntry } from '#venue/order-entry';
import { openContainer } from '../../functions/container.ts';
import { startServer } from '../../local/http/server.ts';
import { createHandlers } from '../../local/service/handlers.ts';
import { openStore } from '../../local/service/open-store.ts';
import type { OrderStore } from '../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import { versionOf } from '../../shared/orders/record.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';
import { serviceOptions } from './options.ts';

// The service as it is, but its clock is set on command, and leases and late arrivals end sooner.
/** As much as the adapter keeps back for look-ups, and two seconds for a venue that hangs. */
const BUDGET_MS = 9_500;
/** Longer than the budget, as in production. */
const LEASE_MS = 10_000;
/** Longer than the faults of the paper venue hold an order up, and the 20 s by which two right clocks may differ. */
const LATE_ARRIVAL_MS = 32_000;

const [argument = '{}'] = process.argv.slice(2);
const options = serviceOptions.parse(JSON.parse(argument));

const realNow = Date.now;
let { clockOffsetMs } = options;
Date.now = () => realNow() + clockOffsetMs;
process.on('message', (offsetMs) => {
  clockOffsetMs = Number(offsetMs);
});

function withoutWriteAhead(store: OrderStore): OrderStore {
  if (options.flaw !== 'no write-ahead') return store;
  return {
    ...store,
    write: async (...change) => (change[2] === 'nothing' ? 'written' : store.write(...change)),
  };
}

function withoutConditions(store: OrderStore): OrderStore {
  if (options.flaw !== 'no conditions') return store;
  return {
    ...store,
    write: async (key, record, over) => {
      const present = over === 'nothing' ? await store.read(key) : undefined;
      return store.write(key, record, present ? { version: versionOf(present) } : over);
    },
  };
}

function withBudget(orders: Orders): Orders {
  return {
    ...orders,
    place: (request, call) => orders.place(request, { ...call, deadline: performance.now() + BUDGET_MS }),
  };
}

const { config, log, serve } = openContainer(parseLocalConfig, options.settings);
const entry = createOrderEntry({ ...config, ...(await openAccount(config)) }, log);
const file = await openStore(config);
const store = withoutConditions(withoutWriteAhead(file));
const lateArrivalMs = options.flaw === 'no late arrivals' ? 0 : LATE_ARRIVAL_MS;
const orders = withBudget(createOrders({ entry, store, log, leaseMs: LEASE_MS, lateArrivalMs }));
const handlers = createHandlers({
  serve,
  health: {
    mode: 'order-placing',
    walletAddress: entry.walletAddress,
    funderAddress: undefined,
    clientVerification: 'off',
  },
  marketData: createMarketData(config, log),
  openOrders: async () => orders,
});
const server = await startServer({ handlers, config, log });
process.send?.(server.url);
// Now, since nothing is kept at the end of a process that is killed.
flushCompileCache();
