import { openDeployed } from '../lambda-start.ts';
import { createGatewayHandler, type GatewayHandler } from '../pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../refusing-endpoints.ts';
import { ROUTES, WHILE_ORDERS_ARE_TAKEN } from '../routes.ts';
import { healthEndpoint } from './endpoint.ts';

const { pipeline } = openDeployed();
const { headers: told } = WHILE_ORDERS_ARE_TAKEN;

const noOrders = disabledOrdersEndpoint('read_only');
const refuseOrders = createGatewayHandler(noOrders, pipeline);
const allowTokens = createGatewayHandler(noOrders, { ...pipeline, bearerTokens: true });
const readOnly = createGatewayHandler(
  // On any other route than that of orders the headers are the client's, and mean nothing.
  healthEndpoint(() => ({ mode: 'read-only', walletAddress: null, funderAddress: undefined })),
  pipeline,
);
const whileOrdersAreTaken = createGatewayHandler(
  healthEndpoint((headers) => ({
    mode: 'order-placing',
    walletAddress: headers[told.walletAddress] ?? null,
    funderAddress: headers[told.funderAddress] || undefined,
  })),
  pipeline,
);
const unknownPath = createGatewayHandler(unknownPathEndpoint(), pipeline);

/** Answers its own path and what no other function takes: preflights of orders, and while these are off all of their path. */
export const handler: GatewayHandler = (event, context) => {
  const { routeKey } = event;
  // Of the route and not of the request, to whose path a custom domain may add its own.
  const [, path] = routeKey.split(' ');
  if (path === ROUTES.health.path) {
    return (routeKey === WHILE_ORDERS_ARE_TAKEN.health ? whileOrdersAreTaken : readOnly)(event, context);
  }
  if (path !== ROUTES.orders.path) return unknownPath(event, context);
  return routeKey === WHILE_ORDERS_ARE_TAKEN.preflight ? allowTokens(event, context) : refuseOrders(event, context);
};
