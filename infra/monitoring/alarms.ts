import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { EndpointFunction } from '../constructs/endpoint-function.ts';
import type { Gateway } from '../constructs/gateway.ts';
import type { Readers } from '../constructs/readers.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** What happened, for the person who is woken by it. An id is the heading of its runbook in docs/operations.md. */
const DESCRIPTIONS = {
  GatewayFaults: 'The API answers 5xx: its own, or those of the functions.',
  GatewayThrottles: 'The gateway turns requests away with 429: callers send more than a route lets through.',
  VenueRefusesService: 'The venue refuses this operator: region, credentials, signature or account.',
  RateLimitNearlyUsed: "The venue answers 429, or the signer's limit for orders is nearly used up.",
  FunctionFaults: 'A function crashed or ran into its time-out: its callers got a bare 5xx of the gateway.',
  Throttles: 'Lambda turns requests away: the concurrency of a function or of the account is used up, or is 0.',
  SlowReads: 'The slowest hundredth of the reads is near the 9 s after which they are answered venue_timeout.',
  UnreadableWalletKey: 'The secret with the wallet key cannot be read: no order is placed.',
  ForeignWalletKey: 'The key in the secret is not that of walletAddress: no order is placed.',
  ContradictedRecord: 'The venue took an order that was called refused.',
  LeaseFaults: 'Answers or leases of orders cannot be stored, or leases end too early.',
  OrderFaults: 'Orders are answered 5xx.',
  OutcomeUnknown: 'An order may be live although its caller was not told so.',
  UnidentifiedCaller: 'An order reached its function without a caller from whom this deployment takes orders.',
  DailyCapNear: 'Nine tenths of maxDailyNotional are used, or it has refused an order.',
  SlowOrders: 'The slowest hundredth of the orders is near the 24 s after which they are answered outcome_unknown.',
  NobodyAnswers: 'No request for /health has come for five minutes, although Route 53 sends one every few seconds.',
} as const;

/** What makes an alarm ring, where that is not a single event within five minutes. */
interface Condition {
  /** The value that rings it; 1 unless given. */
  readonly threshold?: number;
  /** Rings where two of the last three periods of five minutes reach the threshold. */
  readonly isLasting?: boolean;
  /** Set if a bad build can ring it: a canary is then rolled back. Not set where only venue or callers can ring it. */
  readonly stopsRollout?: boolean;
  /** Rings below the threshold, and where there is no data. */
  readonly isSilence?: boolean;
}

type Row = readonly [id: keyof typeof DESCRIPTIONS, metric: IMetric, condition?: Condition];

interface Watched {
  readonly metrics: ServiceMetrics;
  readonly gateway: Gateway;
  readonly readers: Readers;
  /** Absent where no orders are taken. */
  readonly orders: EndpointFunction | undefined;
  readonly settings: Pick<Settings, 'alarmTopic' | 'healthCheck'>;
}

