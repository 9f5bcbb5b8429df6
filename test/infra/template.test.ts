import { describe, expect, it } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { ORDER_CONTEXT, PUBLIC, SECRET_NAME, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { quietly } from '../../tools/support/synthesize.ts';
import { type Context, deployedApps, propertiesOf } from '../support/deployed-apps.ts';

const { appOf, templateOf } = deployedApps();

const KEY_ARN = 'arn:aws:kms:eu-west-1:123456789012:key';
const OWN_KEY = `${KEY_ARN}/own`;
const FILLS_TOPIC = 'arn:aws:sns:eu-west-1:123456789012:fills';

/** The deployments that several tests look at. */
const READ_ONLY: Context = { region: ORDER_CONTEXT.region, alarmTopic: ORDER_CONTEXT.alarmTopic };
const TRADING: Context = ORDER_CONTEXT;
const OPEN: Context = { ...ORDER_CONTEXT, ...PUBLIC };
const WITH_TOKENS: Context = {
  ...ORDER_CONTEXT,
  maxDailyNotional: '1000',
  ...{ orderAccess: 'jwt', readAccess: 'jwt', jwtScopes: 'trade,admin' },
  ...{ jwtIssuer: 'https://id.example/tenant', jwtAudience: 'web-client, ios-client' },
};
/** With every setting that others do not contradict. */
const FULL: Context = {
  ...ORDER_CONTEXT,
  ...{ keyArn: OWN_KEY, rollout: 'all-at-once', fillsTopic: FILLS_TOPIC },
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd',
  // A setting of the CDK, which is passed on.
  '@aws-cdk/core:bootstrapQualifier': 'team1',
};

const RUNTIME = { Runtime: 'nodejs24.x', Architectures: ['arm64'] };

type Statement = Readonly<Record<'Action' | 'Resource', unknown>>;

/** The statements of the policies in a template, of those of one role if its id is given. */
function statementsOf(template: Template, role = ''): readonly Statement[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith(role));
  return policies.flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
}

function routesOf(context: Context): string[] {
  const routes = propertiesOf(templateOf(context), 'AWS::ApiGatewayV2::Route');
  return routes.map(({ RouteKey, AuthorizationType }) => `${RouteKey} ${AuthorizationType}`).toSorted();
}

/** The text of a template's value, references and all. */
function textOf(value: unknown): string {
  return JSON.stringify(value);
}

/** The resources of a template by id. */
function resourcesOf(context: Context): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return templateOf(context).toJSON()['Resources'];
}

function arn(service: string, resource: string) {
  return { 'Fn::Join': ['', [`arn:aws:${service}:eu-west-1:`, { Ref: 'AWS::AccountId' }, `:${resource}`]] };
}

function logStatement(id: string) {
  const Resource = { 'Fn::GetAtt': [expect.stringMatching(`^${id}`), 'Arn'] };
  return { Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Effect: 'Allow', Resource };
}

const WALLET_VARIABLES = {
  SERVICE_PLACE_ORDER: '1',
  SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
  SERVICE_ORDER_ACCESS: 'iam',
  SERVICE_CLIENT_VERIFICATION: 'off',
};
const ORDER_VARIABLES = {
  ...WALLET_VARIABLES,
  SERVICE_SIGNATURE_TYPE: 'eoa',
  SERVICE_MAX_ORDER_NOTIONAL: '250',
  SERVICE_PRIVATE_KEY_SECRET: SECRET_NAME,
  SERVICE_STORE: 'dynamodb:order-book-adapter-orders',
};
const functionWith = (name: string, properties: object = {}) => ({
  FunctionName: `order-book-adapter-${name}`,
  ...properties,
});
const NO_REPEAT = { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 };
const EVERY_MINUTE = { ScheduleExpression: 'rate(1 minute)', Target: { RetryPolicy: NO_REPEAT } };
const ROLLOUT = {
  DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
  AutoRollbackConfiguration: {
    Enabled: true,
    Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
  },
};

const KEYS_ONLY = { Projection: { ProjectionType: 'KEYS_ONLY' } };

