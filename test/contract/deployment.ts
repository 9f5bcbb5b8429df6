import type { Template } from 'aws-cdk-lib/assertions';
import type { CONTEXT } from '../../infra/settings/table.ts';
import type { ServiceStack } from '../../infra/stack.ts';
import { variableOf } from '../../shared/settings/table.ts';
import { PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { type Context, FILE, propertiesOf } from '../support/deployed-apps.ts';
import { funderOf } from '../support/venue/signing.ts';

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
const SAFE = funderOf(WALLET_ADDRESS, 'safe');
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const CERTIFICATE = KEY.replace('kms', 'acm').replace('key/', 'certificate/');
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:fills';
const CHAIN = { clientVerification: 'required', clientRpcUrl: 'https://rpc.example', clientChainId: '137' };
const TOKENS = { maxDailyNotional: '1000', orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'app' };
const DOMAIN = { domainName: 'api.example.com', certificateArn: CERTIFICATE };
const BY_KMS = { privateKeySecret: undefined, kmsKey: 'alias/orders' };

/** The different values of what a template's resources of a type have. */
function valuesOf(type: string, pick: (properties: Readonly<Record<string, unknown>>) => unknown): Shows {
  return ({ template }) => [...new Set(propertiesOf(template, `AWS::${type}`).map(pick))];
}

/** Proves that a setting reaches functions as its variable. */
function reaches(functions: string, name: keyof typeof CONTEXT, value: string, more: Context = {}): Proof {
  const shows: Shows = ({ template }) =>
    propertiesOf(template, 'AWS::Lambda::Function')
      .filter(({ Environment }) => Environment?.Variables[variableOf(name)] === value)
      .map(({ FunctionName }) => FunctionName.replace('order-book-adapter-', ''))
      .join(' ');
  return [{ ...more, [name]: value }, shows, functions];
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
  walletAddress: reaches('health orders', 'walletAddress', OTHER_ADDRESS),
  privateKeySecret: reaches('orders', 'privateKeySecret', 'another'),
  kmsKey: reaches('orders', 'kmsKey', 'alias/orders', BY_KMS),
  credentialsSecret: reaches('orders', 'credentialsSecret', 'api', BY_KMS),
  signatureType: reaches('orders', 'signatureType', 'deposit-wallet', { funderAddress: OTHER_ADDRESS }),
  funderAddress: reaches('health orders', 'funderAddress', SAFE),
  builderCode: reaches('orders', 'builderCode', 'ab'.repeat(32)),
  maxOrderNotional: reaches('orders', 'maxOrderNotional', '99.5'),
  maxDailyNotional: reaches('orders', 'maxDailyNotional', '1000'),
  maxDailyNotionalPerClient: reaches('orders', 'maxDailyNotionalPerClient', '300', CHAIN),
  clientVerification: reaches('health orders', 'clientVerification', 'required'),
  allowedClients: reaches('orders', 'allowedClients', OTHER_ADDRESS, CHAIN),
  clientRpcUrl: reaches('orders', 'clientRpcUrl', 'https://rpc.example', CHAIN),
  clientChainId: reaches('orders', 'clientChainId', '137', CHAIN),
  publicAuthority: reaches('orders', 'publicAuthority', 'api.example.com'),
  corsOrigins: reaches(ALL, 'corsOrigins', 'https://app.example'),
  gammaUrl: reaches(ALL, 'gammaUrl', 'https://gamma.example'),
  clobUrl: reaches(ALL, 'clobUrl', 'https://clob.example'),
  logLevel: reaches(ALL, 'logLevel', 'debug'),
  orderAccess: [PUBLIC, guardOf('POST /v1/orders'), 'NONE', { ...PUBLIC, orderAccess: 'iam' }],
  readAccess: [{ readAccess: 'iam' }, guardOf('ANY /v1/markets'), 'AWS_IAM'],
  jwtIssuer: [TOKENS, authorizer, [{ Audience: ['app'], Issuer: 'https://id.example' }]],
  jwtAudience: [
    { ...TOKENS, jwtAudience: 'app, phone' },
    authorizer,
    [{ Audience: ['app', 'phone'], Issuer: 'https://id.example' }],
    TOKENS,
  ],
  jwtScopes: [
    { ...TOKENS, jwtScopes: 'trade,admin' },
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
  stackName: [{ stackName: 'second' }, ({ service }) => service.stackName, 'second'],
  region: [{ region: 'eu-north-1', alarmTopic: undefined }, ({ service }) => service.region, 'eu-north-1'],
  account: [{ account: '123456789012' }, ({ service }) => service.account, '123456789012'],
  alarmTopic: [
    { alarmTopic: TOPIC },
    valuesOf('CloudWatch::Alarm', ({ AlarmActions }) => AlarmActions?.toString()),
    [TOPIC],
  ],
  fillsTopic: [
    { fillsTopic: TOPIC },
    ({ template }) => propertiesOf(template, 'AWS::Lambda::Function')[4]?.Environment.Variables.FILLS_TOPIC,
    TOPIC,
  ],
  keyArn: [{ keyArn: KEY }, encryption, [[{ SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY }], [KEY]]],
  removal: [
    { removal: 'destroy' },
    ({ template }) => Object.values(template.findResources('AWS::DynamoDB::Table'))[0]?.['DeletionPolicy'],
    'Delete',
  ],
  rollout: [
    { rollout: 'all-at-once' },
    valuesOf('CodeDeploy::DeploymentGroup', ({ DeploymentConfigName }) => DeploymentConfigName),
    ['CodeDeployDefault.LambdaAllAtOnce'],
  ],
  domainName: [DOMAIN, ({ template }) => template.toJSON()['Outputs'].Url.Value, 'https://api.example.com'],
  certificateArn: [
    DOMAIN,
    valuesOf('ApiGatewayV2::DomainName', ({ DomainNameConfigurations }) => DomainNameConfigurations),
    [[{ CertificateArn: CERTIFICATE, EndpointType: 'REGIONAL', IpAddressType: 'dualstack' }]],
  ],
};
