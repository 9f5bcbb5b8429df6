import { join } from 'node:path';
import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import { SIGNED_INDEX } from '../../shared/settings/formats.ts';
import type { OrderSettings } from '../settings/order-settings.ts';
import { acknowledgeWildcard } from './findings.ts';
import type { Names } from './names.ts';
import { allowKeys } from './orders.ts';

interface FillsProps {
  readonly names: Names;
  readonly assets: string;
  readonly layer: lambda.LayerVersion;
  readonly settings: OrderSettings;
  readonly tableName: string;
}

/** Adds the function that asks the venue what became of the orders. No route leads to it. */
function addFunction(scope: Construct, topic: Topic, { names, assets, layer, settings, tableName }: FillsProps) {
  const logGroup = new LogGroup(scope, 'Log', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  acknowledgeWildcard(role, logGroup.logGroupArn, 'The streams of one log.');
  const table = Stack.of(scope).formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
  const allow = (actions: string[], resource: string) =>
    role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  // It keeps its place in the table.
  allow(['dynamodb:GetItem', 'dynamodb:PutItem'], table);
  allow(['dynamodb:Query'], `${table}/index/${SIGNED_INDEX.name}`);
  allow(['sns:Publish'], topic.topicArn);
  allowKeys(role, settings);
  const target = new lambda.Function(scope, 'Function', {
    functionName: names.function('fills'),
    description: 'Publishes what becomes of the orders',
    code: lambda.Code.fromAsset(join(assets, 'functions/fills')),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_24_X,
    architecture: lambda.Architecture.ARM_64,
    memorySize: 1024,
    timeout: Duration.millis(LAMBDA_TIMEOUT_MS.fills),
    // One run at a time: a second one would tell the same.
    reservedConcurrentExecutions: 1,
    maxEventAge: Duration.minutes(1),
    retryAttempts: 0,
    environment: { ...settings.variables, SERVICE_ORDERS_TABLE: tableName, FILLS_TOPIC: topic.topicArn },
    layers: [layer],
    role: Role.fromRoleArn(scope, 'RoleByArn', role.roleArn, { mutable: false }),
    logGroup,
    loggingFormat: lambda.LoggingFormat.JSON,
    applicationLogLevelV2: lambda.ApplicationLogLevel.TRACE,
    systemLogLevelV2: lambda.SystemLogLevel.WARN,
  });
  target.node.defaultChild?.node.addDependency(role.node.findChild('DefaultPolicy'));
  return target;
}

/** Runs the function each minute. A run that is missed is not repeated: the next one tells the same. */
function addSchedule(scope: Construct, { functionArn }: lambda.Function): void {
  const { account } = Stack.of(scope);
  const assumedBy = new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: { StringEquals: { 'aws:SourceAccount': account } },
  });
  const role = new Role(scope, 'ScheduleRole', { assumedBy });
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }));
  const retryPolicy = { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 };
  const schedule = new CfnSchedule(scope, 'Schedule', {
    scheduleExpression: 'rate(1 minute)',
    flexibleTimeWindow: { mode: 'OFF' },
    target: { arn: functionArn, roleArn: role.roleArn, retryPolicy },
  });
  schedule.node.addDependency(role);
}

/** Adds the topic of what becomes of the orders, and what publishes to it. */
export function addFills(parent: Construct, props: FillsProps & { readonly alarmTopic: string | undefined }): void {
  const scope = new Construct(parent, 'Fills');
  const topic = new Topic(scope, 'Topic', { topicName: `${props.names.stack}-fills`, enforceSSL: true });
  const target = addFunction(scope, topic, props);
  addSchedule(scope, target);
  const period = Duration.minutes(10);
  const usingMetrics = { runs: target.metricInvocations({ period }), errors: target.metricErrors({ period }) };
  const alarm = new Alarm(scope, 'FillsLate', {
    metric: new MathExpression({ expression: 'runs - FILL(errors, 0)', usingMetrics, period, label: '' }),
    alarmDescription: 'What becomes of the orders was not read for ten minutes. Runbook: docs/operations.md#fillslate',
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.BREACHING,
  });
  if (props.alarmTopic !== undefined) {
    const action = new SnsAction(Topic.fromTopicArn(scope, 'AlarmTopic', props.alarmTopic));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
  new CfnOutput(parent, 'FillsTopic', { value: topic.topicArn, description: 'What becomes of the orders' });
}
