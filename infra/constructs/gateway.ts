import { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import { acknowledgeOpenRoute, acknowledgeOrderPath } from './findings.ts';
import type { Names } from './names.ts';
import type { Readers } from './readers.ts';
import { GATEWAY_THROTTLES } from './service-metrics.ts';

/** Requests a second, and how many may come at once. The sum over all callers. */
const THROTTLES = {
  health: { rate: 50, burst: 100 },
  // The venue takes 300 requests per 10 s and address for its lists, and a large limit needs several.
  markets: { rate: 20, burst: 40 },
  // The venue takes 1500 requests per 10 s and address for books.
  book: { rate: 150, burst: 300 },
  // The venue takes 40 orders a second and signer, 60 at once: half of it leaves room for the wallet's other uses.
  orders: { rate: 20, burst: 40 },
} as const;

/**
 * Everything about a request but its time, which the log adds, what its caller sends besides the path, and the
 * function's own time, which is in its line.
 */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  route: '$context.routeKey',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  source_ip: '$context.identity.sourceIp',
  caller: '$context.identity.userArn',
  subject: '$context.authorizer.claims.sub',
  response_ms: '$context.responseLatency',
  // Lambda's own, whatever the function answered; a dash where none was asked.
  integration_status: '$context.integration.integrationStatus',
  lambda_request_id: '$context.integration.requestId',
  integration_error: '$context.integrationErrorMessage',
  gateway_error: '$context.error.message',
});

export interface Gateway {
  readonly api: HttpApi;
  readonly accessLog: LogGroup;
}

/** Adds the access log, and counts in it the 429 that no function answered: the API's own metrics know 4xx alone. */
function addAccessLog(api: HttpApi, names: Names): LogGroup {
  const logGroup = new LogGroup(api, 'AccessLog', {
    logGroupName: names.accessLog,
    // As long as the log of orders: who was refused by the gateway is here alone.
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new MetricFilter(api, 'Throttled', {
    logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.status', '=', '429'),
      FilterPattern.stringValue('$.integration_status', '!=', '200'),
    ),
    metricNamespace: names.metrics,
    metricName: GATEWAY_THROTTLES,
    metricValue: '1',
  });
  return logGroup;
}

/** Adds the one stage, with its throttles and the access log. */
function addStage(api: HttpApi, accessLog: LogGroup): HttpStage {
  return new HttpStage(api, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    // Of routes without settings of their own: those of the stack of orders, GET of health too, and unknown paths.
    throttle: { rateLimit: THROTTLES.orders.rate, burstLimit: THROTTLES.orders.burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(ACCESS_LOG),
    },
  });
}

/**
 * Adds the HTTP API with the routes of the readers. Each takes ANY method: preflights, 405 and their bodies are the
 * functions' own on Lambda as they are locally. The path of orders is answered by health, which has no key: it refuses,
 * until the stack of orders adds POST, which goes before ANY.
 */
export function addGateway(scope: Construct, names: Names, { health, markets, book }: Readers): Gateway {
  const rest = new HttpLambdaIntegration('health', health.live);
  const integrations = {
    health: rest,
    markets: new HttpLambdaIntegration('markets', markets.live),
    book: new HttpLambdaIntegration('book', book.live),
    orders: rest,
  } as const;
  const api = new HttpApi(scope, 'Api', {
    apiName: names.stack,
    description: 'Lists markets, reads order books and places limit orders at the venue',
    createDefaultStage: false,
    defaultIntegration: rest,
  });
  const unknown = api.node.tryFindChild('DefaultRoute');
  if (unknown) acknowledgeOpenRoute(unknown);
  const accessLog = addAccessLog(api, names);
  const stage = addStage(api, accessLog);
  const settings = Object.values(ROUTES).map(({ name, path }) => {
    const routeKey = HttpRouteKey.with(path, HttpMethod.ANY);
    const route = new HttpRoute(api, `Route-${name}`, { httpApi: api, routeKey, integration: integrations[name] });
    // The gateway refuses settings of a route that is not there yet, and CloudFormation sees no link between the two.
    stage.node.addDependency(route);
    if (name === 'orders') acknowledgeOrderPath(route);
    else acknowledgeOpenRoute(route);
    const { rate, burst } = THROTTLES[name];
    return [routeKey.key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }] as const;
  });
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage)) throw new Error('the stage has no resource');
  defaultChild.routeSettings = Object.fromEntries(settings);
  return { api, accessLog };
}
