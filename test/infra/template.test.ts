import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { buildAssets } from '../../infra/build.ts';
import { ERRORS } from '../../shared/errors.ts';
import { createServiceApp, ORDER_CONTEXT, PUBLIC, SECRET_NAME, WALLET_ADDRESS } from '../support/service/synthesize.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'template-'));
  await buildAssets(folder);
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

function templateOf(context: Readonly<Record<string, unknown>> = {}): Template {
  return Template.fromStack(createServiceApp(folder, context).stack);
}

/** Every statement of every policy in the template. */
function statementsOf(template: Template): unknown[] {
  return Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement,
  );
}

function routesOf(template: Template): string[] {
  const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
  return routes.map(({ Properties }) => `${Properties.RouteKey} ${Properties.AuthorizationType}`).toSorted();
}

const READ_ROUTES = ['$default NONE', 'ANY /health NONE', 'ANY /v1/book/{token_id} NONE', 'ANY /v1/markets NONE'];

function logStatement(name: string) {
  return {
    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    Effect: 'Allow',
    Resource: { 'Fn::GetAtt': [expect.stringMatching(`^${name}Log`), 'Arn'] },
  };
}

describe('the read-only deployment', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf();
  });

  it('has three functions and no way to trade', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3);
    template.resourceCountIs('AWS::DynamoDB::Table', 0);
    expect(statementsOf(template)).toStrictEqual(['Health', 'Markets', 'Book'].map(logStatement));
    const text = JSON.stringify(template.toJSON());
    for (const absent of ['secretsmanager:', 'dynamodb:', 'SERVICE_PLACE_ORDER', 'SERVICE_PRIVATE_KEY', '/v1/orders']) {
      expect(text).not.toContain(absent);
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
    const functions = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties,
    );
    expect(functions.map(({ Runtime, Architectures }) => [Runtime, Architectures])).toStrictEqual(
      functions.map(() => ['nodejs24.x', ['arm64']]),
    );
    expect(
      functions.map(({ MemorySize, Timeout, Layers }) => [MemorySize, Timeout, Layers?.length ?? 0]),
    ).toStrictEqual([
      [256, 5, 0],
      [1024, 12, 1],
      [1024, 12, 1],
    ]);
  });

  it('lets nobody invoke a function but this API', () => {
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
    expect(permissions).toHaveLength(4);
    for (const { Properties } of permissions) {
      expect(Properties.Principal).toBe('apigateway.amazonaws.com');
      expect(JSON.stringify(Properties.SourceArn)).toMatch(/:execute-api:.*\{"Ref":"Api\w+"\}/);
    }
  });

  it('keeps no log for ever', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  it('throttles every route, after the routes are there', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const routes = Object.keys(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(Object.keys(stage?.['Properties'].RouteSettings).toSorted()).toStrictEqual(
      READ_ROUTES.slice(1).map((route) => route.replace(' NONE', '')),
    );
    expect(stage?.['DependsOn']).toEqual(expect.arrayContaining(routes.filter((id) => !id.includes('Default'))));
    expect(JSON.parse(stage?.['Properties'].AccessLogSettings.Format)).toMatchObject({
      request_id: '$context.requestId',
    });
  });
});

