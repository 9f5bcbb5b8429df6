import { beforeAll, describe, expect, it } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { ORDER_CONTEXT, PUBLIC, SECRET_NAME, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { quietly } from '../../tools/support/synthesize.ts';
import { type Context, deployedApps, propertiesOf } from '../support/deployed-apps.ts';

const { appOf, templateOf } = deployedApps();

const TOKENS = { jwtIssuer: 'https://id.example/tenant', jwtAudience: 'web-client, ios-client' } as const;

/** Every statement of every policy in the template. */
function statementsOf(template: Template): unknown[] {
  return propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

function routesOf(template: Template): string[] {
  const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route');
  return routes.map(({ RouteKey, AuthorizationType }) => `${RouteKey} ${AuthorizationType}`).toSorted();
}

const READ_ROUTES = [
  '$default NONE',
  'ANY /health NONE',
  'ANY /v1/book/{token_id} NONE',
  'ANY /v1/markets NONE',
  'ANY /v1/orders NONE',
];

function logStatement(Resource: unknown) {
  return { Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Effect: 'Allow', Resource };
}

/** The text of a template's value, references and all. */
function textOf(value: unknown): string {
  return JSON.stringify(value);
}

describe('the service', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf();
  });

  it('has three functions and no way to trade', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3);
    expect(statementsOf(template)).toStrictEqual(
      ['Health', 'Markets', 'Book'].map((name) =>
        logStatement({ 'Fn::GetAtt': [expect.stringMatching(`^${name}Log`), 'Arn'] }),
      ),
    );
    for (const absent of ['secretsmanager:', 'dynamodb:', 'SERVICE_PLACE_ORDER', 'SERVICE_PRIVATE_KEY']) {
      expect(textOf(template.toJSON())).not.toContain(absent);
    }
  });

  it('is one stack with orders and without, so that `cdk deploy` needs no name', () => {
    for (const context of [{}, ORDER_CONTEXT]) {
      const { app } = appOf(context);
      const assembly = quietly(() => app.synth());
      expect(assembly.stacks.map(({ stackName }) => stackName)).toStrictEqual(['order-book-adapter']);
    }
  });

  it('remembers orders from the first deployment on, and the same with orders on and off', () => {
    const { region, alarmTopic } = ORDER_CONTEXT;
    const storeOf = (context: Context) =>
      ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup'].map((type) =>
        Object.entries(templateOf(context).findResources(type)).map(([id, { Properties, DeletionPolicy }]) => [
          id,
          Properties,
          DeletionPolicy,
        ]),
      );
    expect(storeOf(ORDER_CONTEXT)).toStrictEqual(storeOf({ region, alarmTopic }));
  });

  it('lets requests reach published versions alone, each with the layer of its build', () => {
    const aliases = template.findResources('AWS::Lambda::Alias', { Properties: { Name: 'live' } });
    const integrations = propertiesOf(template, 'AWS::ApiGatewayV2::Integration');
    expect(Object.keys(aliases)).toHaveLength(3);
    expect(integrations.map(({ IntegrationUri }) => IntegrationUri)).toStrictEqual(
      integrations.map(() => ({ Ref: expect.stringContaining('Aliaslive') })),
    );
    for (const { Properties } of Object.values(aliases)) {
      expect(Properties.FunctionVersion['Fn::GetAtt']).toStrictEqual([
        expect.stringMatching('CurrentVersion'),
        'Version',
      ]);
    }
  });

  it.each(['AWS::Lambda::Version', 'AWS::Lambda::LayerVersion'])('keeps every %s to go back to', (type) => {
    const kept = Object.values(template.findResources(type));
    expect(kept.length).toBeGreaterThan(0);
    for (const { DeletionPolicy, UpdateReplacePolicy } of kept) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toStrictEqual(['RetainExceptOnCreate', 'Retain']);
    }
  });

  it('brings no other code: no custom resource, no managed policy', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/Custom::|AWS::CloudFormation::CustomResource/);
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
  });

  it('routes the paths of the readers, and the rest to health', () => {
    expect(routesOf(template)).toStrictEqual(READ_ROUTES);
  });

  it('runs on Node 24 and ARM, with time-outs between the budgets and the gateway’s 30 s', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    expect(functions.map(({ Runtime, Architectures }) => [Runtime, Architectures])).toStrictEqual(
      functions.map(() => ['nodejs24.x', ['arm64']]),
    );
    expect(
      functions.map(({ MemorySize, Timeout, Layers }) => [MemorySize, Timeout, Layers?.length ?? 0]),
    ).toStrictEqual([
      [256, 5, 0],
      [1024, 12, 1],
      [768, 12, 1],
    ]);
  });

  it('lets nobody invoke a function but this API', () => {
    const sources = propertiesOf(template, 'AWS::Lambda::Permission').map(({ FunctionName, Principal, SourceArn }) => {
      expect(FunctionName).toStrictEqual({ Ref: expect.stringContaining('Aliaslive') });
      expect(Principal).toBe('apigateway.amazonaws.com');
      return /:execute-api:.*\{"Ref":"Api\w+"\},"(.*?)"/.exec(textOf(SourceArn))?.[1];
    });
    expect(sources).toStrictEqual(['/$default/*', '/$default/*/v1/markets', '/$default/*/v1/book/{token_id}']);
  });

  it('throttles every route, after the routes are there', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const routes = Object.keys(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(Object.keys(stage?.['Properties'].RouteSettings).toSorted()).toStrictEqual(
      READ_ROUTES.slice(1).map((route) => route.replace(' NONE', '')),
    );
    expect(stage?.['DependsOn']).toEqual(expect.arrayContaining(routes.filter((id) => !id.includes('Default'))));
    // Of orders and of unknown paths.
    expect(stage?.['Properties'].DefaultRouteSettings).toStrictEqual({
      ThrottlingRateLimit: 20,
      ThrottlingBurstLimit: 40,
    });
  });
});

