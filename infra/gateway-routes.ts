import { HttpMethod, HttpRouteKey, type IHttpRouteAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
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

/** Makes the check of callers; `undefined` where everybody may send orders. */
function authorizerOf(access: OrderAccess): IHttpRouteAuthorizer | undefined {
  if (access.kind === 'public') return undefined;
  if (access.kind === 'iam') return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer('OrderTokens', access.issuer, { jwtAudience: [access.audience] });
}

/** The exact method goes before `ANY`; a browser's preflight proves nothing about its caller, so `ANY` stays open for it. */
function planAuthorized(authorizer: IHttpRouteAuthorizer): PlannedRoute {
  return {
    id: 'Route-signed-orders',
    key: HttpRouteKey.with(ROUTES.orders.path, HttpMethod.POST),
    name: ROUTES.orders.name,
    authorizer,
  };
}

/** The routes to the functions that are deployed; `access` is that of orders. */
export function planRoutes(
  deployed: readonly EndpointName[],
  access: OrderAccess | undefined,
): readonly PlannedRoute[] {
  const authorizer = access && authorizerOf(access);
  const acknowledgeOrders = authorizer ? acknowledgePreflightRoute : acknowledgePublicOrders;
  // ANY, since preflights, 405 and their bodies are the functions' own on Lambda as they are locally.
  const any = deployed.map((name) => ({
    id: `Route-${name}`,
    key: HttpRouteKey.with(ROUTES[name].path, HttpMethod.ANY),
    name,
    acknowledge: name === 'orders' ? acknowledgeOrders : acknowledgeOpenRoute,
  }));
  return authorizer ? [...any, planAuthorized(authorizer)] : any;
}
