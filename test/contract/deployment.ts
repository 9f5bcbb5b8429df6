import type { Template } from 'aws-cdk-lib/assertions';
import type { CONTEXT } from '../../infra/settings/table.ts';
import type { ServiceStack } from '../../infra/stack.ts';
import { variableOf } from '../../shared/settings/table.ts';
import { PUBLIC } from '../../tools/support/deployment.ts';
import { type Context, FILE, propertiesOf } from '../support/deployed-apps.ts';

/** The stack of a deployment, and its template. */
interface Deployed {
  readonly service: ServiceStack;
  readonly template: Template;
}

type Shows = (deployed: Deployed) => unknown;

/**
 * What a setting does: what a deployment shows that is `given` it, with what it needs beside it, and what is shown. One
 * with `others` in its place, or nothing, shows something else. The rest is `ORDER_CONTEXT`.
 */
type Proof = readonly [given: Context, shows: Shows, is: unknown, others?: Context];

const OTHER_ADDRESS = '0x2222222222222222222222222222222222222223';
const FUNDER = '0x3333333333333333333333333333333333333333';
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const CERTIFICATE = KEY.replace('kms', 'acm').replace('key/', 'certificate/');
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:fills';
const TOKENS = { maxDailyNotional: '1000', orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'app' };
const MORE_TOKENS = { ...TOKENS, jwtAudience: 'app, phone', jwtScopes: 'trade,admin' };
const BY_KMS = { privateKeySecret: undefined, kmsKey: 'alias/orders', credentialsSecret: 'api' };

/** Settings that reach functions, all at once. */
const VARIABLES = {
  ...{ walletAddress: OTHER_ADDRESS, signatureType: 'deposit-wallet', funderAddress: FUNDER },
  ...{ privateKeySecret: 'another', builderCode: 'ab'.repeat(32), allowedClients: OTHER_ADDRESS, logLevel: 'debug' },
  ...{ maxOrderNotional: '99.5', maxDailyNotional: '1000', maxDailyNotionalPerClient: '300' },
  ...{ clientVerification: 'required', clientRpcUrl: 'https://rpc.example', clientChainId: '137' },
  ...{ publicAuthority: 'api.example.com', corsOrigins: 'https://app.example' },
  ...{ gammaUrl: 'https://gamma.example', clobUrl: 'https://clob.example' },
};

/** Settings of the stack that can be had at once. */
const STACK = {
  ...{ stackName: 'second', account: '123456789012', readAccess: 'iam', removal: 'destroy', rollout: 'all-at-once' },
  ...{ alarmTopic: TOPIC, fillsTopic: TOPIC, keyArn: KEY, domainName: 'api.example.com', certificateArn: CERTIFICATE },
};

/** The different values of what a template's resources of a type have. */
function valuesOf(type: string, pick: (properties: Readonly<Record<string, unknown>>) => unknown): Shows {
  return ({ template }) => [...new Set(propertiesOf(template, `AWS::${type}`).map(pick))];
}

/** Proves that a setting reaches functions as its variable. */
function reaches(functions: string, name: keyof typeof CONTEXT, given: Context = VARIABLES): Proof {
  const shows: Shows = ({ template }) =>
    propertiesOf(template, 'AWS::Lambda::Function')
      .filter(({ Environment }) => Environment?.Variables[variableOf(name)] === given[name])
      .map(({ FunctionName }) => FunctionName.replace('order-book-adapter-', ''))
      .join(' ');
  return [given, shows, functions];
}

/** The authorizer of a route. */
function guardOf(route: string): Shows {
  return ({ template }) =>
    propertiesOf(template, 'AWS::ApiGatewayV2::Route').find(({ RouteKey }) => RouteKey === route)?.AuthorizationType;
}

const ALL = 'health markets book orders';
const authorizer = valuesOf('ApiGatewayV2::Authorizer', ({ JwtConfiguration }) => JwtConfiguration);
const encryption: Shows = (deployed) => [
  valuesOf('DynamoDB::Table', ({ SSESpecification }) => SSESpecification)(deployed),
  valuesOf('Logs::LogGroup', ({ KmsKeyId }) => KmsKeyId)(deployed),
];

