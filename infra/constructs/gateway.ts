import { Aws, CfnOutput, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  DomainName,
  HttpApi,
  HttpMethod,
  type HttpRoute,
  type HttpRouteProps,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES, type Route } from '../../functions/routes.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Settings } from '../settings/settings.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import { acknowledgeOpenRoute } from './findings.ts';
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

interface GatewayProps {
  readonly names: Names;
  readonly settings: Settings;
  readonly readers: Readers;
  /** Absent where no orders are taken. */
  readonly orders: EndpointFunction | undefined;
}

/** Adds the access log, and counts in it the 429 that no function answered: the API's own metrics know 4xx alone. */
function addAccessLog(api: HttpApi, names: Names): LogGroup {
  const logGroup = new LogGroup(api, 'AccessLog', {
    // Another one for each stack of the name, since the log of the last one is kept.
    logGroupName: `${names.accessLog}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
    // As long as the log of orders: who was refused by the gateway is here alone.
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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

type Guard = Pick<HttpRouteProps, 'authorizer' | 'authorizationScopes'>;

/** Creates the checks of callers: one of each kind for all routes, since an API has few. */
function createGuards({ jwtIssuer, jwtAudience, jwtScopes }: Settings) {
  const byTokens =
    jwtIssuer && jwtAudience ? new HttpJwtAuthorizer('Tokens', jwtIssuer, { jwtAudience: [jwtAudience] }) : undefined;
  return {
    open: {},
    public: {},
    iam: { authorizer: new HttpIamAuthorizer() },
    jwt: {
      ...(byTokens && { authorizer: byTokens }),
      ...(jwtScopes !== undefined && { authorizationScopes: jwtScopes.split(' ') }),
    },
  } satisfies Record<OrderAccess | Settings['readAccess'], Guard>;
}

/**
 * Adds the routes, and returns them. Those of every deployment take ANY method: preflights, 405 and their bodies are the
 * functions' own on Lambda as they are locally. The path of orders is answered by health, which has no key; where orders
 * are taken POST goes before it, to the function of orders.
 */
function addRoutes(api: HttpApi, rest: HttpLambdaIntegration, { settings, readers, orders }: GatewayProps) {
  const guards = createGuards(settings);
  const routes: { readonly key: string; readonly name: Route['name']; readonly route: HttpRoute }[] = [];
  const add = (
    name: Route['name'],
    guard: Guard,
    integration: HttpLambdaIntegration,
    whyOpen: Parameters<typeof acknowledgeOpenRoute>[1],
    method = HttpMethod.ANY,
  ) => {
    const { path } = ROUTES[name];
    for (const route of api.addRoutes({ path, methods: [method], integration, ...guard })) {
      if (!guard.authorizer) acknowledgeOpenRoute(route, whyOpen);
      routes.push({ key: `${method} ${path}`, name, route });
    }
  };
  const read: Guard = guards[settings.readAccess];
  add('health', guards.open, rest, 'read');
  for (const name of ['markets', 'book'] as const) {
    const integration = new HttpLambdaIntegration(name, readers[name].live);
    add(name, read, integration, 'read');
    if (read.authorizer) add(name, guards.open, integration, 'preflight', HttpMethod.OPTIONS);
  }
  add('orders', guards.open, rest, 'refusal');
  if (orders && settings.orders) {
    const integration = new HttpLambdaIntegration('orders', orders.live);
    add('orders', guards[settings.orders.orderAccess], integration, 'public', HttpMethod.POST);
  }
  return routes;
}

/** Adds the domain of the operator's own; the address of the gateway then answers nobody. */
function addDomain(api: HttpApi, name: string, certificateArn: string): DomainName {
  const certificate = Certificate.fromCertificateArn(api, 'Certificate', certificateArn);
  const domainName = new DomainName(api, 'Domain', { domainName: name, certificate });
  new CfnOutput(Stack.of(api), 'DomainTarget', {
    value: domainName.regionalDomainName,
    description: `What the DNS record of ${name} points to`,
  });
  return domainName;
}

/** Adds the HTTP API with its routes, its one stage, throttles and access log. Clients know it by `host`. */
export function addGateway(scope: Construct, props: GatewayProps) {
  const { names, settings, readers } = props;
  const { domainName, certificateArn } = settings;
  const perSecond = { markets: settings.marketsPerSecond, book: settings.booksPerSecond };
  const rest = new HttpLambdaIntegration('health', readers.health.live);
  const api = new HttpApi(scope, 'Api', {
    apiName: names.stack,
    description: 'Lists markets, reads order books and places limit orders at the venue',
    createDefaultStage: false,
    defaultIntegration: rest,
    disableExecuteApiEndpoint: domainName !== undefined,
  });
  const unknown = api.node.tryFindChild('DefaultRoute');
  if (unknown) acknowledgeOpenRoute(unknown, 'read');
  const accessLog = addAccessLog(api, names);
  new CfnOutput(scope, 'AccessLog', { value: accessLog.logGroupName });
  const routes = addRoutes(api, rest, props);
  const stage = new HttpStage(api, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    // Of each route without one of its own: orders, preflights of closed reads, unknown paths.
    throttle: { rateLimit: THROTTLES.orders.rate, burstLimit: THROTTLES.orders.burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(ACCESS_LOG),
    },
    ...(domainName && certificateArn && { domainMapping: { domainName: addDomain(api, domainName, certificateArn) } }),
  });
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage)) throw new Error('the stage has no resource');
  // The gateway refuses settings of a route that is not there yet, and CloudFormation sees no link between the two.
  stage.node.addDependency(...routes.map(({ route }) => route));
  // A stage may keep the settings of a route that a later deployment takes away, and then refuses every change.
  const lasting = routes.filter(({ key }) => key.startsWith(HttpMethod.ANY));
  defaultChild.routeSettings = Object.fromEntries(
    lasting.map(({ key, name }) => {
      const asked = name === 'markets' || name === 'book' ? perSecond[name] : undefined;
      const { rate, burst } = asked === undefined ? THROTTLES[name] : { rate: asked, burst: 2 * asked };
      return [key, { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }];
    }),
  );
  const { region } = Stack.of(scope);
  return { api, stage, accessLog, host: domainName ?? `${api.apiId}.execute-api.${region}.amazonaws.com` };
}

/** The API of a deployment. */
export type Gateway = ReturnType<typeof addGateway>;
