import { Aws, CfnOutput, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Settings } from '../settings/settings.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { Names } from './names.ts';
import type { Readers } from './readers.ts';

/** Sustained requests per second for all callers; bursts may be twice that. */
const PER_SECOND = {
  health: 50,
  // The venue takes 300 requests per 10 s and address for its lists, of which a large limit needs several; 1500 for books.
  markets: 20,
  book: 150,
  // The venue takes 40 orders a second and signer, 60 at once: half of it leaves room for the wallet's other uses.
  orders: 20,
} as const;

/**
 * The fields of the access log. Left out are the time, which the log adds; what a caller sends besides the path; and
 * the duration in the function, which its own line has.
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
  // Of a machine's token, which often has no `sub`.
  client_id: '$context.authorizer.claims.client_id',
  azp: '$context.authorizer.claims.azp',
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

function addAccessLog(api: apigateway.HttpApi, names: Names): LogGroup {
  return new LogGroup(api, 'AccessLog', {
    // A new name for each stack, since the log of an earlier stack of the same name is kept.
    logGroupName: `${names.accessLog}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
    // As long as the log of orders: only this one shows whom the gateway refused.
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

type Guard = Pick<apigateway.AddRoutesOptions, 'authorizer' | 'authorizationScopes'>;

/**
 * Creates the authorizers, one of each kind for all routes, since an API may have few. Where tokens are required, the
 * issuer is set; without it AWS would refuse the authorizer rather than leave a route open.
 */
function createGuards({ jwtIssuer = '', jwtAudience = [], jwtScopes }: Settings) {
  const tokens = new HttpJwtAuthorizer('Tokens', jwtIssuer, { jwtAudience: [...jwtAudience] });
  return {
    open: {},
    public: {},
    iam: { authorizer: new HttpIamAuthorizer() },
    jwt: { authorizer: tokens, ...(jwtScopes && { authorizationScopes: [...jwtScopes] }) },
  } satisfies Record<OrderAccess | Settings['readAccess'], Guard>;
}

/**
 * Adds the routes and returns them. Those of every deployment take ANY method, so that the functions answer preflights
 * and 405 themselves, as they do locally. Health, which has no key, answers the path of orders; if orders are enabled,
 * a route for POST takes precedence and leads to the function of orders.
 */
function addRoutes(api: apigateway.HttpApi, rest: HttpLambdaIntegration, { settings, readers, orders }: GatewayProps) {
  const guards = createGuards(settings);
  readers.health.allowGateway(api, '*');
  const routes = api.addRoutes({ path: ROUTES.health.path, integration: rest });
  for (const name of ['markets', 'book'] as const) {
    const guard: Guard = guards[settings.readAccess];
    const { path } = ROUTES[name];
    const route = { path, integration: new HttpLambdaIntegration(name, readers[name].live) };
    readers[name].allowGateway(api, `*${path}`);
    routes.push(...api.addRoutes({ ...route, ...guard }));
    if (guard.authorizer) routes.push(...api.addRoutes({ ...route, methods: [apigateway.HttpMethod.OPTIONS] }));
  }
  const { path, method } = ROUTES.orders;
  routes.push(...api.addRoutes({ path, integration: rest }));
  if (orders && settings.orders) {
    const { orderAccess } = settings.orders;
    const integration = new HttpLambdaIntegration('orders', orders.live);
    const post = { path, methods: [apigateway.HttpMethod.POST], integration };
    const added = api.addRoutes({ ...post, ...guards[orderAccess] });
    // A new alias takes requests once the gateway may invoke it.
    for (const each of added) each.node.addDependency(orders.allowGateway(api, `${method}${path}`));
    routes.push(...added);
    if (orderAccess === 'iam') {
      const value = api.arnForExecuteApi(method, path, '$default');
      const description = 'What a caller of POST /v1/orders needs execute-api:Invoke on';
      new CfnOutput(Stack.of(api), 'OrderRouteArn', { description, value });
    }
  }
  return routes;
}

/** Adds the operator's own domain; the gateway's own address is then disabled. */
function addDomain(api: apigateway.HttpApi, name: string, certificateArn: string): apigateway.DomainName {
  const certificate = Certificate.fromCertificateArn(api, 'Certificate', certificateArn);
  const ipAddressType = apigateway.IpAddressType.DUAL_STACK;
  const domainName = new apigateway.DomainName(api, 'Domain', { domainName: name, certificate, ipAddressType });
  const description = `What the DNS record of ${name} points to`;
  new CfnOutput(Stack.of(api), 'DomainTarget', { value: domainName.regionalDomainName, description });
  return domainName;
}

/** Adds the HTTP API with its routes, its one stage, throttles and access log. */
export function addGateway(scope: Construct, props: GatewayProps): apigateway.HttpApi {
  const { names, settings, readers } = props;
  const { domainName, certificateArn } = settings;
  const rest = new HttpLambdaIntegration('health', readers.health.live);
  const api = new apigateway.HttpApi(scope, 'Api', {
    apiName: names.stack,
    description: 'Lists markets, reads order books and places limit orders at the venue',
    createDefaultStage: false,
    ipAddressType: apigateway.IpAddressType.DUAL_STACK,
    defaultIntegration: rest,
    disableExecuteApiEndpoint: domainName !== undefined,
  });
  const accessLog = addAccessLog(api, names);
  new CfnOutput(scope, 'AccessLog', { value: accessLog.logGroupName });
  const routes = addRoutes(api, rest, props);
  const stage = new apigateway.HttpStage(api, 'Stage', {
    httpApi: api,
    autoDeploy: true,
    // For routes without a throttle of their own: orders, preflights of closed reads, unknown paths.
    throttle: { rateLimit: PER_SECOND.orders, burstLimit: 2 * PER_SECOND.orders },
    accessLogSettings: {
      destination: new apigateway.LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(ACCESS_LOG),
    },
    ...(domainName && certificateArn && { domainMapping: { domainName: addDomain(api, domainName, certificateArn) } }),
  });
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof apigateway.CfnStage)) throw new Error('the stage has no resource');
  // The gateway refuses settings of a missing route, and CloudFormation sees no dependency between the two.
  stage.node.addDependency(...routes);
  // Only routes that every deployment has: a stage may keep the settings of a route that is removed later, and then
  // refuses every change.
  defaultChild.routeSettings = Object.fromEntries(
    Object.values(ROUTES).map(({ name, path }) => [
      `ANY ${path}`,
      { ThrottlingRateLimit: PER_SECOND[name], ThrottlingBurstLimit: 2 * PER_SECOND[name] },
    ]),
  );
  const host = domainName ?? `${api.apiId}.execute-api.${Stack.of(scope).region}.${Aws.URL_SUFFIX}`;
  new CfnOutput(scope, 'Url', { value: `https://${host}`, description: 'Base address of the service' });
  return api;
}
