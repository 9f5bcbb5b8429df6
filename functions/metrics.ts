import type { RequestState } from './endpoint.ts';

/** One metric of CloudWatch's embedded format: its name is that of a member of the log line. */
interface Metric {
  readonly Name: string;
  readonly Unit: 'Count' | 'Milliseconds';
}

/** Each combination of the dimensions' values is a metric of its own, and is paid as one: there are few, and small sets. */
function directive(Namespace: string, dimensions: readonly string[], Metrics: readonly Metric[]) {
  return { Namespace, Dimensions: [dimensions], Metrics };
}

/**
 * Makes the members by which CloudWatch reads metrics out of a request's log line: requests, latency and the time of
 * its calls to the venue (their sum, though some overlap) by route; errors by route and code; orders by status. No call
 * and no library stands between a request and its metrics.
 */
export function embeddedMetrics(namespace: string, now: () => number = Date.now) {
  const count = (name: string) => ({ Name: name, Unit: 'Count' }) as const;
  const duration = (name: string) => ({ Name: name, Unit: 'Milliseconds' }) as const;
  return ({ call, logFields }: Pick<RequestState, 'call' | 'logFields'>): Readonly<Record<string, unknown>> => {
    const { venueRequests } = call;
    const askedVenue = venueRequests.length > 0;
    const failed = 'code' in logFields;
    const placed = 'order_status' in logFields;
    const perRoute = [count('requests'), duration('duration_ms'), ...(askedVenue ? [duration('venue_ms')] : [])];
    const venueTime = venueRequests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    return {
      requests: 1,
      ...(askedVenue && { venue_ms: Number(venueTime.toFixed(1)) }),
      ...(failed && { errors: 1 }),
      ...(placed && { orders: 1 }),
      _aws: {
        Timestamp: now(),
        CloudWatchMetrics: [
          directive(namespace, ['route'], perRoute),
          ...(failed ? [directive(namespace, ['route', 'code'], [count('errors')])] : []),
          ...(placed ? [directive(namespace, ['order_status'], [count('orders')])] : []),
        ],
      },
    };
  };
}