/** A type, a deployment, and what each of its resources of that type has. */
const RESOURCES: readonly (readonly [type: string, deployment: Context, ...properties: object[]])[] = [
  ['ApiGatewayV2::Api', READ_ONLY, { DisableExecuteApiEndpoint: false, IpAddressType: 'dualstack' }],
  ['ApiGatewayV2::Api', FULL, { DisableExecuteApiEndpoint: true }],
  [
    'ApiGatewayV2::Stage',
    FULL,
    {
      // Of orders and of unknown paths.
      DefaultRouteSettings: { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
      RouteSettings: {
        'ANY /v1/markets': { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
        'ANY /v1/book/{token_id}': { ThrottlingRateLimit: 150, ThrottlingBurstLimit: 300 },
      },
    },
  ],
  [
    'Lambda::Function',
    READ_ONLY,
    ...[256, 1024, 768].map((MemorySize, index) => ({ MemorySize, Timeout: index === 0 ? 5 : 12, ...RUNTIME })),
  ],
  [
    'Lambda::Function',
    TRADING,
    // Health says which wallet trades, and whether clients sign.
    functionWith('health', { Environment: { Variables: WALLET_VARIABLES } }),
    functionWith('markets'),
    functionWith('book'),
    functionWith('orders', { MemorySize: 1769, Timeout: 28, ...RUNTIME, Environment: { Variables: ORDER_VARIABLES } }),
  ],
  [
    'Lambda::Function',
    FULL,
    ...['health', 'markets', 'book', 'orders'].map((name) => functionWith(name)),
    functionWith('events', {
      Timeout: 55,
      Environment: { Variables: { FILLS_TOPIC, SERVICE_STORE: 'dynamodb:order-book-adapter-orders' } },
    }),
  ],
  // Events are published a minute later: a run that failed or was missed is not repeated.
  ['Scheduler::Schedule', FULL, EVERY_MINUTE],
  ['Lambda::EventInvokeConfig', FULL, NO_REPEAT],
  [
    'DynamoDB::Table',
    READ_ONLY,
    {
      GlobalSecondaryIndexes: [
        { IndexName: 'by-order', KeySchema: [{ AttributeName: 'order_id', KeyType: 'HASH' }], ...KEYS_ONLY },
        {
          IndexName: 'by-signing',
          KeySchema: [
            { AttributeName: 'signed_on', KeyType: 'HASH' },
            { AttributeName: 'signed_at', KeyType: 'RANGE' },
          ],
          ...KEYS_ONLY,
        },
      ],
    },
  ],
  ['CodeDeploy::DeploymentGroup', TRADING, ROLLOUT],
  ['CloudWatch::Dashboard', READ_ONLY, { DashboardName: 'order-book-adapter-eu-west-1' }],
];

const OUTPUTS: readonly (readonly [name: string, context: Context, value: unknown])[] = [
  ['OrdersTable', READ_ONLY, 'order-book-adapter-orders'],
  ['OrderLog', READ_ONLY, Match.anyValue()],
  ['DashboardUrl', READ_ONLY, Match.anyValue()],
  ['GammaUrl', { ...READ_ONLY, gammaUrl: 'https://gamma.example' }, 'https://gamma.example'],
  ['ClobUrl', { ...READ_ONLY, clobUrl: 'https://clob.example' }, 'https://clob.example'],
  ['CorsOrigins', READ_ONLY, 'none: give the origin of your page as corsOrigins'],
  ['OrderRouteArn', TRADING, Match.anyValue()],
  // By these the operator's desk finds the deployment.
  ['WalletSecret', TRADING, SECRET_NAME],
  ['WalletAddress', TRADING, WALLET_ADDRESS],
  ['OrdersAlias', TRADING, Match.stringLikeRegexp('^live-')],
];

it.each(RESOURCES)(
  'a resource of type %s has the properties that its settings ask for',
  (type, context, ...properties) => {
    expect(propertiesOf(templateOf(context), `AWS::${type}`)).toMatchObject(properties);
  },
);

it.each(OUTPUTS)('a stack has the output %s: %j', (name, context, Value) => {
  templateOf(context).hasOutput(name, { Value });
});

describe('the stack', () => {
  it('cannot trade without orders, and has one more function with them', () => {
    const template = templateOf(READ_ONLY);
    const layers = propertiesOf(template, 'AWS::Lambda::Function').map(({ Layers = [] }) => Layers.length);
    expect(layers).toStrictEqual([1, 1, 1]);
    expect(statementsOf(template)).toStrictEqual(['HealthLog', 'MarketsLog', 'BookLog'].map(logStatement));
    expect(textOf(template.toJSON())).not.toMatch(/secretsmanager:|dynamodb:|kms:|SERVICE_(?:PLACE|PRIVATE)/);
    const [off, on] = [READ_ONLY, TRADING].map((context) => Object.keys(resourcesOf(context)));
    const isOther = (id: string) => !/CurrentVersion|^(?:Orders|Rollout|ApiPOSTv1orders|Alarms)/.test(id);
    expect(on?.filter(isOther).toSorted()).toStrictEqual(off?.filter(isOther).toSorted());
    templateOf(TRADING).resourceCountIs('AWS::Lambda::LayerVersion', 1);
    // The venue's own addresses are no outputs.
    expect(Object.keys(template.toJSON()['Outputs'])).not.toContain('ClobUrl');
  });

  it('is one with orders and without, and is protected while they are on', () => {
    for (const context of [{}, TRADING]) {
      const { app, service } = appOf(context);
      expect(quietly(() => app.synth()).stacks.map(({ stackName }) => stackName)).toStrictEqual(['order-book-adapter']);
      expect(service.terminationProtection).toBe(context === TRADING);
    }
    expect(textOf(templateOf(TRADING).toJSON())).not.toMatch(/adapter-events|FILLS_TOPIC/);
  });

  it('lets requests reach only published versions, each with its own layer, and keeps old versions to go back to', () => {
    const template = templateOf(READ_ONLY);
    const aliases = propertiesOf(template, 'AWS::Lambda::Alias');
    const [Name, version] = ['live', [expect.stringMatching('CurrentVersion'), 'Version']];
    expect(aliases).toMatchObject(Array(3).fill({ Name, FunctionVersion: { 'Fn::GetAtt': version } }));
    const targets = propertiesOf(template, 'AWS::ApiGatewayV2::Integration').map(
      ({ IntegrationUri }) => IntegrationUri,
    );
    expect(targets).toStrictEqual(targets.map(() => ({ Ref: expect.stringContaining('Aliaslive') })));
    const kept = Object.values(resourcesOf(READ_ONLY)).filter(({ Type }) =>
      /Lambda::(?:Layer)?Version$/.test(`${Type}`),
    );
    expect(kept).toMatchObject(
      Array(4).fill({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }),
    );
  });

  it('contains no other code, managed policy, reserved concurrency or topic', () => {
    expect(textOf(templateOf(FULL).toJSON())).not.toMatch(
      /Custom::|AWS::CloudFormation::CustomResource|ManagedPolicyArns|ReservedConcurrent|AWS::SNS/,
    );
  });

  it('grants one call on all resources: CodeDeploy describes alarms', () => {
    const isAny = ({ Resource }: Statement) => [Resource].flat().includes('*');
    const describes = { Action: 'cloudwatch:DescribeAlarms', Effect: 'Allow', Resource: '*' };
    expect(statementsOf(templateOf(FULL)).filter(isAny)).toStrictEqual([describes]);
  });
});

const READS = ['ANY /v1/book/{token_id}', 'ANY /v1/markets'];
const READS_OPEN = READS.map((route) => `${route} NONE`);
const PREFLIGHTS = READS.map((route) => `${route.replace('ANY', 'OPTIONS')} NONE`);
const ALWAYS = ['$default NONE', 'ANY /health NONE', 'ANY /v1/orders NONE'];

describe('the gateway', () => {
  it.each([
    [READ_ONLY, READS_OPEN],
    [TRADING, [...READS_OPEN, 'POST /v1/orders AWS_IAM']],
    [OPEN, [...READS_OPEN, 'POST /v1/orders NONE']],
    [WITH_TOKENS, [...READS.map((route) => `${route} JWT`), ...PREFLIGHTS, 'POST /v1/orders JWT']],
    [{ readAccess: 'iam' }, [...READS.map((route) => `${route} AWS_IAM`), ...PREFLIGHTS]],
  ])('guards its routes: %j', (context, routes) => {
    expect(routesOf(context)).toStrictEqual([...ALWAYS, ...routes].toSorted());
  });

  it('is the only caller of the functions, each by its own route', () => {
    const paths = propertiesOf(templateOf(TRADING), 'AWS::Lambda::Permission').map(
      ({ FunctionName, Principal, SourceArn }) => {
        expect(FunctionName).toStrictEqual({ Ref: expect.stringContaining('Aliaslive') });
        expect(Principal).toBe('apigateway.amazonaws.com');
        return /:execute-api:.*\{"Ref":"Api\w+"\},"\/\$default\/(.*?)"/.exec(textOf(SourceArn))?.[1];
      },
    );
    expect(paths).toStrictEqual(['*', '*/v1/markets', '*/v1/book/{token_id}', 'POST/v1/orders']);
    templateOf(TRADING).hasResource('AWS::ApiGatewayV2::Integration', {
      Properties: { IntegrationUri: { Ref: Match.stringLikeRegexp('^OrdersFunctionAliaslive') } },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^OrdersGateway')]),
    });
  });

  it('throttles every route, after the routes are there', () => {
    const template = templateOf(READ_ONLY);
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const throttled = Object.keys(stage?.['Properties'].RouteSettings).map((route) => `${route} NONE`);
    expect(['$default NONE', ...throttled].toSorted()).toStrictEqual([...ALWAYS, ...READS_OPEN].toSorted());
    const routes = Object.keys(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(stage?.['DependsOn']).toEqual(expect.arrayContaining(routes.filter((id) => !id.includes('Default'))));
  });
});

describe('the access log', () => {
  it('names the caller of each request, also of one that is refused', () => {
    const [{ AccessLogSettings }] = propertiesOf(templateOf(TRADING), 'AWS::ApiGatewayV2::Stage');
    const [identity, claims] = ['$context.identity', '$context.authorizer.claims'];
    expect(JSON.parse(AccessLogSettings.Format)).toMatchObject({
      ...{ source_ip: `${identity}.sourceIp`, caller: `${identity}.userArn` },
      ...{ subject: `${claims}.sub`, client_id: `${claims}.client_id`, azp: `${claims}.azp` },
      ...{ request_id: '$context.requestId', status: '$context.status' },
    });
  });
});

describe('the store of orders', () => {
  it('keeps table and log when orders are turned off or the stack is deleted', () => {
    const storeOf = (context: Context) =>
      Object.entries(resourcesOf(context)).filter(([, { Type }]) =>
        /^AWS::(?:DynamoDB::Table|Logs::LogGroup)$/.test(`${Type}`),
      );
    const keptOf = ([id, { Metadata: _, DependsOn: __, ...resource }]: ReturnType<typeof storeOf>[number]) => [
      id,
      resource,
    ];
    expect(storeOf(TRADING).map(keptOf)).toStrictEqual(storeOf(READ_ONLY).map(keptOf));
    const template = templateOf(READ_ONLY);
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        TableName: 'order-book-adapter-orders',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'idempotency_key', KeyType: 'HASH' }],
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      },
    });
    const ofAYear = template.findResources('AWS::Logs::LogGroup', { Properties: { RetentionInDays: 365 } });
    expect(Object.values(ofAYear)).toMatchObject(Array(2).fill({ DeletionPolicy: 'RetainExceptOnCreate' }));
  });

  it('creates its table after the resources that often fail, and before orders use it', () => {
    const [[id, table] = []] = Object.entries(templateOf(WITH_TOKENS).findResources('AWS::DynamoDB::Table'));
    const before = table?.['DependsOn'];
    expect(before).toEqual(
      expect.arrayContaining([expect.stringMatching('^AlarmsFunctionFaults'), expect.stringMatching('^ApiTokens')]),
    );
    expect(before.filter((each: string) => !/^(?:Alarms|ApiTokens)/.test(each))).toStrictEqual([]);
    const aliases = Object.entries(templateOf(WITH_TOKENS).findResources('AWS::Lambda::Alias'));
    expect(aliases.find(([alias]) => alias.startsWith('Orders'))?.[1]['DependsOn']).toStrictEqual([id]);
  });

  it('is deleted with the stack of a trial', () => {
    const context = { ...TRADING, removal: 'destroy' };
    const policies = Object.values(resourcesOf(context)).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(new Set(policies)).toStrictEqual(new Set(['Delete']));
    expect(textOf(resourcesOf(context))).toContain('"DeletionProtectionEnabled":false');
    expect(appOf(context).service.terminationProtection).toBe(false);
  });

  it('uses a restored table, and creates no other', () => {
    const template = templateOf({ ...TRADING, ordersTable: 'restored-orders' });
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(textOf(template.toJSON())).toContain('"SERVICE_STORE":"dynamodb:restored-orders"');
  });
});

