import { openDeployed } from '../container.ts';
import { ordersEndpoint } from './endpoint.ts';
import { openTrading } from './trading.ts';

const { config, log, serve } = openDeployed();

export const handler = serve(ordersEndpoint(await openTrading(config, log)));
