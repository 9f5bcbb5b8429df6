import { openDeployed } from '../lambda-start.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { ordersEndpoint } from './endpoint.ts';
import { checkCaller, gatewayCaller } from './gateway-caller.ts';
import { createTrading } from './trading.ts';
import { openVerification } from './verification/open.ts';

const { config, log, pipeline } = openDeployed(gatewayCaller);
const openOrders = createTrading(config, log);

// At init, where no caller waits for it; a failure is logged where it happens, and the next request tries again.
await openOrders().catch(() => undefined);

const verification = await openVerification(config);

// `createTrading` has refused settings without an access.
const callerCheck = checkCaller(config.orderAccess);

/** The Lambda handler of `POST /v1/orders`. */
export const handler = createGatewayHandler(ordersEndpoint(openOrders, { verification, callerCheck }), pipeline);
