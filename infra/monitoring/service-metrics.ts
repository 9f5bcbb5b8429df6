import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AnyRoute } from '../../functions/routes.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Names } from './names.ts';

type RouteName = AnyRoute['name'];

/** Metrics that the functions count for alarms alone, at every level of the log. */
export const WARNINGS = [
  'order_faults',
  'rate_limit_warnings',
  'unreadable_keys',
  'foreign_keys',
  'contradicted_records',
  'lease_faults',
  'daily_cap_warnings',
] as const;

/** The name of the metric that the gateway's access log is read into. */
export const GATEWAY_THROTTLES = 'gateway_throttles';

/** Short enough to act on, long enough for a service that is asked rarely. */
export const PERIOD = Duration.minutes(5);

/** The metrics that are read out of the functions' log lines (functions/metrics.ts), in the namespace of the stack. */
export class ServiceMetrics {
  readonly namespace: string;

  constructor({ metrics }: Names) {
    this.namespace = metrics;
  }

  private metric(metricName: string, statistic: string, dimensionsMap: Record<string, string>, label: string): Metric {
    return new Metric({ namespace: this.namespace, metricName, statistic, dimensionsMap, label, period: PERIOD });
  }

  requests(route: RouteName): Metric {
    return this.metric('requests', 'Sum', { route }, route);
  }

  /** Of a whole request, or of its calls to the venue. */
  latency(metricName: 'duration_ms' | 'venue_ms', route: RouteName, statistic: 'p50' | 'p99'): Metric {
    return this.metric(metricName, statistic, { route }, `${route} ${statistic}`);
  }

  errors(route: RouteName, code: ErrorCode): Metric {
    return this.metric('errors', 'Sum', { route, code }, `${route} ${code}`);
  }

  warnings(route: RouteName, name: (typeof WARNINGS)[number]): Metric {
    return this.metric(name, 'Sum', { route }, `${route} ${name}`);
  }

  /** Requests that the gateway's own throttles turned away, counted in its access log. */
  gatewayThrottles(): Metric {
    return this.metric(GATEWAY_THROTTLES, 'Sum', {}, '429 of the gateway');
  }

  /** Every code that occurs, without a list of them. */
  allErrors(): MathExpression {
    return this.search('route,code', 'errors');
  }

  ordersByStatus(): MathExpression {
    return this.search('order_status', 'orders');
  }

  private search(dimensions: string, metricName: string): MathExpression {
    const expression = `SEARCH('{"${this.namespace}",${dimensions}} MetricName="${metricName}"', 'Sum', ${PERIOD.toSeconds()})`;
    return new MathExpression({ expression, usingMetrics: {}, label: '', period: PERIOD });
  }
}
