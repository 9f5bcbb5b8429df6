import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { codesOf, errorSpec } from '../shared/errors.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { Readers } from './readers.ts';
import type { ServiceMetrics } from './service-metrics.ts';

interface AlarmSpec {
  readonly metric: IMetric;
  /** Says what happened and what to do, for the person who is woken by it. */
  readonly description: string;
  readonly threshold: number;
  /** Periods of five minutes of which the last `within` are looked at. */
  readonly times?: number;
  readonly within?: number;
}

const PERIOD = Duration.minutes(5);

/** The codes of the answers 5xx to an order. */
const ORDER_FAULTS = codesOf('orders').filter((code) => errorSpec(code).status >= 500);

/** Alarms on what an operator has to act on, each of them quiet when nobody asks for anything. */
export class Alarms extends Construct {
  private readonly topic: SnsAction | undefined;
  readonly all: Alarm[] = [];

  constructor(scope: Construct, id: string, topicArn: string | undefined) {
    super(scope, id);
    this.topic = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
  }

  add(id: string, { times = 1, within = times, ...spec }: AlarmSpec): void {
    const alarm = new Alarm(this, id, {
      metric: spec.metric,
      alarmDescription: spec.description,
      threshold: spec.threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: times,
      evaluationPeriods: within,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.topic) {
      alarm.addAlarmAction(this.topic);
      alarm.addOkAction(this.topic);
    }
    this.all.push(alarm);
  }
}

/** Those of every function, of all versions of it together. */
function addFunctionAlarms(alarms: Alarms, functions: readonly EndpointFunction[]): void {
  alarms.add('FunctionFaults', {
    metric: sumOf(functions.map(({ function: target }) => target.metricErrors({ period: PERIOD }))),
    description: 'A function crashed or ran into its time-out: its callers got a bare 5xx of the gateway.',
    threshold: 1,
  });
  alarms.add('Throttles', {
    metric: sumOf(functions.map(({ function: target }) => target.metricThrottles({ period: PERIOD }))),
    description: 'Lambda throttles a function: raise its reserved concurrency or the quota of the account.',
    threshold: 1,
  });
}

function addVenueAlarm(
  alarms: Alarms,
  metrics: ServiceMetrics,
  routes: readonly ('markets' | 'book' | 'orders')[],
): void {
  alarms.add('VenueRefusesService', {
    metric: metrics.errorSum(routes, ['venue_refused_service'], 'refusals'),
    description:
      'The venue refuses this operator: region, credentials, signature or account. The log line has the reason.',
    threshold: 1,
  });
}

export function addServiceAlarms(alarms: Alarms, metrics: ServiceMetrics, readers: Readers): void {
  addVenueAlarm(alarms, metrics, ['markets', 'book']);
  addFunctionAlarms(alarms, Object.values(readers));
  alarms.add('SlowReads', {
    metric: maxOf([readers.markets, readers.book]),
    description: 'The slowest hundredth of the reads is near the 9 s after which they are answered venue_timeout.',
    threshold: 8_000,
    times: 2,
    within: 3,
  });
}

export function addOrderAlarms(alarms: Alarms, metrics: ServiceMetrics, orders: EndpointFunction): void {
  addVenueAlarm(alarms, metrics, ['orders']);
  addFunctionAlarms(alarms, [orders]);
  alarms.add('OrderFaults', {
    metric: metrics.errorSum(['orders'], ORDER_FAULTS, 'answers 5xx'),
    description: 'Orders are answered 5xx. The dashboard shows the codes, the saved query "failed requests" the lines.',
    threshold: 3,
  });
  alarms.add('OutcomeUnknown', {
    metric: metrics.errorSum(['orders'], ['outcome_unknown'], 'unknown outcomes'),
    description: 'An order may be live although its caller was not told so. Look its order_id up at the venue.',
    threshold: 1,
  });
  alarms.add('OrdersRefused', {
    metric: metrics.errorSum(['orders'], ['order_placement_disabled'], 'refused orders'),
    description:
      'The key in the secret does not belong to the pinned wallet: no order is placed until one of them is mended.',
    threshold: 1,
  });
  alarms.add('SlowOrders', {
    metric: maxOf([orders]),
    description: 'The slowest hundredth of the orders is near the 24 s after which they are answered outcome_unknown.',
    threshold: 20_000,
    times: 2,
    within: 3,
  });
}

function combine(metrics: readonly IMetric[], join: (names: readonly string[]) => string): IMetric {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: join(Object.keys(usingMetrics)), usingMetrics, label: '', period: PERIOD });
}

function sumOf(metrics: readonly IMetric[]): IMetric {
  return combine(metrics, (names) => names.map((name) => `FILL(${name}, 0)`).join(' + '));
}

/** The highest 99th percentile of the functions' durations, in milliseconds. */
function maxOf(functions: readonly EndpointFunction[]): IMetric {
  const durations = functions.map((target) => target.function.metricDuration({ statistic: 'p99', period: PERIOD }));
  return combine(durations, (names) => `MAX([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`);
}
