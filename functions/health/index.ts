import { openDeployed } from '../deployed.ts';
import { createGatewayHandler, type GatewayHandler } from '../pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../refusing-endpoints.ts';
import { ROUTES, WHILE_ORDERS_ARE_TAKEN } from '../routes.ts';
import { type HealthFacts, healthEndpoint } from './endpoint.ts';

const { pipeline } = openDeployed();

const noOrders = disabledOrdersEndpoint('read_only');
const refuseOrders = createGatewayHandler(noOrders, pipeline);
const allowTokens = createGatewayHandler(noOrders, { ...pipeline, bearerTokens: true });
const unknownPath = createGatewayHandler(unknownPathEndpoint(), pipeline);

/** Reads what the gateway says of orders. On any other route the headers are the client's, and mean nothing. */
function factsOf({ routeKey, headers }: Parameters<GatewayHandler>[0]): HealthFacts {
  if (routeKey !== WHILE_ORDERS_ARE_TAKEN.health) {
    return { mode: 'read-only', walletAddress: null, funderAddress: undefined };
  }
  const { walletAddress, funderAddress } = WHILE_ORDERS_ARE_TAKEN.headers;
  return {
    mode: 'order-placing',
    walletAddress: headers[walletAddress] ?? null,
    funderAddress: headers[funderAddress] || undefined,
  };
}

/** Besides its own path it answers what no other function takes: of orders the preflights, and all while there are none. */
export const handler: GatewayHandler = (event, context) => {
  const { routeKey } = event;
  // Of the route and not of the request, to whose path a custom domain may add its own.
  const [, path] = routeKey.split(' ');
  if (path === ROUTES.health.path) {
    return createGatewayHandler(healthEndpoint(factsOf(event)), pipeline)(event, context);
  }
  if (path !== ROUTES.orders.path) return unknownPath(event, context);
  return routeKey === WHILE_ORDERS_ARE_TAKEN.preflight ? allowTokens(event, context) : refuseOrders(event, context);
};