/** Each setting of a deployment has one proof. What synth refuses is in test/infra/settings.test.ts. */
export const DEPLOYMENT: Readonly<Record<keyof typeof CONTEXT, Proof>> = {
  placeOrder: [{ placeOrder: true }, guardOf('POST /v1/orders'), 'AWS_IAM', { placeOrder: false }],
  walletAddress: reaches('health orders', 'walletAddress'),
  privateKeySecret: reaches('orders', 'privateKeySecret'),
  kmsKey: reaches('orders', 'kmsKey', BY_KMS),
  credentialsSecret: reaches('orders', 'credentialsSecret', BY_KMS),
  signatureType: reaches('orders', 'signatureType'),
  funderAddress: reaches('health orders', 'funderAddress'),
  builderCode: reaches('orders', 'builderCode'),
  maxOrderNotional: reaches('orders', 'maxOrderNotional'),
  maxDailyNotional: reaches('orders', 'maxDailyNotional'),
  maxDailyNotionalPerClient: reaches('orders', 'maxDailyNotionalPerClient'),
  clientVerification: reaches('health orders', 'clientVerification'),
  allowedClients: reaches('orders', 'allowedClients'),
  clientRpcUrl: reaches('orders', 'clientRpcUrl'),
  clientChainId: reaches('orders', 'clientChainId'),
  publicAuthority: reaches('orders', 'publicAuthority'),
  corsOrigins: reaches(ALL, 'corsOrigins'),
  gammaUrl: reaches(ALL, 'gammaUrl'),
  clobUrl: reaches(ALL, 'clobUrl'),
  logLevel: reaches(ALL, 'logLevel'),
  orderAccess: [PUBLIC, guardOf('POST /v1/orders'), 'NONE', { ...PUBLIC, orderAccess: 'iam' }],
  readAccess: [STACK, guardOf('ANY /v1/markets'), 'AWS_IAM'],
  jwtIssuer: [TOKENS, authorizer, [{ Audience: ['app'], Issuer: 'https://id.example' }]],
  jwtAudience: [MORE_TOKENS, authorizer, [{ Audience: ['app', 'phone'], Issuer: 'https://id.example' }], TOKENS],
  jwtScopes: [
    MORE_TOKENS,
    valuesOf('ApiGatewayV2::Route', ({ AuthorizationScopes }) => AuthorizationScopes?.toString()),
    [undefined, 'trade,admin'],
    TOKENS,
  ],
  ordersTable: [
    { ordersTable: 'restored' },
    ({ template }) => [template.toJSON()['Outputs'].OrdersTable.Value, propertiesOf(template, 'AWS::DynamoDB::Table')],
    ['restored', []],
  ],
  env: [{ env: FILE.name }, ({ service }) => service.stackName, FILE.stackName],
  stackName: [STACK, ({ service }) => service.stackName, 'second'],
  region: [{ region: 'eu-north-1', alarmTopic: undefined }, ({ service }) => service.region, 'eu-north-1'],
  account: [STACK, ({ service }) => service.account, '123456789012'],
  alarmTopic: [STACK, valuesOf('CloudWatch::Alarm', ({ AlarmActions }) => AlarmActions?.toString()), [TOPIC]],
  fillsTopic: [
    STACK,
    ({ template }) => propertiesOf(template, 'AWS::Lambda::Function')[4]?.Environment.Variables.FILLS_TOPIC,
    TOPIC,
  ],
  keyArn: [STACK, encryption, [[{ SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY }], [KEY]]],
  removal: [
    STACK,
    ({ template }) => Object.values(template.findResources('AWS::DynamoDB::Table'))[0]?.['DeletionPolicy'],
    'Delete',
  ],
  rollout: [
    STACK,
    valuesOf('CodeDeploy::DeploymentGroup', ({ DeploymentConfigName }) => DeploymentConfigName),
    ['CodeDeployDefault.LambdaAllAtOnce'],
  ],
  domainName: [STACK, ({ template }) => template.toJSON()['Outputs'].Url.Value, 'https://api.example.com'],
  certificateArn: [
    STACK,
    valuesOf('ApiGatewayV2::DomainName', ({ DomainNameConfigurations }) => DomainNameConfigurations),
    [[{ CertificateArn: CERTIFICATE, EndpointType: 'REGIONAL', IpAddressType: 'dualstack' }]],
  ],
};
