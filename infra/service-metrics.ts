import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AnyRoute } from '../functions/routes.ts';
import type { Names } from './names.ts';

type RouteName = AnyRoute['name'];

/** Short enough to act on, long enough for a service that is asked rarely. */
const PERIOD = Duration.minutes(5);

/** The metrics that the functions write with their log lines (functions/metrics.ts), in the namespace of the stack. */
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

  latency(route: RouteName, statistic: 'p50' | 'p99'): Metric {
    return this.metric('duration_ms', statistic, { route }, `${route} ${statistic}`);
  }

  venueLatency(route: RouteName, statistic: 'p50' | 'p99'): Metric {
    return this.metric('venue_ms', statistic, { route }, `${route} ${statistic}`);
  }

  private errors(route: RouteName, code: string): Metric {
    return this.metric('errors', 'Sum', { route, code }, `${route} ${code}`);
  }

  /** Answers with one of the codes, on any of the routes. */
  errorSum(routes: readonly RouteName[], codes: readonly string[], label: string): MathExpression {
    const all = routes.flatMap((route) => codes.map((code) => this.errors(route, code)));
    const usingMetrics = Object.fromEntries(all.map((metric, index) => [`e${index}`, metric]));
    const terms = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
    return new MathExpression({ expression: terms.join(' + '), usingMetrics, label, period: PERIOD });
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