describe('the deployment with orders', () => {
  let template: Template;
  beforeAll(() => {
    template = templateOf({ ...ORDER_CONTEXT, maxOrderNotional: '50' });
  });

  it('adds the one function that may read the key', () => {
    template.resourceCountIs('AWS::Lambda::Function', 4);
    const orders = [
      {
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Effect: 'Allow',
        Resource: { 'Fn::GetAtt': [expect.stringMatching('^OrdersTable'), 'Arn'] },
      },
      {
        Action: 'secretsmanager:GetSecretValue',
        Effect: 'Allow',
        Resource: {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':secretsmanager:eu-west-1:',
              { Ref: 'AWS::AccountId' },
              `:secret:${SECRET_NAME}-??????`,
            ],
          ],
        },
      },
    ];
    expect(statementsOf(template)).toStrictEqual([
      ...['Health', 'Markets', 'Book', 'Orders'].map(logStatement),
      ...orders,
    ]);
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
    const withOrders = policies.filter(([, policy]) => /secretsmanager|dynamodb/.test(JSON.stringify(policy)));
    expect(withOrders.map(([id]) => id)).toStrictEqual([expect.stringMatching('^OrdersRole')]);
  });

  it('tells orders all and health the wallet, in its EIP-55 form, and readers nothing', () => {
    const common = { SERVICE_METRICS_NAMESPACE: 'OrderBookAdapter/order-book-adapter' };
    const account = {
      ...common,
      SERVICE_PLACE_ORDER: '1',
      SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
      SERVICE_SIGNATURE_TYPE: 'eoa',
    };
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    expect(functions.map(({ Properties }) => Properties.Environment.Variables)).toStrictEqual([
      account,
      common,
      common,
      {
        ...account,
        SERVICE_MAX_ORDER_NOTIONAL: '50',
        SERVICE_PRIVATE_KEY_SECRET: SECRET_NAME,
        SERVICE_ORDERS_TABLE: { Ref: expect.stringMatching('^OrdersTable') },
      },
    ]);
  });

  it('lets only signed requests reach POST, and preflights reach the function', () => {
    expect(routesOf(template)).toStrictEqual(
      [...READ_ROUTES, 'ANY /v1/orders NONE', 'POST /v1/orders AWS_IAM'].toSorted(),
    );
    template.hasOutput('OrderRouteArn', { Value: Match.anyValue() });
  });

  it('keeps the table whatever happens to the stack', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'idempotency_key', KeyType: 'HASH' }],
        TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      },
    });
    expect(createServiceApp(folder, ORDER_CONTEXT).stack.terminationProtection).toBe(true);
  });

  it('bounds how many orders are handled at the same time, and within 28 s', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      ReservedConcurrentExecutions: 10,
      MemorySize: 1769,
      Timeout: 28,
    });
  });

  it('sends its alarms to the topic', () => {
    const alarmTopic = 'arn:aws:sns:eu-west-1:123456789012:operators';
    const alarms = templateOf({ ...ORDER_CONTEXT, alarmTopic }).findResources('AWS::CloudWatch::Alarm');
    expect(Object.keys(alarms)).toHaveLength(8);
    for (const { Properties } of Object.values(alarms)) expect(Properties.AlarmActions).toStrictEqual([alarmTopic]);
  });

  it('wakes the operator for every answer 5xx to an order', () => {
    const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
    const [, { Properties } = {}] = alarms.find(([id]) => id.includes('OrderFaults')) ?? [];
    const dimensions = JSON.stringify(Properties?.Metrics).matchAll(/"Name":"code","Value":"(\w+)"/g);
    const faults = Object.entries(ERRORS).filter(([, { status }]) => status >= 500);
    expect([...dimensions].map(([, code]) => code).toSorted()).toStrictEqual(faults.map(([code]) => code).toSorted());
  });

  it('is open to everybody only when asked for', () => {
    const open = templateOf({ ...ORDER_CONTEXT, ...PUBLIC });
    expect(routesOf(open)).toStrictEqual([...READ_ROUTES, 'ANY /v1/orders NONE'].toSorted());
  });

  it("takes orders with a token of the operator's issuer, and preflights without one", () => {
    const context = { orderAccess: 'jwt', jwtIssuer: 'https://id.example/tenant', jwtAudience: 'orders' };
    const tokens = templateOf({ ...ORDER_CONTEXT, ...context });
    expect(routesOf(tokens)).toStrictEqual([...READ_ROUTES, 'ANY /v1/orders NONE', 'POST /v1/orders JWT'].toSorted());
    tokens.hasResourceProperties('AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Audience: ['orders'], Issuer: 'https://id.example/tenant' },
    });
    tokens.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ SERVICE_BEARER_TOKENS: '1', SERVICE_PLACE_ORDER: '1' }) },
    });
  });

  it('reads a secret of which the ARN is known by that alone', () => {
    const privateKeySecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:wallet-AbCdEf';
    const statements = statementsOf(templateOf({ ...ORDER_CONTEXT, privateKeySecret }));
    expect(statements.at(-1)).toMatchObject({ Resource: privateKeySecret });
  });
});
