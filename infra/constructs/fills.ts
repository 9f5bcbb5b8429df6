import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import { SIGNED_INDEX } from '../../shared/settings/formats.ts';
import type { OrderSettings } from '../settings/order-settings.ts';
import { type CommonProps, ServiceFunction } from './endpoint-function.ts';
import { allowKeys } from './orders.ts';

interface FillsProps extends CommonProps {
  readonly settings: OrderSettings;
  readonly tableName: string;
  readonly alarmTopic: string | undefined;
}

/** Adds the function that asks the venue what became of the orders, and its topic. No route leads to it. */
function addFunction(parent: Construct, { settings, tableName, names, assets, layer }: FillsProps) {
  const target = new ServiceFunction(parent, 'Fills', {
    ...{ names, assets, layer },
    name: 'fills',
    description: 'Publishes what becomes of the orders',
    memory: 1024,
    timeoutMs: LAMBDA_TIMEOUT_MS.fills,
    // One run at a time: a second one would tell the same.
    concurrency: 1,
    environment: { ...settings.variables, SERVICE_ORDERS_TABLE: tableName },
    isTraced: false,
  });
  target.function.configureAsyncInvoke({ maxEventAge: Duration.minutes(1), retryAttempts: 0 });
  const topic = new Topic(target, 'Topic', { topicName: `${names.stack}-fills`, enforceSSL: true });
  target.function.addEnvironment('FILLS_TOPIC', topic.topicArn);
  const table = Stack.of(parent).formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
  const allow = (actions: string[], resource: string) =>
    target.role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  // It keeps its place in the table.
  allow(['dynamodb:GetItem', 'dynamodb:PutItem'], table);
  allow(['dynamodb:Query'], `${table}/index/${SIGNED_INDEX.name}`);
  allow(['sns:Publish'], topic.topicArn);
  allowKeys(target.role, settings);
  return { target, topic };
}

/** Runs the function each minute. A run that is missed is not repeated: the next one tells the same. */
function addSchedule(scope: ServiceFunction): void {
  const { account } = Stack.of(scope);
  const { functionArn } = scope.function;
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
export function addFills(parent: Construct, props: FillsProps): void {
  const { target, topic } = addFunction(parent, props);
  addSchedule(target);
  const period = Duration.minutes(10);
  const usingMetrics = {
    runs: target.function.metricInvocations({ period }),
    errors: target.function.metricErrors({ period }),
  };
  const alarm = new Alarm(target, 'FillsLate', {
    metric: new MathExpression({ expression: 'runs - FILL(errors, 0)', usingMetrics, period, label: '' }),
    alarmDescription: 'What becomes of the orders was not read for ten minutes. Runbook: docs/operations.md#fillslate',
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.BREACHING,
  });
  if (props.alarmTopic !== undefined) {
    const action = new SnsAction(Topic.fromTopicArn(target, 'AlarmTopic', props.alarmTopic));
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
  new CfnOutput(parent, 'FillsTopic', { value: topic.topicArn, description: 'What becomes of the orders' });
}
