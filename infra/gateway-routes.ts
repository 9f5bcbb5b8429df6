import { HttpMethod, HttpRouteKey, type IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import type { IConstruct } from 'constructs';
import { ROUTES, type Route } from '../functions/routes.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import { acknowledgeOpenRoute, acknowledgePreflightRoute, acknowledgePublicOrders } from './findings.ts';
import type { OrderAccess } from './order-settings.ts';

export type EndpointName = Route['name'];

export type DeployedFunctions = Readonly<Partial<Record<EndpointName, EndpointFunction>>> & {
  readonly health: EndpointFunction;
};

interface PlannedRoute {
  readonly id: string;
  readonly key: HttpRouteKey;
  readonly name: EndpointName;
  readonly authorizer?: IHttpRouteAuthorizer;
  /** Says why cdk-nag need not worry about a route that has no authorizer. */
  readonly acknowledge?: (route: IConstruct) => void;
}

/** The exact method goes before `ANY`; a browser's preflight carries no signature, so `ANY` stays open for it. */
const SIGNED_ORDERS: PlannedRoute = {
  id: 'Route-signed-orders',
  key: HttpRouteKey.with(ROUTES.orders.path, HttpMethod.POST),
  name: ROUTES.orders.name,
  authorizer: new HttpIamAuthorizer(),
};

/** The routes to the functions that are deployed; `access` is that of orders. */
export function planRoutes(
  deployed: readonly EndpointName[],
  access: OrderAccess | undefined,
): readonly PlannedRoute[] {
  const acknowledgeOrders = access === 'public' ? acknowledgePublicOrders : acknowledgePreflightRoute;
  // ANY, since preflights, 405 and their bodies are the functions' own on Lambda as they are locally.
  const any = deployed.map((name) => ({
    id: `Route-${name}`,
    key: HttpRouteKey.with(ROUTES[name].path, HttpMethod.ANY),
    name,
    acknowledge: name === 'orders' ? acknowledgeOrders : acknowledgeOpenRoute,
  }));
  return access === 'iam' ? [...any, SIGNED_ORDERS] : any;
}