const ACCOUNT = { Ref: 'AWS::AccountId' };

function arn(service: string, resource: string) {
  return { 'Fn::Join': ['', [`arn:aws:${service}:eu-west-1:`, ACCOUNT, `:${resource}`]] };
}

describe('the store of orders', () => {
  it('keeps table and log whatever happens to the stack', () => {
    const template = templateOf();
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
    for (const { DeletionPolicy } of Object.values(
      template.findResources('AWS::Logs::LogGroup', { Properties: { RetentionInDays: 365 } }),
    )) {
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
    }
    template.hasOutput('OrdersTable', { Value: 'order-book-adapter-orders' });
    template.hasOutput('OrderLog', { Value: Match.anyValue() });
    template.hasOutput('DashboardUrl', { Value: Match.anyValue() });
  });

  it('has its table after what often fails, and before orders move to it; a build changes neither', () => {
    const template = templateOf({ ...ORDER_CONTEXT, ...PUBLIC, ...TOKENS, readAccess: 'jwt' });
    const [table] = Object.entries(template.findResources('AWS::DynamoDB::Table'));
    const before = table?.[1]['DependsOn'];
    expect(before).toStrictEqual(
      expect.arrayContaining([expect.stringMatching('^AlarmsFunctionFaults'), expect.stringMatching('^ApiTokens')]),
    );
    expect(before.filter((id: string) => !/^(?:Alarms|ApiTokens)/.test(id))).toStrictEqual([]);
    const aliases = Object.entries(template.findResources('AWS::Lambda::Alias'));
    const ofOrders = aliases.find(([id]) => id.startsWith('Orders'))?.[1]['DependsOn'];
    expect(ofOrders).toStrictEqual([table?.[0]]);
  });

  it('goes with the stack of a trial', () => {
    const context = { ...ORDER_CONTEXT, removal: 'destroy' };
    const { Resources } = templateOf(context).toJSON();
    const policies = Object.values<Record<string, unknown>>(Resources).map(({ DeletionPolicy }) => DeletionPolicy);
    expect(new Set(policies)).toStrictEqual(new Set(['Delete']));
    expect(textOf(Resources)).toContain('"DeletionProtectionEnabled":false');
    expect(appOf(context).service.terminationProtection).toBe(false);
  });

  it('cannot be deleted by mistake while orders are on', () => {
    const isProtected = [{}, ORDER_CONTEXT].map((context) => appOf(context).service.terminationProtection);
    expect(isProtected).toStrictEqual([false, true]);
  });
});

