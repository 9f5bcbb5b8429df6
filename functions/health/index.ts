import { openContainer } from '../container.ts';
import { createGatewayHandler, type GatewayHandler } from '../pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint, whyDisabled } from '../refusing-endpoints.ts';
import { ROUTES } from '../routes.ts';
import { healthEndpoint } from './endpoint.ts';

const { config, pipeline } = openContainer();
const { placeOrder, walletAddress = null, funderAddress } = config;

const health = createGatewayHandler(
  healthEndpoint({
    mode: placeOrder && walletAddress !== null ? 'order-placing' : 'read-only',
    walletAddress,
    funderAddress,
  }),
  pipeline,
);
const unknownPath = createGatewayHandler(unknownPathEndpoint(), pipeline);
const disabledOrders = createGatewayHandler(disabledOrdersEndpoint(whyDisabled(config) ?? 'not_deployed'), pipeline);

/** Besides its own path it answers what no other function takes, orders included while they are not deployed. */
export const handler: GatewayHandler = (event, context) => {
  if (event.rawPath === ROUTES.health.path) return health(event, context);
  return event.rawPath === ROUTES.orders.path ? disabledOrders(event, context) : unknownPath(event, context);
};