const SIGNING = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
const KEY_ID = '1234abcd-12ab-34cd-56ef-1234567890ab';
const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:wallet-AbCdEf';
const readOf = (Resource: unknown) => ({ Action: 'secretsmanager:GetSecretValue', Effect: 'Allow', Resource });

describe('the role of orders', () => {
  it('may write its log, use its table and read its one secret', () => {
    expect(statementsOf(templateOf(TRADING), 'OrdersRole')).toStrictEqual([
      logStatement('OrderStoreLog'),
      {
        Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Effect: 'Allow',
        Resource: arn('dynamodb', 'table/order-book-adapter-orders'),
      },
      readOf(arn('secretsmanager', `secret:${SECRET_NAME}-??????`)),
    ]);
  });

  it.each([
    ['alias/orders', 'key/*', { 'kms:RequestAlias': 'alias/orders' }, 'api'],
    [KEY_ID, `key/${KEY_ID}`, undefined, undefined],
  ])('may sign with the KMS key %s, and reads no secret but that of credentials', (kmsKey, key, alias, api) => {
    const context = { ...TRADING, privateKeySecret: undefined, kmsKey, credentialsSecret: api };
    const statements = statementsOf(templateOf(context));
    const Resource = arn('kms', key);
    expect(statements.filter((statement) => /kms:|secretsmanager:/.test(textOf(statement)))).toStrictEqual([
      { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource, ...(alias && { Condition: { StringEquals: alias } }) },
      { Action: 'kms:Sign', Effect: 'Allow', Resource, Condition: { StringEquals: { ...alias, ...SIGNING } } },
      ...(api ? [readOf(arn('secretsmanager', 'secret:api-??????'))] : []),
    ]);
  });

  it('reads a secret only by its full ARN if that is known, with the one key that encrypts it', () => {
    const keyArn = `${KEY_ARN}/${KEY_ID}`;
    const statements = statementsOf(templateOf({ ...TRADING, privateKeySecret: SECRET_ARN, keyArn }), 'OrdersRole');
    const Condition = {
      StringEquals: { 'kms:ViaService': 'secretsmanager.eu-west-1.amazonaws.com' },
      StringLike: { 'kms:EncryptionContext:SecretARN': SECRET_ARN },
    };
    const decrypt = { Action: 'kms:Decrypt', Effect: 'Allow', Resource: keyArn, Condition };
    expect(statements.slice(3)).toStrictEqual([readOf(SECRET_ARN), decrypt]);
  });

  it('uses the key of the table only for the table; only the role of events uses it as well', () => {
    const statements = statementsOf(templateOf(FULL));
    const ofTable = statements.filter((statement) => textOf(statement).includes('dynamodb.eu-west-1'));
    const Condition = { StringEquals: { 'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com' } };
    expect(ofTable).toMatchObject(Array(2).fill({ Resource: OWN_KEY, Condition }));
    expect(statements.filter((statement) => textOf(statement).includes(OWN_KEY))).toHaveLength(4);
  });
});

