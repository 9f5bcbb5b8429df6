import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Readers } from '../constructs/readers.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';
import { combine, type ServiceMetrics } from './metrics.ts';

/** What happened, for the operator on call. An id is the heading of its runbook in docs/operations.md. */
const DESCRIPTIONS = {
  GatewayFaults: 'Ten and more requests in five minutes, at least a hundredth of them, were answered 5xx.',
  OrderFaults: 'Three and more orders in an hour, at least half of them, got no answer of the venue.',
  VenueRefusesService: 'The venue refuses this operator: region, credentials, signature or account.',
  FunctionFaults: 'A function crashed, timed out or answered internal_error.',
  Throttles: 'Lambda rejects requests: the concurrency of a function or of the account is used up, or is 0.',
  SlowResponses: 'The slowest hundredth of the requests takes 8 s or more. A read ends at 9 s, an order at 24 s.',
  OutcomeUnknown: 'An order may be live, and its caller got 504 outcome_unknown.',
  ContradictedRecord: 'The venue accepted an order that the service had reported as refused.',
  StoreOrKeyFaults:
    'The store of orders does not work, or the wallet key cannot be read or is not that of walletAddress.',
  WrongClock: "The clock of a function differs from the venue's, and orders are refused.",
  DailyCapReached: 'A daily cap has refused an order.',
  UnidentifiedCaller: 'An order reached its function without a caller from whom this deployment takes orders.',
  EventsLate: 'No run of the function of fillsTopic has succeeded for ten minutes, or none has started.',
} as const;

/** When an alarm fires, and what it stops. */
interface Condition {
  /** The value of a period at which it fires; 1 unless given. */
  readonly threshold?: number;
  /** Fires where two of the last three periods reach the threshold; by default one of them is enough. */
  readonly isLasting?: boolean;
  /** Set if a bad build can set it off: a canary is then rolled back. */
  readonly stopsRollout?: boolean;
  /** Set if it can wait until the morning. */
  readonly canWait?: boolean;
  /** Set if missing data notifies too. */
  readonly expectsData?: boolean;
}

type Row = readonly [id: keyof typeof DESCRIPTIONS, metric: IMetric, condition?: Condition];

interface Watched {
  readonly metrics: ServiceMetrics;
  readonly api: HttpApi;
  readonly readers: Readers;
  /** Absent in a read-only deployment. */
  readonly orders: ServiceFunction<'orders'> | undefined;
  /** Absent without `fillsTopic`. */
  readonly events: ServiceFunction<'events'> | undefined;
  readonly alarmTopic: string | undefined;
}

/** Per cent of the requests that were answered 5xx; 0 below ten: a brief outage of the venue causes some. */
function faultRate(api: HttpApi): IMetric {
  const usingMetrics = { faults: api.metricServerError(), requests: api.metricCount() };
  const expression = 'IF(faults >= 10, 100 * faults / requests, 0)';
  return new MathExpression({ expression, usingMetrics, label: '5xx in per cent' });
}

/** Codes of an order that failed at the venue and that no other alarm counts. */
const NO_ANSWER = ['venue_error', 'venue_timeout', 'venue_unavailable'] as const;

/** Per cent of an hour's orders that got no answer of the venue; 0 below three. `faultRate` does not see so few. */
function unansweredRate({ function: orders }: ServiceFunction<'orders'>, { errors }: ServiceMetrics): IMetric {
  const period = Duration.hours(1);
  const failed = NO_ANSWER.map((code) => errors('orders', code).with({ period }));
  const usingMetrics = { faults: combine(failed, 'sum', period), orders: orders.metricInvocations() };
  const expression = 'IF(faults >= 3, 100 * faults / orders, 0)';
  return new MathExpression({ expression, usingMetrics, period, label: '' });
}

