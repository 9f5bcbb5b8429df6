import { Aws, Fn, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Settings } from '../settings/settings.ts';
import { addOutputs } from './outputs.ts';
import type { Readers } from './readers.ts';
import type { ServiceFunction } from './service-function.ts';

const DUAL_STACK = apigateway.IpAddressType.DUAL_STACK;

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
  // A machine's token often has no `sub`.
  client_id: '$context.authorizer.claims.client_id',
  azp: '$context.authorizer.claims.azp',
  response_ms: '$context.responseLatency',
  // Lambda's status, not the function's; a dash if no function ran.
  integration_status: '$context.integration.integrationStatus',
  lambda_request_id: '$context.integration.requestId',
  integration_error: '$context.integrationErrorMessage',
  gateway_error: '$context.error.message',
});

const integrate = ({ name, live }: ServiceFunction) => new HttpLambdaIntegration(name, live);

/** Lets the one stage of the API invoke a function's alias, for a method and path; `*` stands for any. */
function allow({ apiId: resource }: apigateway.HttpApi, target: ServiceFunction, methodAndPath: string): CfnPermission {
  const resourceName = `$default/${methodAndPath}`;
  return new CfnPermission(target, 'Gateway', {
    action: 'lambda:InvokeFunction',
    functionName: target.alias.functionArn,
    principal: 'apigateway.amazonaws.com',
    sourceArn: Stack.of(target).formatArn({ service: 'execute-api', resource, resourceName }),
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

/** The functions behind the routes; `orders` is absent in a read-only deployment. */
type Targets = Readers & { readonly orders: ServiceFunction | undefined };

/**
 * Adds the routes and returns them. Those of every deployment take ANY method, so that the functions answer preflights
 * and 405 themselves, as they do locally. Health, which has no key, answers the path of orders; if orders are enabled,
 * a route for POST takes precedence and leads to the function of orders.
 */
function addRoutes(api: apigateway.HttpApi, rest: HttpLambdaIntegration, settings: Settings, targets: Targets) {
  const guards = createGuards(settings);
  allow(api, targets.health, '*');
  const routes = [ROUTES.health, ROUTES.orders].flatMap(({ path }) => api.addRoutes({ path, integration: rest }));
  for (const name of ['markets', 'book'] as const) {
    const guard: Guard = guards[settings.readAccess];
    const route = { path: ROUTES[name].path, integration: integrate(targets[name]) };
    allow(api, targets[name], `*${route.path}`);
    routes.push(...api.addRoutes({ ...route, ...guard }));
    if (guard.authorizer) routes.push(...api.addRoutes({ ...route, methods: [apigateway.HttpMethod.OPTIONS] }));
  }
  if (targets.orders && settings.orders) {
    const { path, method } = ROUTES.orders;
    const { orderAccess } = settings.orders;
    const post = { path, methods: [apigateway.HttpMethod.POST], integration: integrate(targets.orders) };
    const added = api.addRoutes({ ...post, ...guards[orderAccess] });
    // A new alias takes requests once the gateway may invoke it.
    const permission = allow(api, targets.orders, `${method}${path}`);
    for (const route of added) route.node.addDependency(permission);
    routes.push(...added);
    // The resource on which a caller needs execute-api:Invoke.
    if (orderAccess === 'iam') addOutputs(api, { OrderRouteArn: api.arnForExecuteApi(method, path, '$default') });
  }
  return routes;
}

/** Adds the operator's own domain; the gateway's own address is then disabled. */
function addDomain(api: apigateway.HttpApi, domainName: string, certificateArn: string): apigateway.DomainName {
  const certificate = Certificate.fromCertificateArn(api, 'Certificate', certificateArn);
  const domain = new apigateway.DomainName(api, 'Domain', { domainName, certificate, ipAddressType: DUAL_STACK });
  // The target for the domain's DNS record.
  addOutputs(api, { DomainTarget: domain.regionalDomainName });
  return domain;
}

/** Adds the HTTP API with its routes, its one stage, throttles and access log. */
export function addGateway(scope: Construct, settings: Settings, targets: Targets): apigateway.HttpApi {
  const { stackName, domainName, certificateArn } = settings;
  const rest = integrate(targets.health);
  const api = new apigateway.HttpApi(scope, 'Api', {
    apiName: stackName,
    description: 'Lists markets, reads order books and places limit orders at the venue',
    createDefaultStage: false,
    ipAddressType: DUAL_STACK,
    defaultIntegration: rest,
    disableExecuteApiEndpoint: domainName !== undefined,
  });
  const accessLog = new LogGroup(api, 'AccessLog', {
    // AWS's prefix for delivered logs: without it each API adds a statement to a policy of limited size. A new name for
    // each stack, since the log of an earlier stack of the same name is kept.
    logGroupName: `/aws/vendedlogs/${stackName}/access-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`,
    // Kept as long as the log of orders: only the access log shows refused callers.
    retention: RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const routes = addRoutes(api, rest, settings, targets);
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
  // The gateway refuses settings of a missing route, and CloudFormation sees no dependency between the two.
  stage.node.addDependency(...routes);
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof apigateway.CfnStage)) throw new Error('the stage has no resource');
  // Only routes that every deployment has: a stage may keep the settings of a route that is removed later, and then
  // refuses every change.
  const throttles = Object.values(ROUTES).map(({ name, path }) => {
    const throttle = { ThrottlingRateLimit: PER_SECOND[name], ThrottlingBurstLimit: 2 * PER_SECOND[name] };
    return [`ANY ${path}`, throttle] as const;
  });
  defaultChild.routeSettings = Object.fromEntries(throttles);
  const host = domainName ?? `${api.apiId}.execute-api.${Stack.of(scope).region}.${Aws.URL_SUFFIX}`;
  addOutputs(scope, { Url: `https://${host}`, AccessLog: accessLog.logGroupName });
  return api;
}
