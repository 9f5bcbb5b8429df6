import { modeOf } from '../../shared/config.ts';
import { openDeployed } from '../deployed.ts';
import { createGatewayHandler, type GatewayHandler } from '../pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../refusing-endpoints.ts';
import { ROUTES } from '../routes.ts';
import { healthEndpoint } from './endpoint.ts';

const { config, pipeline } = openDeployed();
const { orders, funderAddress } = config;
const { walletAddress = null } = orders;
const whyDisabled = orders.kind === 'off' ? orders.missing : 'elsewhere';

const health = createGatewayHandler(healthEndpoint({ mode: modeOf(config), walletAddress, funderAddress }), pipeline);
const disabledOrders = createGatewayHandler(disabledOrdersEndpoint(whyDisabled), pipeline);
const unknownPath = createGatewayHandler(unknownPathEndpoint(), pipeline);

/** Besides its own path it answers what no other function takes, orders included while they are not deployed. */
export const handler: GatewayHandler = (event, context) => {
  if (event.rawPath === ROUTES.health.path) return health(event, context);
  return event.rawPath === ROUTES.orders.path ? disabledOrders(event, context) : unknownPath(event, context);
};
