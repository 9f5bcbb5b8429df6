import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { CfnStage, HttpApi, HttpRoute, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES, UNKNOWN_ROUTE } from '../functions/routes.ts';
import { acknowledgeOpenRoute } from './findings.ts';
import { type DeployedFunctions, planRoutes } from './gateway-routes.ts';
import type { OrderAccess } from './order-settings.ts';

export interface GatewayProps {
  readonly name: string;
  /** The functions that are deployed; health takes the rest. */
  readonly functions: DeployedFunctions;
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
  subject: '$context.authorizer.claims.sub',
  response_ms: '$context.responseLatency',
  integration_ms: '$context.integrationLatency',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
  gateway_error: '$context.error.message',
});

/** Adds the routes; gives the settings of each by its key. */
function addRoutes(api: HttpApi, props: GatewayProps, stage: HttpStage): Record<string, object> {
  const integrations = new Map(
    Object.entries(props.functions).map(([name, target]) => [name, new HttpLambdaIntegration(name, target.function)]),
  );
  const names = Object.values(ROUTES).map(({ name }) => name);
  const deployed = names.filter((name) => props.functions[name]);
  const settings = planRoutes(deployed, props.orderAccess).map(({ id, key, name, authorizer, acknowledge }) => {
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
    acknowledge?.(route);
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
  const unknown = api.node.tryFindChild('DefaultRoute');
  if (unknown) acknowledgeOpenRoute(unknown);
  const settings = addRoutes(api, props, stage);
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage)) throw new Error('the stage has no resource');
  defaultChild.routeSettings = settings;
  return { api, stage };
}