/** A single metric needs no expression: AWS does not document its value before the metric was first written. */
function combine(metrics: readonly IMetric[], how: 'sum' | 'maximum'): IMetric {
  const [only, ...others] = metrics;
  if (only && others.length === 0) return only;
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  const expression = how === 'sum' ? filled.join(' + ') : `MAX([${filled.join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, label: '' });
}

/** Returns the highest 99th percentile of the functions' durations, in milliseconds. */
function slowest(...functions: readonly EndpointFunction[]): IMetric {
  const durations = functions.map((target) => target.function.metricDuration({ statistic: 'p99' }));
  return combine(durations, 'maximum');
}

/** The alarms of every deployment. Those on functions cover all versions of each. */
function commonAlarms({ metrics, gateway, readers, orders }: Watched): readonly Row[] {
  const functions = [...Object.values(readers), ...(orders ? [orders] : [])].map((target) => target.function);
  const routes = ['markets', 'book', ...(orders ? ['orders' as const] : [])] as const;
  const refusals = routes.map((route) => metrics.errors(route, 'venue_refused_service'));
  const rateLimits = routes.map((route) => metrics.warnings(route, 'rate_limit_warnings'));
  const faults = functions.map((target) => target.metricErrors());
  const throttles = functions.map((target) => target.metricThrottles());
  return [
    // A brief outage of the venue causes some, which callers repeat.
    ['GatewayFaults', gateway.api.metricServerError(), { threshold: 10 }],
    // One in a hundred of what the slowest routes let through, 20 a second.
    ['GatewayThrottles', gateway.throttled, { threshold: 60 }],
    ['VenueRefusesService', combine(refusals, 'sum'), { stopsRollout: true }],
    // A burst of orders uses up most of the limit for a second, which is no reason to wake anybody.
    ['RateLimitNearlyUsed', combine(rateLimits, 'sum'), { threshold: 10 }],
    ['FunctionFaults', combine(faults, 'sum'), { stopsRollout: true }],
    ['Throttles', combine(throttles, 'sum')],
    ['SlowReads', slowest(readers.markets, readers.book), { threshold: 8_000, isLasting: true }],
  ];
}

function orderAlarms(metrics: ServiceMetrics, orders: EndpointFunction): readonly Row[] {
  return [
    ['UnreadableWalletKey', metrics.warnings('orders', 'unreadable_keys'), { stopsRollout: true }],
    ['ForeignWalletKey', metrics.warnings('orders', 'foreign_keys'), { stopsRollout: true }],
    ['ContradictedRecord', metrics.warnings('orders', 'contradicted_records'), { stopsRollout: true }],
    // A repeat under the same idempotency key settles a single one.
    ['LeaseFaults', metrics.warnings('orders', 'lease_faults'), { threshold: 3, stopsRollout: true }],
    ['OrderFaults', metrics.warnings('orders', 'order_faults'), { threshold: 3, stopsRollout: true }],
    ['OutcomeUnknown', metrics.errors('orders', 'outcome_unknown'), { stopsRollout: true }],
    ['UnidentifiedCaller', metrics.errors('orders', 'caller_not_identified')],
    ['DailyCapNear', metrics.warnings('orders', 'daily_cap_warnings')],
    ['SlowOrders', slowest(orders), { threshold: 20_000, isLasting: true }],
  ];
}

/** The alarms of a deployment, and those of them that stop the rollout of orders: CodeDeploy watches ten at most. */
export class Alarms extends Construct {
  readonly stoppingRollout: Alarm[] = [];

  /** While there are no requests, only an alarm of silence can ring. */
  constructor(scope: Construct, watched: Watched) {
    super(scope, 'Alarms');
    const { metrics, readers, orders, settings } = watched;
    const { alarmTopic } = settings;
    const topics = alarmTopic === undefined ? [] : [new SnsAction(Topic.fromTopicArn(this, 'Topic', alarmTopic))];
    const rows = [...commonAlarms(watched), ...(orders ? orderAlarms(metrics, orders) : [])];
    if (settings.healthCheck) {
      // The check from outside is silent if the API, its domain or the region is down. The count is Lambda's own, since
      // with logLevel warn or error the log has no lines of successful requests.
      rows.push(['NobodyAnswers', readers.health.function.metricInvocations(), { isSilence: true }]);
    }
    for (const row of rows) this.addAlarm(row, topics);
  }

  private addAlarm([id, metric, condition = {}]: Row, topics: readonly SnsAction[]): void {
    const { threshold = 1, isLasting = false, isSilence = false } = condition;
    const alarm = new Alarm(this, id, {
      metric,
      alarmDescription: `${DESCRIPTIONS[id]} Runbook: docs/operations.md#${id.toLowerCase()}`,
      threshold,
      comparisonOperator: isSilence
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: isLasting ? 2 : 1,
      evaluationPeriods: isLasting ? 3 : 1,
      treatMissingData: isSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(...topics);
    alarm.addOkAction(...topics);
    if (condition.stopsRollout) this.stoppingRollout.push(alarm);
  }
}
