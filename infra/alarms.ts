import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { codesOf, errorSpec } from '../shared/errors.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { EndpointName } from './gateway-routes.ts';
import type { ServiceMetrics } from './service-metrics.ts';

export interface AlarmsProps {
  readonly metrics: ServiceMetrics;
  readonly functions: Readonly<Partial<Record<EndpointName, EndpointFunction>>>;
  readonly topicArn: string | undefined;
}

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

  constructor(scope: Construct, id: string, { metrics, functions, topicArn }: AlarmsProps) {
    super(scope, id);
    this.topic = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
    this.addServiceAlarms(metrics, functions);
    if (functions.orders) this.addOrderAlarms(metrics, functions.orders);
  }

  private add(id: string, { times = 1, within = times, ...spec }: AlarmSpec): void {
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
  }

  private addServiceAlarms(metrics: ServiceMetrics, functions: AlarmsProps['functions']): void {
    const deployed = Object.values(functions);
    const askVenue = ['markets', 'book', ...(functions.orders ? (['orders'] as const) : [])] as const;
    this.add('VenueRefusesService', {
      metric: metrics.errorSum(askVenue, ['venue_refused_service'], 'refusals'),
      description:
        'The venue refuses this operator: region, credentials, signature or account. The log line has the reason.',
      threshold: 1,
    });
    this.add('FunctionFaults', {
      metric: sumOf(deployed.map(({ function: target }) => target.metricErrors({ period: PERIOD }))),
      description: 'A function crashed or ran into its time-out: its callers got a bare 5xx of the gateway.',
      threshold: 1,
    });
    this.add('Throttles', {
      metric: sumOf(deployed.map(({ function: target }) => target.metricThrottles({ period: PERIOD }))),
      description: 'Lambda throttles a function: raise its reserved concurrency or the quota of the account.',
      threshold: 1,
    });
    this.add('SlowReads', {
      metric: maxOf([functions.markets, functions.book]),
      description: 'The slowest hundredth of the reads is near the 9 s after which they are answered venue_timeout.',
      threshold: 8_000,
      times: 2,
      within: 3,
    });
  }

  private addOrderAlarms(metrics: ServiceMetrics, orders: EndpointFunction): void {
    this.add('OrderFaults', {
      metric: metrics.errorSum(['orders'], ORDER_FAULTS, 'answers 5xx'),
      description:
        'Orders are answered 5xx. The dashboard shows the codes, the saved query "failed requests" the lines.',
      threshold: 3,
    });
    this.add('OutcomeUnknown', {
      metric: metrics.errorSum(['orders'], ['outcome_unknown'], 'unknown outcomes'),
      description: 'An order may be live although its caller was not told so. Look its order_id up at the venue.',
      threshold: 1,
    });
    this.add('OrdersRefused', {
      metric: metrics.errorSum(['orders'], ['order_placement_disabled'], 'refused orders'),
      description:
        'The key in the secret does not belong to the pinned wallet: no order is placed until one of them is mended.',
      threshold: 1,
    });
    this.add('SlowOrders', {
      metric: maxOf([orders]),
      description:
        'The slowest hundredth of the orders is near the 24 s after which they are answered outcome_unknown.',
      threshold: 20_000,
      times: 2,
      within: 3,
    });
  }
}

function combine(metrics: readonly IMetric[], join: (names: readonly string[]) => string): IMetric {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return new MathExpression({ expression: join(Object.keys(usingMetrics)), usingMetrics, label: '', period: PERIOD });
}

function sumOf(metrics: readonly IMetric[]): IMetric {
  return combine(metrics, (names) => names.map((name) => `FILL(${name}, 0)`).join(' + '));
}

/** The highest 99th percentile of the functions' durations, in milliseconds. */
function maxOf(functions: readonly (EndpointFunction | undefined)[]): IMetric {
  const targets = functions.filter((target) => target !== undefined);
  const durations = targets.map((target) => target.function.metricDuration({ statistic: 'p99', period: PERIOD }));
  return combine(durations, (names) => `MAX([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`);
}