describe('the flag placeOrder', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf({ ...ORDER_CONTEXT, maxOrderNotional: '50' });
  });

  it('adds the one function that may read the key, which answers within 28 s', () => {
    template.resourceCountIs('AWS::Lambda::Function', 4);
    template.resourceCountIs('AWS::Lambda::LayerVersion', 1);
    template.hasResourceProperties('AWS::Lambda::Function', { MemorySize: 1769, Timeout: 28 });
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
    const [statements] = policies
      .filter(([id]) => id.startsWith('OrdersRole'))
      .map(([, { Properties }]) => Properties.PolicyDocument.Statement);
    expect(statements).toStrictEqual([
      logStatement({ 'Fn::GetAtt': [expect.stringMatching('^OrderStoreLog'), 'Arn'] }),
      {
        Action: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Scan', 'dynamodb:UpdateItem'],
        Effect: 'Allow',
        Resource: arn('dynamodb', 'table/order-book-adapter-orders'),
      },
      {
        Action: 'secretsmanager:GetSecretValue',
        Effect: 'Allow',
        Resource: arn('secretsmanager', `secret:${SECRET_NAME}-??????`),
      },
    ]);
  });

  it.each([
    ['alias/orders', 'key/*', { 'kms:RequestAlias': 'alias/orders' }],
    ['1234abcd-12ab-34cd-56ef-1234567890ab', 'key/1234abcd-12ab-34cd-56ef-1234567890ab', undefined],
  ])('may sign with the KMS key %s and read no secret', (kmsKey, resource, alias) => {
    const { privateKeySecret: _secret, ...context } = ORDER_CONTEXT;
    const statements = statementsOf(templateOf({ ...context, kmsKey })).filter((statement) =>
      /kms:|secretsmanager:/.test(textOf(statement)),
    );
    const form = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
    expect(statements).toStrictEqual([
      {
        Action: 'kms:GetPublicKey',
        Effect: 'Allow',
        Resource: arn('kms', resource),
        ...(alias && { Condition: { StringEquals: alias } }),
      },
      {
        Action: 'kms:Sign',
        Effect: 'Allow',
        Resource: arn('kms', resource),
        Condition: { StringEquals: { ...alias, ...form } },
      },
    ]);
  });

  it('may read the secret of API credentials beside a KMS key', () => {
    const { privateKeySecret: _secret, ...context } = ORDER_CONTEXT;
    const text = textOf(statementsOf(templateOf({ ...context, kmsKey: 'alias/orders', credentialsSecret: 'api' })));
    expect(text).toContain('secret:api-??????');
  });

  it.each([
    [{ kmsKey: 'alias/orders' }, 'privateKeySecret and kmsKey exclude each other: the key is in one of them.'],
    [{ privateKeySecret: undefined }, 'privateKeySecret or kmsKey is required with orders'],
    [{ credentialsSecret: 'api' }, 'credentialsSecret goes with kmsKey.'],
  ])('does not synthesize with %j', (context, sentence) => {
    expect(() => appOf({ ...ORDER_CONTEXT, ...context })).toThrow(sentence);
  });

  it('adds function, role, route, rollout and alarms of orders, and nothing else', () => {
    const { region, alarmTopic } = ORDER_CONTEXT;
    const idsOf = (context: Context) => Object.keys(templateOf(context).toJSON()['Resources']);
    const [off, on] = [idsOf({ region, alarmTopic }), idsOf(ORDER_CONTEXT)];
    const isVersion = (id: string) => /CurrentVersion/.test(id);
    expect(off.filter((id) => !on.includes(id) && !isVersion(id))).toStrictEqual([]);
    const added = on.filter((id) => !off.includes(id) && !isVersion(id));
    expect(added.filter((id) => !/^(?:Orders|Rollout|ApiPOSTv1orders|Alarms)/.test(id))).toStrictEqual([]);
    expect(added.length).toBeGreaterThan(15);
  });

  it('tells the function of orders all, and health which wallet trades and whether clients sign', () => {
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    const variables = functions.map(({ Environment }) => Environment?.Variables ?? {});
    const wallet = {
      SERVICE_PLACE_ORDER: '1',
      SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
      SERVICE_ORDER_ACCESS: 'iam',
      SERVICE_CLIENT_VERIFICATION: 'off',
    };
    expect(variables).toStrictEqual([
      wallet,
      {},
      {},
      {
        ...wallet,
        SERVICE_SIGNATURE_TYPE: 'eoa',
        SERVICE_MAX_ORDER_NOTIONAL: '50',
        SERVICE_PRIVATE_KEY_SECRET: SECRET_NAME,
        SERVICE_ORDERS_TABLE: 'order-book-adapter-orders',
      },
    ]);
  });

  it('lets only signed POST reach it', () => {
    expect(routesOf(template)).toStrictEqual([...READ_ROUTES, 'POST /v1/orders AWS_IAM'].toSorted());
    template.hasResource('AWS::ApiGatewayV2::Integration', {
      Properties: { IntegrationUri: { Ref: Match.stringLikeRegexp('^OrdersFunctionAliaslive') } },
      DependsOn: Match.arrayWith([Match.stringLikeRegexp('^OrdersGateway')]),
    });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      SourceArn: { 'Fn::Join': ['', Match.arrayWith(['/$default/POST/v1/orders'])] },
    });
    template.hasOutput('OrderRouteArn', { Value: Match.anyValue() });
    // By these the operator's desk finds the deployment.
    template.hasOutput('WalletSecret', { Value: SECRET_NAME });
    template.hasOutput('WalletAddress', { Value: WALLET_ADDRESS });
    template.hasOutput('OrdersAlias', { Value: Match.stringLikeRegexp('^live-') });
  });

  it('is open to everybody only when asked for', () => {
    const open = templateOf({ ...ORDER_CONTEXT, ...PUBLIC });
    expect(routesOf(open)).toContain('POST /v1/orders NONE');
  });

  it("takes orders with a token of the operator's issuer and scope, and preflights without one", () => {
    const context = { orderAccess: 'jwt', jwtScopes: 'trade,admin', maxDailyNotional: '1000' };
    const tokens = templateOf({ ...ORDER_CONTEXT, ...TOKENS, ...context });
    expect(routesOf(tokens)).toStrictEqual([...READ_ROUTES, 'POST /v1/orders JWT'].toSorted());
    tokens.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Audience: ['web-client', 'ios-client'], Issuer: 'https://id.example/tenant' },
    });
    tokens.hasResourceProperties('AWS::ApiGatewayV2::Route', {
      RouteKey: 'POST /v1/orders',
      AuthorizationScopes: ['trade', 'admin'],
    });
  });

  it('reads a secret of which the ARN is known by that alone, with the one key that encrypts it', () => {
    const privateKeySecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:wallet-AbCdEf';
    const secretKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd';
    const statements = statementsOf(templateOf({ ...ORDER_CONTEXT, privateKeySecret, secretKeyArn }));
    expect(statements).toContainEqual(expect.objectContaining({ Resource: privateKeySecret }));
    expect(statements).toContainEqual({
      Action: 'kms:Decrypt',
      Effect: 'Allow',
      Resource: secretKeyArn,
      Condition: {
        StringEquals: { 'kms:ViaService': 'secretsmanager.eu-west-1.amazonaws.com' },
        StringLike: { 'kms:EncryptionContext:SecretARN': privateKeySecret },
      },
    });
    expect(textOf(statementsOf(template))).not.toContain('kms:');
  });
});