/** 1 for five minutes in which no run ended well; no value where there was no run. */
function failedRuns({ function: run }: ServiceFunction<'events'>): IMetric {
  const period = Duration.minutes(5);
  const usingMetrics = { runs: run.metricInvocations({ period }), errors: run.metricErrors({ period }) };
  return new MathExpression({ expression: 'IF(runs - FILL(errors, 0) < 1, 1, 0)', usingMetrics, period, label: '' });
}

/** The alarms of every deployment. Those on functions cover all versions of each. */
function commonAlarms({ metrics, api, readers, orders }: Watched): readonly Row[] {
  const callingVenue = [readers.markets, readers.book, ...(orders ? [orders] : [])];
  const all = [readers.health, ...callingVenue];
  const refusals = callingVenue.map(({ name }) => metrics.errors(name, 'venue_refused_service'));
  const crashes = all.map((target) => target.function.metricErrors());
  const faults = all.map(({ name }) => metrics.errors(name, 'internal_error'));
  const throttles = all.map((target) => target.function.metricThrottles());
  const durations = callingVenue.map((target) => target.function.metricDuration({ statistic: 'p99' }));
  return [
    ['GatewayFaults', faultRate(api), { stopsRollout: true }],
    ['VenueRefusesService', combine(refusals, 'sum'), { stopsRollout: true }],
    ['FunctionFaults', combine([...crashes, ...faults], 'sum'), { stopsRollout: true }],
    ['Throttles', combine(throttles, 'sum'), { canWait: true }],
    ['SlowResponses', combine(durations, 'maximum'), { threshold: 8_000, isLasting: true, canWait: true }],
  ];
}

function orderAlarms(orders: ServiceFunction<'orders'>, metrics: ServiceMetrics): readonly Row[] {
  const { errors, events } = metrics;
  const keyFaults = (['unreadable_keys', 'foreign_keys', 'lease_faults'] as const).map(events);
  const storeOrKeyFaults = combine([errors('orders', 'store_unavailable'), ...keyFaults], 'sum');
  return [
    ['OutcomeUnknown', errors('orders', 'outcome_unknown'), { stopsRollout: true }],
    ['ContradictedRecord', events('contradicted_records'), { stopsRollout: true }],
    ['StoreOrKeyFaults', storeOrKeyFaults, { stopsRollout: true }],
    ['OrderFaults', unansweredRate(orders, metrics), { threshold: 50 }],
    ['WrongClock', events('wrong_clocks')],
    ['DailyCapReached', events('daily_cap_warnings'), { canWait: true }],
    ['UnidentifiedCaller', errors('orders', 'caller_not_identified'), { canWait: true }],
  ];
}

/** Adds the alarms and returns those that stop the rollout of orders: CodeDeploy watches ten at most. */
export function addAlarms(parent: Construct, watched: Watched): readonly Alarm[] {
  const scope = new Construct(parent, 'Alarms');
  const { metrics, orders, events, alarmTopic } = watched;
  const actions = alarmTopic === undefined ? [] : [new SnsAction(Topic.fromTopicArn(scope, 'Topic', alarmTopic))];
  const rows = [...commonAlarms(watched), ...(orders ? orderAlarms(orders, metrics) : [])];
  if (events) rows.push(['EventsLate', failedRuns(events), { isLasting: true, expectsData: true, canWait: true }]);
  return rows.flatMap(([id, metric, { threshold = 1, isLasting, stopsRollout, canWait, expectsData } = {}]) => {
    const alarm = new Alarm(scope, id, {
      metric,
      // A subscription may filter by the first word.
      alarmDescription: `${canWait ? 'Mail' : 'Page'}: ${DESCRIPTIONS[id]} Runbook: docs/operations.md#${id.toLowerCase()}`,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: isLasting ? 2 : 1,
      // Metrics of a log lag behind it by a minute or two.
      evaluationPeriods: 3,
      treatMissingData: expectsData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
    // A new alarm begins without data, and notifies of that only once it has had some.
    if (expectsData) alarm.addInsufficientDataAction(...actions);
    return stopsRollout ? [alarm] : [];
  });
}
