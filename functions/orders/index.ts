import { ConfigError } from '../../shared/environment.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import { openContainer } from '../container.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { deferredOrdersEndpoint } from './deferred.ts';
import { createTrading } from './trading.ts';
import { createWalletKeyReader } from './wallet-key.ts';

const { config, log, pipeline } = openContainer();
const { walletAddress, privateKeySecret, ordersTable } = config;
if (walletAddress === undefined || privateKeySecret === undefined || ordersTable === undefined) {
  throw new ConfigError('SERVICE_WALLET_ADDRESS, SERVICE_PRIVATE_KEY_SECRET and SERVICE_ORDERS_TABLE must be set.');
}
const trading = createTrading({
  config,
  log,
  store: createDynamoDbStore({ tableName: ordersTable }),
  readKey: createWalletKeyReader(privateKeySecret),
  pinnedAddress: walletAddress,
});

// At init, where no caller waits for it; a failure is logged where it happens, and the next request tries again.
await trading.open().catch(() => undefined);

export const handler = createGatewayHandler(deferredOrdersEndpoint(trading, walletAddress), pipeline);