describe('the function of events', () => {
  const table = arn('dynamodb', 'table/order-book-adapter-orders');
  const common = [
    logStatement('EventsLog'),
    {
      Action: ['dynamodb:GetItem', 'dynamodb:PutItem'],
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': '?follow topic *' } },
      Effect: 'Allow',
      Resource: table,
    },
    {
      Action: 'dynamodb:Query',
      Effect: 'Allow',
      Resource: ['by-order', 'by-signing'].map((index) =>
        arn('dynamodb', `table/order-book-adapter-orders/index/${index}`),
      ),
    },
    { Action: 'dynamodb:BatchGetItem', Effect: 'Allow', Resource: table },
    { Action: 'sns:Publish', Effect: 'Allow', Resource: FILLS_TOPIC },
  ];
  const withTopic = (change: Context) => templateOf({ ...TRADING, fillsTopic: FILLS_TOPIC, ...change });
  const byKms = { privateKeySecret: undefined, kmsKey: KEY_ID };

  it('writes items of its own and no order, and deletes nothing', () => {
    const statements = statementsOf(withTopic({}), 'EventsRole');
    expect(statements).toStrictEqual([...common, readOf(arn('secretsmanager', `secret:${SECRET_NAME}-??????`))]);
  });

  it('signs with KMS only where no secret has the API credentials', () => {
    const named = { Action: 'kms:GetPublicKey', Effect: 'Allow', Resource: arn('kms', `key/${KEY_ID}`) };
    const withSecret = statementsOf(withTopic({ ...byKms, credentialsSecret: 'api' }), 'EventsRole');
    expect(withSecret).toStrictEqual([...common, readOf(arn('secretsmanager', 'secret:api-??????'))]);
    const sign = { ...named, Action: 'kms:Sign', Condition: { StringEquals: SIGNING } };
    expect(statementsOf(withTopic(byKms), 'EventsRole')).toStrictEqual([...common, named, sign]);
  });

  it(`gets no URL of the clients' chain, which is a secret`, () => {
    const chain = { clientVerification: 'required', clientRpcUrl: 'https://rpc.example/key', clientChainId: '1' };
    const functions = propertiesOf(withTopic(chain), 'AWS::Lambda::Function');
    const knowing = functions.filter(({ Environment }) => textOf(Environment ?? {}).includes('rpc.example'));
    expect(knowing).toMatchObject([functionWith('orders')]);
  });

  it('is run by the schedules of this account alone', () => {
    const template = withTopic({});
    const [role] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('Scheduler'),
    );
    expect(role?.[1]['Properties'].AssumeRolePolicyDocument.Statement).toStrictEqual([
      {
        Action: 'sts:AssumeRole',
        Condition: {
          StringEquals: {
            'aws:SourceAccount': { Ref: 'AWS::AccountId' },
            'aws:SourceArn': arn('scheduler', 'schedule-group/default'),
          },
        },
        Effect: 'Allow',
        Principal: { Service: 'scheduler.amazonaws.com' },
      },
    ]);
    const target = { Ref: expect.stringMatching('^EventsFunctionAliaslive') };
    const Resource = [{ 'Fn::Join': ['', [target, ':*']] }, target];
    expect(statementsOf(template, 'Scheduler')).toStrictEqual([
      { Action: 'lambda:InvokeFunction', Effect: 'Allow', Resource },
    ]);
  });
});

