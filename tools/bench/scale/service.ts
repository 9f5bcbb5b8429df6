import { createMarketData } from '#venue/market-data';
import { createOrderEntry } from '#venue/order-entry';
import { openContainer } from '../../../functions/container.ts';
import { startServer } from '../../../local/http/server.ts';
import { createHandlers } from '../../../local/service/handlers.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { createOrders } from '../../../shared/orders/orders.ts';
import { parseLocalConfig } from '../../../shared/settings/config.ts';

/** The orders of a deployed function, with its store, behind the local server: one process stands for one environment. */
const { config, log, pipeline } = openContainer(parseLocalConfig);
if (config.orders.kind === 'off') throw new Error('The benchmark gives a key and the opt-in.');
const entry = createOrderEntry({ ...config, ...config.orders }, log);
const store = createDynamoDbStore({ tableName: 'orders' });
const orders = createOrders({ entry, store, log });
const handlers = createHandlers({
  pipeline,
  health: { mode: 'order-placing', walletAddress: entry.walletAddress, funderAddress: undefined },
  marketData: createMarketData(config, log),
  openOrders: async () => orders,
});
const { url } = await startServer({ handlers, config, log });
process.stdout.write(`${url}\n`);
