import type { CountedEvent } from '../shared/log.ts';
import type { Call } from '../shared/venue/port.ts';

/** One metric of CloudWatch's embedded format: its name is that of a member of the log line. */
interface Metric {
  readonly Name: string;
  readonly Unit: 'Count' | 'Milliseconds';
}

const count = (name: string): Metric => ({ Name: name, Unit: 'Count' });
const duration = (name: string): Metric => ({ Name: name, Unit: 'Milliseconds' });

/** Creates a directive. CloudWatch bills each combination of dimension values as a metric: there are few. */
function directive(Namespace: string, dimensions: readonly string[], Metrics: readonly Metric[]) {
  return { Namespace, Dimensions: [dimensions], Metrics };
}

/** A request that has been answered, as its line in the log shows it. */
export interface AnsweredRequest {
  readonly route: string;
  readonly status: number;
  readonly call: Pick<Call, 'venueRequests'>;
  readonly logFields: Readonly<Record<string, unknown>>;
}

/** Members of a request's line. An alarm waits for an `urgent` one: it is written whatever the threshold of the log. */
export interface RequestMetrics {
  readonly urgent: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

/** The bucket is nearly empty below this many orders that it would still take: a fifth of the smallest one. */
const FEW_TOKENS = 12;

/** Returns true if the venue refused a request for its rate, or the account's bucket is nearly empty. */
function isRateNearlyUsed({ venueRequests }: AnsweredRequest['call']): boolean {
  return venueRequests.some(
    ({ result, rateLimit }) => result === 429 || (rateLimit?.remaining ?? FEW_TOKENS) < FEW_TOKENS,
  );
}

/**
 * Returns the members by which CloudWatch reads metrics out of a request's log line: requests, latency and the time of
 * its calls to the venue (their sum, though some overlap) by route; errors by route and code; orders by status, replays
 * not counted again; and what alarms wait for, by route: `order_faults` (an order answered 5xx) and
 * `rate_limit_warnings`. No call and no library stands between a request and its metrics. Without a namespace the line
 * has the values alone, for the filters of its log (infra/monitoring/metric-filters.ts).
 */
export function requestMetrics(namespace?: string, now: () => number = Date.now) {
  return ({ route, status, call, logFields }: AnsweredRequest): RequestMetrics => {
    const { venueRequests } = call;
    const askedVenue = venueRequests.length > 0;
    const failed = 'code' in logFields;
    const placed = 'order_status' in logFields && logFields['replayed'] !== true;
    const urgent = [
      ...(route === 'orders' && status >= 500 ? ['order_faults'] : []),
      ...(isRateNearlyUsed(call) ? ['rate_limit_warnings'] : []),
    ];
    // An alarm waits for this one too, among the errors by code.
    const isUrgent = urgent.length > 0 || logFields['code'] === 'caller_not_identified';
    const perRoute = [
      count('requests'),
      duration('duration_ms'),
      ...(askedVenue ? [duration('venue_ms')] : []),
      ...urgent.map(count),
    ];
    const venueTime = venueRequests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const values = {
      ...(askedVenue && { venue_ms: Number(venueTime.toFixed(1)) }),
      ...Object.fromEntries(urgent.map((name) => [name, 1])),
    };
    if (namespace === undefined) return { urgent: isUrgent, members: values };
    const members = {
      requests: 1,
      ...(failed && { errors: 1 }),
      ...(placed && { orders: 1 }),
      ...values,
      _aws: {
        Timestamp: now(),
        CloudWatchMetrics: [
          directive(namespace, ['route'], perRoute),
          ...(failed ? [directive(namespace, ['route', 'code'], [count('errors')])] : []),
          ...(placed ? [directive(namespace, ['order_status'], [count('orders')])] : []),
        ],
      },
    };
    return { urgent: isUrgent, members };
  };
}

/** Returns the members by which CloudWatch counts an event that is no response; all of them are about orders. */
export function eventMetrics(namespace: string, now: () => number = Date.now) {
  return (event: CountedEvent): Readonly<Record<string, unknown>> => ({
    route: 'orders',
    [event]: 1,
    _aws: { Timestamp: now(), CloudWatchMetrics: [directive(namespace, ['route'], [count(event)])] },
  });
}