describe('the rollout of orders', () => {
  /** The deployment group with the names of its alarms' resources. */
  function rolloutOf(rollout?: string) {
    const template = templateOf({ ...ORDER_CONTEXT, rollout });
    const [group] = Object.entries(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    if (!group) throw new Error('there is no deployment group');
    return { template, id: group[0], properties: group[1]['Properties'] };
  }

  it('sends a tenth of the orders to a new version for fifteen minutes, and goes back when an alarm fires', () => {
    const { template, id, properties } = rolloutOf();
    expect(properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent15Minutes',
      AlarmConfiguration: { Enabled: true },
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
    });
    template.hasResource('AWS::Lambda::Alias', {
      // By which it waits for the group: a changed rollout is that of the deployment which changes it.
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: id } } },
    });
  });

  it('leaves nothing to the settings of before: who may order, with which wallet, up to which cap', () => {
    const aliasOf = (context: Context) => {
      const aliases = Object.entries(templateOf(context).findResources('AWS::Lambda::Alias'));
      const [alias] = aliases.filter(([id]) => id.startsWith('Orders'));
      return [alias?.[0], alias?.[1]['Properties'].Name];
    };
    const capped = { ...ORDER_CONTEXT, maxDailyNotional: '1000' };
    const tokens = {
      ...capped,
      orderAccess: 'jwt',
      jwtIssuer: 'https://id.example',
      jwtAudience: 'a',
      jwtScopes: 'trade all',
    };
    const deployed = [
      { ...ORDER_CONTEXT, ...PUBLIC },
      { ...ORDER_CONTEXT, ...PUBLIC, orderAccess: undefined },
      capped,
      { ...capped, privateKeySecret: 'another' },
      tokens,
      { ...tokens, jwtScopes: 'trade' },
    ].map(aliasOf);
    expect(new Set(deployed.map(([id]) => id)).size).toBe(deployed.length);
    expect(new Set(deployed.map(([, name]) => name)).size).toBe(deployed.length);
    // What is not a setting of orders is no reason to skip the canary.
    expect(aliasOf({ ...capped, rollout: 'all-at-once', booksPerSecond: 5 })).toStrictEqual(aliasOf(capped));
  });

  it('goes all at once, whatever rings, where that is asked for', () => {
    const { properties } = rolloutOf('all-at-once');
    expect(properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
    expect(properties.AlarmConfiguration?.Alarms ?? []).toStrictEqual([]);
    expect(properties.AutoRollbackConfiguration.Events).not.toContain('DEPLOYMENT_STOP_ON_ALARM');
  });

  it('may move the alias of that function alone', () => {
    const { template } = rolloutOf();
    const functionArn = { 'Fn::GetAtt': [expect.stringMatching('^OrdersFunction'), 'Arn'] };
    expect(statementsOf(template)).toContainEqual({
      Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      Effect: 'Allow',
      Resource: [functionArn, { 'Fn::Join': ['', [functionArn, ':*']] }],
    });
    template.allResourcesProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() });
  });
});

