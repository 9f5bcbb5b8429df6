import { flushCompileCache } from 'node:module';
import { createMarketData } from '#venue/market-data';
import { createOrderEntry } from '#venue/order-entry';
import { openContainer } from '../../functions/container.ts';
import { startServer } from '../../local/http/server.ts';
import { openOrderStore } from '../../local/order-store/store.ts';
import { createHandlers } from '../../local/service/handlers.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { OrderStore } from '../../shared/orders/record.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';
import type { OrderEntry } from '../../shared/venue/port.ts';
import { BUDGET_MS, chaosOptions, LATE_ARRIVAL_MS, LEASE_MS, type Step } from './chaos-options.ts';

// The service as it is, but that it kills itself at a step it is told of, that its clock is set on command, and that
// leases and late arrivals are over sooner.
const [argument = '{}'] = process.argv.slice(2);
const options = chaosOptions.parse(JSON.parse(argument));
let passages = options.dieAt?.passage ?? 0;

const realNow = Date.now;
let clockOffsetMs = options.clockOffsetMs ?? 0;
Date.now = () => realNow() + clockOffsetMs;
process.on('message', (offsetMs) => {
  clockOffsetMs = Number(offsetMs);
});

function pass(step: Step): void {
  if (options.dieAt?.step !== step) return;
  passages -= 1;
  if (passages === 0) process.kill(process.pid, 'SIGKILL');
}

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

function mortalStore(store: OrderStore): OrderStore {
  return {
    outlivesAnswers: store.outlivesAnswers,
    read: store.read,
    countedOn: store.countedOn,
    create: async (key, record, count) => {
      pass('before store');
      const created = await store.create(key, record, count);
      pass('after store');
      return created;
    },
    replace: async (key, record, expected, count) => {
      if (record.state === 'finished') pass('before answer');
      const replaced = await store.replace(key, record, expected, count);
      pass(record.state === 'finished' ? 'after answer' : 'after lease');
      return replaced;
    },
  };
}

function mortalEntry(entry: OrderEntry): OrderEntry {
  const mortal =
    (send: OrderEntry['submit']): OrderEntry['submit'] =>
    async (order, call) => {
      const sending = send(order, call);
      // Some ticks later the bytes are on their way, and the answer mostly is not here yet.
      setImmediate(() => setImmediate(() => pass('while sending')));
      const placement = await sending;
      pass('after send');
      return placement;
    };
  return { ...entry, submit: mortal(entry.submit), settle: mortal(entry.settle) };
}

function withBudget(orders: Orders): Orders {
  return {
    ...orders,
    place: (request, call) => orders.place(request, { ...call, deadline: performance.now() + BUDGET_MS }),
  };
}

const { config, log, pipeline } = openContainer(parseLocalConfig, options.settings);
if (config.orders.kind === 'off') throw new Error('The test gives a key and the opt-in.');
const entry = mortalEntry(createOrderEntry({ ...config, ...config.orders }, log));
const file = openOrderStore({ path: config.storePath, log });
const store = mortalStore(withoutConditions(withoutWriteAhead(file)));
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
