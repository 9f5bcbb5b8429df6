import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  type IHttpRouteAuthorizer,
  MappingValue,
  ParameterMapping,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ROUTES, WHILE_ORDERS_ARE_TAKEN } from '../../functions/routes.ts';
import type { OrderSettings } from '../settings/order-settings.ts';
import { type EndpointFunction, LIVE } from './endpoint-function.ts';
import { acknowledgeOpenRoute, acknowledgeOrderPath, acknowledgePublicOrders } from './findings.ts';
import type { Names } from './names.ts';

export interface OrderRoutesProps {
  readonly names: Names;
  readonly settings: OrderSettings;
  readonly orders: EndpointFunction;
}

/** Makes the check of callers; `undefined` where everybody may send orders. */
function authorizerOf({ access }: OrderSettings): IHttpRouteAuthorizer | undefined {
  if (access.kind === 'public') return undefined;
  if (access.kind === 'iam') return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer('OrderTokens', access.issuer, { jwtAudience: [access.audience] });
}

/** The function of health in the service's stack, which lets the API invoke it whatever the route. */
function findHealth(scope: Construct, names: Names): IFunction {
  const functionArn = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${names.function('health')}:${LIVE}`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return LambdaFunction.fromFunctionAttributes(scope, 'HealthFunction', { functionArn, skipPermissions: true });
}

/** Lets the gateway say in the request for health which account trades, in the place of what a client wrote there. */
function accountHeaders({ walletAddress, funderAddress }: OrderSettings): ParameterMapping {
  const { headers } = WHILE_ORDERS_ARE_TAKEN;
  const mapping = new ParameterMapping().overwriteHeader(headers.walletAddress, MappingValue.custom(walletAddress));
  return funderAddress === undefined
    ? mapping.removeHeader(headers.funderAddress)
    : mapping.overwriteHeader(headers.funderAddress, MappingValue.custom(funderAddress));
}

/**
 * Adds to the service's API what holds while orders are taken: POST to the function of orders, and what health says then.
 * Each route names its method and so goes before the service's ANY, which answers again when this stack is gone.
 */
export function addOrderRoutes(scope: Construct, { names, settings, orders }: OrderRoutesProps): string {
  const apiId = Fn.importValue(names.exports.apiId);
  const httpApi = HttpApi.fromHttpApiAttributes(scope, 'Api', { httpApiId: apiId });
  const health = findHealth(scope, names);
  const authorizer = authorizerOf(settings);
  const post = new HttpRoute(scope, 'OrdersRoute', {
    httpApi,
    routeKey: HttpRouteKey.with(ROUTES.orders.path, HttpMethod.POST),
    integration: new HttpLambdaIntegration('orders', orders.live),
    ...(authorizer && { authorizer }),
  });
  if (!authorizer) acknowledgePublicOrders(post);
  const told = new HttpRoute(scope, 'HealthRoute', {
    httpApi,
    routeKey: HttpRouteKey.with(ROUTES.health.path, HttpMethod.GET),
    integration: new HttpLambdaIntegration('health', health, { parameterMapping: accountHeaders(settings) }),
  });
  acknowledgeOpenRoute(told);
  if (settings.access.kind === 'jwt') {
    const preflight = new HttpRoute(scope, 'PreflightRoute', {
      httpApi,
      routeKey: HttpRouteKey.with(ROUTES.orders.path, HttpMethod.OPTIONS),
      integration: new HttpLambdaIntegration('preflight', health),
    });
    acknowledgeOrderPath(preflight);
  }
  return apiId;
}