describe('the rollout of orders', () => {
  it('moves only the alias of that function, after the deployment group exists', () => {
    const template = templateOf(TRADING);
    const [group = ''] = Object.keys(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    template.hasResource('AWS::Lambda::Alias', {
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: group } } },
    });
    const functionArn = { 'Fn::GetAtt': [expect.stringMatching('^OrdersFunction'), 'Arn'] };
    expect(statementsOf(template, 'RolloutRole')).toStrictEqual([
      {
        Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
        Effect: 'Allow',
        Resource: [functionArn, { 'Fn::Join': ['', [functionArn, ':*']] }],
      },
      { Action: 'cloudwatch:DescribeAlarms', Effect: 'Allow', Resource: '*' },
    ]);
  });

  it('gets a new alias for each changed setting: who may order, with which wallet, up to which cap', () => {
    const aliasOf = (context: Context) => {
      const aliases = Object.entries(templateOf(context).findResources('AWS::Lambda::Alias'));
      const [alias] = aliases.filter(([id]) => id.startsWith('Orders'));
      return [alias?.[0], alias?.[1]['Properties'].Name];
    };
    const deployed = [
      TRADING,
      OPEN,
      { ...OPEN, orderAccess: undefined },
      { ...TRADING, privateKeySecret: 'another' },
      WITH_TOKENS,
      { ...WITH_TOKENS, jwtScopes: 'trade' },
      { ...WITH_TOKENS, jwtAudience: 'web-client' },
      { ...WITH_TOKENS, jwtIssuer: 'https://id.example' },
    ].map(aliasOf);
    expect(new Set(deployed.flat()).size).toBe(2 * deployed.length);
    // What is not a setting of orders is no reason to skip the canary.
    expect(aliasOf(FULL)).toStrictEqual(aliasOf(TRADING));
  });
});
