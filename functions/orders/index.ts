import { openDeployed } from '../container.ts';
import { ordersEndpoint } from './endpoint.ts';
import { openTrading } from './trading.ts';

const { config, log, serve } = openDeployed();

/** The Lambda handler of `POST /v1/orders`. */
export const handler = serve(ordersEndpoint(await openTrading(config, log)));
