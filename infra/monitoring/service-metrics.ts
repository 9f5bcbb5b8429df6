import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Route } from '../../functions/routes.ts';
import type { ErrorCode } from '../../shared/errors.ts';

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

/**
 * Returns the metrics of a namespace that are read out of the functions' log lines (functions/metrics.ts). Their
 * period is the CDK's, five minutes: short enough to act on, long enough for a service with few requests.
 */
export function metricsOf(namespace: string) {
  const sum = (metricName: string, route: Route['name'], code?: ErrorCode) => {
    const dimensionsMap = { route, ...(code !== undefined && { code }) };
    const label = `${route} ${code ?? metricName}`;
    return new Metric({ namespace, metricName, statistic: 'Sum', dimensionsMap, label });
  };
  return {
    errors: (route: Route['name'], code: ErrorCode) => sum('errors', route, code),
    warnings: (route: Route['name'], name: (typeof WARNINGS)[number]) => sum(name, route),
    /** Finds a metric for all values of its dimensions that occur, such as every code, without a list of them. */
    search: (metricName: string, dimensions: readonly string[], statistic = 'Sum') => {
      const expression = `SEARCH('{"${namespace}",${dimensions}} MetricName="${metricName}"', '${statistic}', 300)`;
      // CloudWatch replaces these by the values of each metric that it finds.
      const values = dimensions.map((name) => `\${PROP('Dim.${name}')}`);
      const label = `${values.join(' ')} ${metricName} ${statistic}`;
      return new MathExpression({ expression, usingMetrics: {}, label });
    },
  };
}

/** The metrics of a deployment. */
export type ServiceMetrics = ReturnType<typeof metricsOf>;