describe('settings of the whole service', () => {
  it('give it a domain, and take the address of the gateway away', () => {
    const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd';
    const template = templateOf({ region: 'eu-west-1', domainName: 'api.example.com', certificateArn });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      DisableExecuteApiEndpoint: true,
      IpAddressType: 'dualstack',
    });
    template.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'api.example.com',
      DomainNameConfigurations: [Match.objectLike({ IpAddressType: 'dualstack' })],
    });
    template.hasOutput('Url', { Value: 'https://api.example.com' });
    templateOf().hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: false });
  });
});

describe('a deployment with settings of its own', () => {
  it.each([
    ['iam', {}, 'AWS_IAM'],
    ['jwt', { jwtIssuer: 'https://id.example/tenant', jwtAudience: 'readers' }, 'JWT'],
  ])('closes the reads to all but its callers: readAccess=%s', (readAccess, more, type) => {
    const routes = routesOf(templateOf({ readAccess, ...more }));
    expect(routes).toStrictEqual(
      expect.arrayContaining([`ANY /v1/book/{token_id} ${type}`, `ANY /v1/markets ${type}`]),
    );
  });

  it('bounds the rate of reads', () => {
    const template = templateOf({ marketsPerSecond: 5, booksPerSecond: 30 });
    const [stage] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage');
    expect(stage.RouteSettings).toMatchObject({
      'ANY /v1/markets': { ThrottlingRateLimit: 5 },
      'ANY /v1/book/{token_id}': { ThrottlingRateLimit: 30 },
    });
  });

  it('goes on with a restored table, and makes none beside it', () => {
    const template = templateOf({ ...ORDER_CONTEXT, ordersTable: 'order-book-adapter-orders-restored' });
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(textOf(template.toJSON())).toContain('"SERVICE_ORDERS_TABLE":"order-book-adapter-orders-restored"');
  });

  it('passes a permissions boundary and a bootstrap qualifier on to the CDK', () => {
    const boundary = { '@aws-cdk/core:permissionsBoundary': { name: 'team-boundary' } };
    const template = templateOf({ ...ORDER_CONTEXT, ...boundary, '@aws-cdk/core:bootstrapQualifier': 'team1' });
    const boundaries = propertiesOf(template, 'AWS::IAM::Role').map((role) => textOf(role.PermissionsBoundary));
    expect(boundaries).toStrictEqual(Array(5).fill(expect.stringContaining(':policy/team-boundary')));
    template.hasParameter('BootstrapVersion', { Default: '/cdk-bootstrap/team1/version' });
  });

  it('reserves executions for orders, and bounds those of reads', () => {
    const template = templateOf({ ...ORDER_CONTEXT, orderConcurrency: 20, readConcurrency: '300' });
    const functions = propertiesOf(template, 'AWS::Lambda::Function');
    expect(functions.map(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions)).toStrictEqual([
      undefined,
      300,
      300,
      20,
    ]);
  });

  it('notifies of what the month costs', () => {
    const address = ORDER_CONTEXT.alarmTopic;
    templateOf({ region: 'eu-west-1', alarmTopic: address, monthlyBudget: 50 }).hasResourceProperties(
      'AWS::Budgets::Budget',
      {
        Budget: { BudgetLimit: { Amount: 50, Unit: 'USD' }, BudgetType: 'COST', TimeUnit: 'MONTHLY' },
        NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
          Notification: { NotificationType, Threshold: 100, ComparisonOperator: 'GREATER_THAN' },
          Subscribers: [{ SubscriptionType: 'SNS', Address: address }],
        })),
      },
    );
  });

  it('encrypts table and logs with keys of its own, which only the function of orders uses, by its table', () => {
    const [storeKeyArn, logKeyArn] = ['store', 'logs'].map((id) => `arn:aws:kms:eu-west-1:123456789012:key/${id}`);
    const template = templateOf({ ...ORDER_CONTEXT, storeKeyArn, logKeyArn });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: logKeyArn });
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: storeKeyArn },
    });
    const ofKeys = statementsOf(template).filter((statement) => textOf(statement).includes('kms:'));
    expect(ofKeys).toStrictEqual([
      expect.objectContaining({
        Resource: storeKeyArn,
        Condition: { StringEquals: { 'kms:ViaService': 'dynamodb.eu-west-1.amazonaws.com' } },
      }),
    ]);
  });

  it('traces its requests where that is asked for', () => {
    const traced = { Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Effect: 'Allow', Resource: '*' };
    const template = templateOf({ tracing: 'active' });
    template.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    expect(statementsOf(template).filter((statement) => textOf(statement) === textOf(traced))).toHaveLength(3);
    expect(textOf(templateOf().toJSON())).not.toContain('xray');
  });

  it('has one dashboard for each region', () => {
    for (const region of ['eu-west-1', 'eu-central-1']) {
      const [dashboard, ...others] = propertiesOf(templateOf({ region }), 'AWS::CloudWatch::Dashboard');
      expect([dashboard.DashboardName, others]).toStrictEqual([`order-book-adapter-${region}`, []]);
    }
  });
});
