import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { EndpointFunction } from '../constructs/endpoint-function.ts';
import type { Readers } from '../constructs/readers.ts';
import { PERIOD, type ServiceMetrics } from '../constructs/service-metrics.ts';
import type { Settings } from '../settings/settings.ts';

interface AlarmSpec {
  readonly metric: IMetric;
  /** Describes what happened to the person who is woken by it. */
  readonly description: string;
  readonly threshold: number;
  /** Periods of five minutes of which the last `within` are looked at. */
  readonly times?: number;
  readonly within?: number;
  /** Set where a bad build can ring it while it is a canary, which then goes back; a venue or a caller is no reason to. */
  readonly stopsRollout?: boolean;
  /** Rings below the threshold, and where there is no data. */
  readonly isSilence?: boolean;
}

type Specs = Readonly<Record<string, AlarmSpec>>;

interface Watched {
  readonly metrics: ServiceMetrics;
  readonly api: HttpApi;
  readonly readers: Readers;
  /** Absent where no orders are taken. */
  readonly orders: EndpointFunction | undefined;
  readonly settings: Pick<Settings, 'alarmTopic' | 'healthCheck'>;
}

/** The alarms of every deployment. Those of functions are over all versions of each together. */
function commonAlarms({ metrics, api, readers, orders }: Watched): Specs {
  const functions = [...Object.values(readers), ...(orders ? [orders] : [])].map((target) => target.function);
  const asking = ['markets', 'book', ...(orders ? ['orders' as const] : [])] as const;
  return {
    GatewayFaults: {
      metric: api.metricServerError({ period: PERIOD }),
      description: 'The API answers 5xx: its own, or those of the functions.',
      // A venue that is away for a moment makes some, which callers repeat.
      threshold: 10,
    },
    GatewayThrottles: {
      metric: metrics.gatewayThrottles(),
      description: 'The gateway turns requests away with 429: callers send more than a route lets through.',
      // One in a hundred of what the slowest routes let through, 20 a second.
      threshold: 60,
    },
    VenueRefusesService: {
      metric: sumOf(asking.map((route) => metrics.errors(route, 'venue_refused_service'))),
      description: 'The venue refuses this operator: region, credentials, signature or account.',
      threshold: 1,
      stopsRollout: true,
    },
    RateLimitNearlyUsed: {
      metric: sumOf(asking.map((route) => metrics.warnings(route, 'rate_limit_warnings'))),
      description: "The venue answers 429, or the signer's limit for orders is nearly used up.",
      // One burst of orders leaves the limit low for a second and is nothing to wake anybody for.
      threshold: 10,
    },
    FunctionFaults: {
      metric: sumOf(functions.map((target) => target.metricErrors({ period: PERIOD }))),
      description: 'A function crashed or ran into its time-out: its callers got a bare 5xx of the gateway.',
      threshold: 1,
      stopsRollout: true,
    },
    Throttles: {
      metric: sumOf(functions.map((target) => target.metricThrottles({ period: PERIOD }))),
      description: 'Lambda turns requests away: the concurrency of a function or of the account is used up, or is 0.',
      threshold: 1,
    },
    SlowReads: {
      metric: maxOf([readers.markets, readers.book]),
      description: 'The slowest hundredth of the reads is near the 9 s after which they are answered venue_timeout.',
      threshold: 8_000,
      times: 2,
      within: 3,
    },
  };
}

/** The alarms of orders that ring at a number of log lines or errors, all of which a bad build can ring. */
const ORDER_ALARMS = [
  ['UnreadableWalletKey', 'unreadable_keys', 1, 'The secret with the wallet key cannot be read: no order is placed.'],
  ['ForeignWalletKey', 'foreign_keys', 1, 'The key in the secret is not that of walletAddress: no order is placed.'],
  ['ContradictedRecord', 'contradicted_records', 1, 'The venue took an order that was called refused.'],
  // A repeat under the same idempotency key settles a single one.
  ['LeaseFaults', 'lease_faults', 3, 'Answers or leases of orders cannot be stored, or leases end too early.'],
  ['OrderFaults', 'order_faults', 3, 'Orders are answered 5xx.'],
] as const;

function orderAlarms(metrics: ServiceMetrics, orders: EndpointFunction): Specs {
  const counted = ORDER_ALARMS.map(([id, name, threshold, description]) => {
    return [id, { metric: metrics.warnings('orders', name), threshold, description, stopsRollout: true }];
  });
  return {
    ...Object.fromEntries(counted),
    OutcomeUnknown: {
      metric: metrics.errors('orders', 'outcome_unknown'),
      description: 'An order may be live although its caller was not told so.',
      threshold: 1,
      stopsRollout: true,
    },
    UnidentifiedCaller: {
      metric: metrics.errors('orders', 'caller_not_identified'),
      description: 'An order reached its function without a caller whom the gateway has checked, and was refused.',
      threshold: 1,
    },
    DailyCapNear: {
      metric: metrics.warnings('orders', 'daily_cap_warnings'),
      description: 'Nine tenths of maxDailyNotional are used, or it has refused an order.',
      threshold: 1,
    },
    SlowOrders: {
      metric: maxOf([orders]),
      description:
        'The slowest hundredth of the orders is near the 24 s after which they are answered outcome_unknown.',
      threshold: 20_000,
      times: 2,
      within: 3,
    },
  };
}

/** Of the check from outside: it is silent where an API is gone, a domain leads nowhere or a region is down. */
function silenceOf(health: EndpointFunction): AlarmSpec {
  return {
    // Lambda's own count: a log of warnings alone has no line of a request that went well.
    metric: health.function.metricInvocations({ period: PERIOD }),
    description: 'No request for /health has come for five minutes, although Route 53 sends one every few seconds.',
    threshold: 1,
    isSilence: true,
  };
}

/** The alarms of a deployment, and those of them that stop the rollout of orders: CodeDeploy watches ten at most. */
export class Alarms extends Construct {
  readonly stoppingRollout: readonly Alarm[];

  /** All but those of silence are quiet when nobody asks for anything. */
  constructor(scope: Construct, watched: Watched) {
    super(scope, 'Alarms');
    const { metrics, readers, orders, settings } = watched;
    const specs = {
      ...commonAlarms(watched),
      ...(orders && orderAlarms(metrics, orders)),
      ...(settings.healthCheck && { NobodyAnswers: silenceOf(readers.health) }),
    };
    const topic =
      settings.alarmTopic === undefined
        ? undefined
        : new SnsAction(Topic.fromTopicArn(this, 'Topic', settings.alarmTopic));
    const alarms = Object.entries(specs).map(([id, spec]) => ({ spec, alarm: this.addAlarm(id, spec, topic) }));
    this.stoppingRollout = alarms.filter(({ spec }) => spec.stopsRollout).map(({ alarm }) => alarm);
  }

  /** The id of an alarm is the heading of its runbook in docs/operations.md. */
  private addAlarm(id: string, spec: AlarmSpec, topic: SnsAction | undefined): Alarm {
    const { times = 1, within = times, isSilence = false } = spec;
    const alarm = new Alarm(this, id, {
      metric: spec.metric,
      alarmDescription: `${spec.description} Runbook: docs/operations.md#${id.toLowerCase()}`,
      threshold: spec.threshold,
      comparisonOperator: isSilence
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: times,
      evaluationPeriods: within,
      treatMissingData: isSilence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (topic) {
      alarm.addAlarmAction(topic);
      alarm.addOkAction(topic);
    }
    return alarm;
  }
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
