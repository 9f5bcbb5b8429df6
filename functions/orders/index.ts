import { parseDeployedConfig } from '../../shared/config.ts';
import { openContainer } from '../container.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { ordersEndpoint } from './endpoint.ts';
import { gatewayTrace } from './gateway-trace.ts';
import { createTrading } from './trading.ts';
import { openVerification } from './verification/open.ts';

const { config, log, pipeline } = openContainer(parseDeployedConfig);
const openOrders = createTrading(config, log);

// At init, where no caller waits for it; a failure is logged where it happens, and the next request tries again.
await openOrders().catch(() => undefined);

const verification = await openVerification(config);

export const handler = createGatewayHandler(ordersEndpoint(openOrders, { verification, gatewayTrace }), pipeline);
