import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { openDeployed } from '../lambda-start.ts';
import { createGatewayHandler } from '../pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../refusing-endpoints.ts';
import { ROUTES } from '../routes.ts';
import { healthEndpoint } from './endpoint.ts';

const { config, pipeline } = openDeployed();
const { walletAddress, funderAddress } = config;

const health = createGatewayHandler(
  healthEndpoint({
    mode: walletAddress === undefined ? 'read-only' : 'order-placing',
    walletAddress: walletAddress ?? null,
    funderAddress,
  }),
  pipeline,
);
const refuseOrders = createGatewayHandler(disabledOrdersEndpoint('read_only'), pipeline);
const unknownPath = createGatewayHandler(unknownPathEndpoint(), pipeline);

/** Answers its own path and all that no other function takes, such as preflights of orders, or orders while off. */
export const handler = (event: APIGatewayProxyEventV2, context: Context) => {
  // The path of the route, not of the request: a custom domain may add a prefix to that.
  const [, path] = event.routeKey.split(' ');
  if (path === ROUTES.health.path) return health(event, context);
  return (path === ROUTES.orders.path ? refuseOrders : unknownPath)(event, context);
};
