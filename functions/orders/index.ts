import { parseDeployedConfig } from '../../shared/config.ts';
import { openContainer } from '../container.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { ordersEndpoint } from './endpoint.ts';
import { createTrading } from './trading.ts';

const { config, log, pipeline } = openContainer(parseDeployedConfig);
const openOrders = createTrading(config, log);

// At init, where no caller waits for it; a failure is logged where it happens, and the next request tries again.
await openOrders().catch(() => undefined);

export const handler = createGatewayHandler(ordersEndpoint(openOrders), pipeline);
