import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpRouteAuthorizer,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES, UNKNOWN_ROUTE } from '../functions/routes.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { OrderAccess } from './order-settings.ts';

export type EndpointName = keyof typeof ROUTES;

export interface GatewayProps {
  readonly name: string;
  /** The functions that are deployed; health takes the rest. */
  readonly functions: Readonly<Partial<Record<EndpointName, EndpointFunction>>> & { readonly health: EndpointFunction };
  readonly orderAccess: OrderAccess | undefined;
}

export interface Gateway {
  readonly api: HttpApi;
  readonly stage: HttpStage;
}

/** Requests a second, and how many may come at once. The sum over all callers. */
const THROTTLES = {
  health: { rate: 50, burst: 100 },
  // The venue takes 300 requests per 10 s and address for its lists, and a large limit needs several.
  markets: { rate: 20, burst: 40 },
  // The venue takes 1500 requests per 10 s and address for books.
  book: { rate: 150, burst: 300 },
  // The venue takes 40 orders a second and signer, 60 at once: half of it leaves room for the wallet's other uses.
  orders: { rate: 20, burst: 40 },
  unknown: { rate: 50, burst: 100 },
} as const;

/** Everything about a request but what its caller sends besides the path. */
const ACCESS_LOG = JSON.stringify({
  time: '$context.requestTime',
  request_id: '$context.requestId',
  route: '$context.routeKey',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  source_ip: '$context.identity.sourceIp',
  caller: '$context.identity.userArn',
  response_ms: '$context.responseLatency',
  integration_ms: '$context.integrationLatency',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
  gateway_error: '$context.error.message',
});

interface PlannedRoute {
  readonly id: string;
  readonly key: HttpRouteKey;
  readonly name: EndpointName;
  readonly authorizer?: IHttpRouteAuthorizer;
}

/** `ANY`, since preflights, 405 and their bodies are the functions' own on Lambda as they are locally. */
function planRoutes({ functions, orderAccess }: GatewayProps): readonly PlannedRoute[] {
  const deployed = Object.values(ROUTES).filter(({ name }) => functions[name]);
  const { name, path } = ROUTES.orders;
  return [
    ...deployed.map((route) => ({ id: `Route-${route.name}`, key: HttpRouteKey.with(route.path), name: route.name })),
    // The exact method goes before ANY; a browser's preflight carries no signature, so ANY stays open for it.
    ...(orderAccess === 'iam'
      ? [
          {
            id: 'Route-signed-orders',
            key: HttpRouteKey.with(path, HttpMethod.POST),
            name,
            authorizer: new HttpIamAuthorizer(),
          },
        ]
      : []),
  ];
}

/** Adds the routes; gives the settings of each by its key. */
function addRoutes(api: HttpApi, props: GatewayProps, stage: HttpStage): Record<string, object> {
  const integrations = new Map(
    Object.entries(props.functions).map(([name, target]) => [name, new HttpLambdaIntegration(name, target.function)]),
  );
  const settings = planRoutes(props).map(({ id, key, name, authorizer }) => {
    const integration = integrations.get(name);
    if (!integration) throw new Error(`no function for ${name}`);
    const route = new HttpRoute(api, id, {
      httpApi: api,
      routeKey: key,
      integration,
      ...(authorizer && { authorizer }),
    });
    // The gateway refuses settings of a route that is not there yet, and CloudFormation sees no link between the two.
    stage.node.addDependency(route);
    const { rate, burst } = THROTTLES[name];
    return [key.key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }] as const;
  });
  return Object.fromEntries(settings);
}

/** The HTTP API with its routes, its one stage, throttles per route and the access log. */
export function addGateway(scope: Construct, props: GatewayProps): Gateway {
  const log = new LogGroup(scope, 'AccessLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const api = new HttpApi(scope, 'Api', {
    apiName: props.name,
    description: 'Lists markets, reads order books and places limit orders at the venue',
    createDefaultStage: false,
    defaultIntegration: new HttpLambdaIntegration(UNKNOWN_ROUTE.name, props.functions.health.function),
  });
  const stage = new HttpStage(api, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    throttle: { rateLimit: THROTTLES.unknown.rate, burstLimit: THROTTLES.unknown.burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(log),
      format: AccessLogFormat.custom(ACCESS_LOG),
    },
  });
  const settings = addRoutes(api, props, stage);
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage)) throw new Error('the stage has no resource');
  defaultChild.routeSettings = settings;
  return { api, stage };
}
