import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const REQUEST = FilterPattern.stringValue('$.message', '=', 'request');

/** A metric's name, its value, and the conditions that a line must all meet. */
type Reading = readonly [name: string, value: string, ...conditions: readonly JsonPattern[]];

/** The metrics of requests, which functions/metrics.ts describes. */
const READINGS: readonly Reading[] = [
  ['requests', '1', REQUEST],
  ['duration_ms', '$.duration_ms', REQUEST, FilterPattern.numberValue('$.duration_ms', '>=', 0)],
  ['venue_ms', '$.venue_ms', REQUEST, FilterPattern.numberValue('$.venue_ms', '>=', 0)],
  ['errors', '1', REQUEST, FilterPattern.numberValue('$.status', '>=', 400)],
  ['order_faults', '1', FilterPattern.numberValue('$.order_faults', '=', 1)],
  ['rate_limit_warnings', '1', FilterPattern.numberValue('$.rate_limit_warnings', '=', 1)],
];

/**
 * Extracts the metrics of requests from a reader's log. Its lines then need no directives for CloudWatch, which were
 * half of each: logs are billed by the byte.
 */
export function addMetricFilters(scope: Construct, logGroup: ILogGroup, metricNamespace: string): void {
  for (const [metricName, metricValue, ...conditions] of READINGS) {
    const dimensions = { route: '$.route', ...(metricName === 'errors' && { code: '$.code' }) };
    // CloudWatch reads values and dimensions only from members that the pattern names.
    const named = Object.values(dimensions).map((member) => FilterPattern.exists(member));
    new MetricFilter(scope, `Metric-${metricName}`, {
      logGroup,
      filterPattern: FilterPattern.all(...conditions, ...named),
      metricNamespace,
      metricName,
      metricValue,
      unit: metricValue === '1' ? Unit.COUNT : Unit.MILLISECONDS,
      dimensions,
    });
  }
}
