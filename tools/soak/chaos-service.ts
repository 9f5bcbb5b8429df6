import { flushCompileCache } from 'node:module';
import { openSigningKey } from '#venue/accounts';
import { createMarketData } from '#venue/market-data';
import { createOrderEntry } from '#venue/order-entry';
import { openContainer } from '../../functions/container.ts';
import { startServer } from '../../local/http/server.ts';
import { createHandlers } from '../../local/service/handlers.ts';
import { openStore } from '../../local/service/open-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { OrderStore } from '../../shared/orders/record.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';
import { BUDGET_MS, chaosOptions, LATE_ARRIVAL_MS, LEASE_MS } from './chaos-options.ts';

// The service as it is, but its clock is set on command, and leases and late arrivals end sooner.
const [argument = '{}'] = process.argv.slice(2);
const options = chaosOptions.parse(JSON.parse(argument));

const realNow = Date.now;
let clockOffsetMs = options.clockOffsetMs ?? 0;
Date.now = () => realNow() + clockOffsetMs;
process.on('message', (offsetMs) => {
  clockOffsetMs = Number(offsetMs);
});

function withoutWriteAhead(store: OrderStore): OrderStore {
  return options.flaw === 'no write-ahead' ? { ...store, create: async () => 'written' } : store;
}

function withoutConditions(store: OrderStore): OrderStore {
  if (options.flaw !== 'no conditions') return store;
  const overwrite: OrderStore['create'] = async (key, record) => {
    if ((await store.create(key, record)) === 'written') return 'written';
    const present = await store.read(key);
    if (!present) return 'conflict';
    const asFound = present.state === 'finished' ? { keptUntil: present.keepUntil } : { heldBy: present.lease.owner };
    return store.replace(key, record, asFound);
  };
  return { ...store, create: overwrite };
}

function withBudget(orders: Orders): Orders {
  return {
    ...orders,
    place: (request, call) => orders.place(request, { ...call, deadline: performance.now() + BUDGET_MS }),
  };
}

const { config, log, pipeline } = openContainer(parseLocalConfig, options.settings);
if (config.orders.kind === 'off') throw new Error('The test gives a key and the opt-in.');
const wallet = await openSigningKey(config.orders.key);
const entry = createOrderEntry({ ...config, wallet, credentials: config.orders.credentials }, log);
const file = await openStore(config, log);
const store = withoutConditions(withoutWriteAhead(file));
const lateArrivalMs = options.flaw === 'no late arrivals' ? 0 : LATE_ARRIVAL_MS;
const orders = withBudget(createOrders({ entry, store, log, leaseMs: LEASE_MS, lateArrivalMs }));
const handlers = createHandlers({
  pipeline,
  health: { mode: 'order-placing', walletAddress: entry.walletAddress, funderAddress: undefined },
  marketData: createMarketData(config, log),
  openOrders: async () => orders,
});
const server = await startServer({ handlers, config, log });
process.send?.(server.url);
// Now, since nothing is kept at the end of a process that is killed.
flushCompileCache();
