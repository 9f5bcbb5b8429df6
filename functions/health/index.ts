import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { openDeployed } from '../container.ts';
import type { GatewayHandler } from '../http.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../refusing-endpoints.ts';
import { ROUTES } from '../routes.ts';
import { healthEndpoint } from './endpoint.ts';

const { config, serve } = openDeployed();
const { walletAddress = null, funderAddress, clientVerification } = config;
const mode = walletAddress === null ? 'read-only' : 'order-placing';

/** Compares the route's path: a custom domain may add a prefix to the request's. */
const HANDLERS = new Map<string, GatewayHandler>([
  [ROUTES.health.path, serve(healthEndpoint({ mode, walletAddress, funderAddress, clientVerification }))],
  [ROUTES.orders.path, serve(disabledOrdersEndpoint('The service is read-only: its operator has not set placeOrder.'))],
]);

const unknownPath = serve(unknownPathEndpoint());

/** Answers its own path and all paths without a function, such as orders while they are disabled. */
export const handler = (event: APIGatewayProxyEventV2, context: Context) =>
  (HANDLERS.get(event.routeKey.split(' ')[1] ?? '') ?? unknownPath)(event, context);
