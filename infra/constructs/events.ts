import { Duration } from 'aws-cdk-lib';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import { INDEXES, TOPIC_STATE } from '../../shared/orders/table-layout.ts';
import { storeOfTable } from '../../shared/store-name.ts';
import { allowAccount, type OrdersProps } from './orders.ts';
import { ServiceFunction } from './service-function.ts';

interface EventsProps extends OrdersProps {
  /** The operator's topic: its subscriptions outlive the stack. */
  readonly topicArn: string;
}

/** A missed run is not retried: the next one reports the same events. */
const NO_REPEAT = { maxEventAge: Duration.minutes(1), retryAttempts: 0 };

/** Adds the function that publishes what becomes of the orders, and runs it each minute. No route leads to it. */
export function addEvents(scope: Construct, { settings, store, topicArn, ...props }: EventsProps) {
  // It verifies no clients, so it gets no RPC URL, which is a secret.
  const { SERVICE_CLIENT_RPC_URL: _, SERVICE_CLIENT_CHAIN_ID: __, ...variables } = settings.variables;
  const events = new ServiceFunction(scope, 'Events', {
    ...props,
    name: 'events',
    description: 'Publishes what becomes of the orders',
    memory: 1024,
    timeoutMs: LAMBDA_TIMEOUT_MS.events,
    environment: { ...variables, SERVICE_STORE: storeOfTable(store.tableName), FILLS_TOPIC: topicArn },
  });
  events.alias.configureAsyncInvoke(NO_REPEAT);
  const schedule = ScheduleExpression.rate(Duration.minutes(1));
  new Schedule(events, 'Schedule', { schedule, target: new LambdaInvoke(events.live, NO_REPEAT) });
  // Limited to its own items: any other may be an order. A policy takes no control character; `?` stands for any one.
  const own = { 'dynamodb:LeadingKeys': `${TOPIC_STATE.replace('\u0000', '?')}*` };
  events.allow(['dynamodb:GetItem', 'dynamodb:PutItem'], store.tableArn, { 'ForAllValues:StringLike': own });
  for (const { name } of Object.values(INDEXES)) events.allow(['dynamodb:Query'], `${store.tableArn}/index/${name}`);
  events.allow(['dynamodb:BatchGetItem'], store.tableArn);
  events.allow(['sns:Publish'], topicArn);
  allowAccount(events, settings, 'credentials');
  return events;
}
