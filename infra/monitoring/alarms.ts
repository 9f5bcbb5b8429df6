import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { EndpointFunction } from '../constructs/endpoint-function.ts';
import type { Readers } from '../constructs/readers.ts';
import { PERIOD, type ServiceMetrics } from '../constructs/service-metrics.ts';

interface AlarmSpec {
  readonly metric: IMetric;
  /** Says what happened, for the person who is woken by it. */
  readonly description: string;
  readonly threshold: number;
  /** Periods of five minutes of which the last `within` are looked at. */
  readonly times?: number;
  readonly within?: number;
  /** Set where a bad build can ring it while it is a canary, which then goes back; a venue or a caller is no reason to. */
  readonly stopsRollout?: boolean;
}

/**
 * Alarms on what an operator has to act on, each of them quiet when nobody asks for anything. The id of an alarm is the
 * heading of its runbook in docs/operations.md.
 */
export class Alarms extends Construct {
  private readonly topic: SnsAction | undefined;
  /** CodeDeploy watches ten at most. */
  readonly stoppingRollout: Alarm[] = [];

  constructor(scope: Construct, id: string, topicArn: string | undefined) {
    super(scope, id);
    this.topic = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, 'Topic', topicArn));
  }

  add(id: string, { times = 1, within = times, stopsRollout = false, ...spec }: AlarmSpec): void {
    const alarm = new Alarm(this, id, {
      metric: spec.metric,
      alarmDescription: `${spec.description} Runbook: docs/operations.md#${id.toLowerCase()}`,
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
    if (stopsRollout) this.stoppingRollout.push(alarm);
  }
}

/** Adds the alarms of every function, over all versions of it together. */
function addFunctionAlarms(alarms: Alarms, functions: readonly EndpointFunction[]): void {
  alarms.add('FunctionFaults', {
    metric: sumOf(functions.map(({ function: target }) => target.metricErrors({ period: PERIOD }))),
    description: 'A function crashed or ran into its time-out: its callers got a bare 5xx of the gateway.',
    threshold: 1,
    stopsRollout: true,
  });
  alarms.add('Throttles', {
    metric: sumOf(functions.map(({ function: target }) => target.metricThrottles({ period: PERIOD }))),
    description: 'Lambda turns requests away: the concurrency of a function or of the account is used up, or is 0.',
    threshold: 1,
  });
}

/** Adds the alarms of the routes that ask the venue. */
function addVenueAlarms(
  alarms: Alarms,
  metrics: ServiceMetrics,
  routes: readonly ('markets' | 'book' | 'orders')[],
): void {
  alarms.add('VenueRefusesService', {
    metric: sumOf(routes.map((route) => metrics.errors(route, 'venue_refused_service'))),
    description: 'The venue refuses this operator: region, credentials, signature or account.',
    threshold: 1,
    stopsRollout: true,
  });
  alarms.add('RateLimitNearlyUsed', {
    metric: sumOf(routes.map((route) => metrics.warnings(route, 'rate_limit_warnings'))),
    description: "The venue answers 429, or the signer's limit for orders is nearly used up.",
    // One burst of orders leaves the limit low for a second and is nothing to wake anybody for.
    threshold: 10,
  });
}

/** Adds the alarms of what the gateway answers, whether it asked a function or none. */
function addGatewayAlarms(alarms: Alarms, metrics: ServiceMetrics, api: HttpApi): void {
  alarms.add('GatewayFaults', {
    metric: api.metricServerError({ period: PERIOD }),
    description: 'The API answers 5xx: its own, or those of the functions.',
    // A venue that is away for a moment makes some, which callers repeat.
    threshold: 10,
  });
  alarms.add('GatewayThrottles', {
    metric: metrics.gatewayThrottles(),
    description: 'The gateway turns requests away with 429: callers send more than a route lets through.',
    // One in a hundred of what the slowest routes let through, 20 a second.
    threshold: 60,
  });
}

/** Adds the alarms of the service that cannot trade. */
export function addServiceAlarms(alarms: Alarms, metrics: ServiceMetrics, readers: Readers, api: HttpApi): void {
  addGatewayAlarms(alarms, metrics, api);
  addVenueAlarms(alarms, metrics, ['markets', 'book']);
  addFunctionAlarms(alarms, Object.values(readers));
  alarms.add('SlowReads', {
    metric: maxOf([readers.markets, readers.book]),
    description: 'The slowest hundredth of the reads is near the 9 s after which they are answered venue_timeout.',
    threshold: 8_000,
    times: 2,
    within: 3,
  });
}

/** Adds the alarms of the secret store and of the store of orders. */
function addStoreAlarms(alarms: Alarms, metrics: ServiceMetrics): void {
  const counts = { threshold: 1, stopsRollout: true } as const;
  alarms.add('UnreadableWalletKey', {
    ...counts,
    metric: metrics.warnings('orders', 'unreadable_keys'),
    description: 'The secret with the wallet key cannot be read: no order is placed.',
  });
  alarms.add('ForeignWalletKey', {
    ...counts,
    metric: metrics.warnings('orders', 'foreign_keys'),
    description: 'The wallet key in the secret does not belong to walletAddress: no order is placed.',
  });
  alarms.add('ContradictedRecord', {
    ...counts,
    metric: metrics.warnings('orders', 'contradicted_records'),
    description: 'The venue took an order that was called refused.',
  });
  alarms.add('LeaseFaults', {
    ...counts,
    metric: metrics.warnings('orders', 'lease_faults'),
    description: 'Answers or leases of orders cannot be stored, or leases end before their order is sent.',
    // A repeat under the same idempotency key settles a single one.
    threshold: 3,
  });
}

/** Adds the alarms of orders. */
export function addOrderAlarms(alarms: Alarms, metrics: ServiceMetrics, orders: EndpointFunction): void {
  addVenueAlarms(alarms, metrics, ['orders']);
  addFunctionAlarms(alarms, [orders]);
  addStoreAlarms(alarms, metrics);
  alarms.add('OrderFaults', {
    metric: metrics.warnings('orders', 'order_faults'),
    description: 'Orders are answered 5xx.',
    threshold: 3,
    stopsRollout: true,
  });
  alarms.add('OutcomeUnknown', {
    metric: metrics.errors('orders', 'outcome_unknown'),
    description: 'An order may be live although its caller was not told so.',
    threshold: 1,
    stopsRollout: true,
  });
  alarms.add('DailyCapNear', {
    metric: metrics.warnings('orders', 'daily_cap_warnings'),
    description: 'Nine tenths of maxDailyNotional are used, or it has refused an order.',
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

/** One metric needs no expression: AWS does not say what that gives while one of its metrics was never written. */
function combine(metrics: readonly IMetric[], join: (names: readonly string[]) => string): IMetric {
  const [only, ...others] = metrics;
  if (only && others.length === 0) return only;
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
