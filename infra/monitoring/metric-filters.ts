import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

const REQUEST = FilterPattern.stringValue('$.message', '=', 'request');

/** A metric's name, its value, and conditions on a line, all of which hold. */
type Reading = readonly [name: string, value: string, ...conditions: readonly JsonPattern[]];

/** The metrics of requests, as functions/metrics.ts says what they are. */
const READINGS: readonly Reading[] = [
  ['requests', '1', REQUEST],
  ['duration_ms', '$.duration_ms', REQUEST, FilterPattern.numberValue('$.duration_ms', '>=', 0)],
  ['venue_ms', '$.venue_ms', REQUEST, FilterPattern.numberValue('$.venue_ms', '>=', 0)],
  ['errors', '1', REQUEST, FilterPattern.numberValue('$.status', '>=', 400)],
  ['order_faults', '1', FilterPattern.numberValue('$.order_faults', '=', 1)],
  ['rate_limit_warnings', '1', FilterPattern.numberValue('$.rate_limit_warnings', '=', 1)],
];

/**
 * Reads the metrics of requests out of the log of a reader, whose lines then need not say what CloudWatch is to make of
 * them: half of each was that, and is paid by the byte.
 */
export function addMetricFilters(scope: Construct, logGroup: ILogGroup, metricNamespace: string): void {
  for (const [metricName, metricValue, ...conditions] of READINGS) {
    const dimensions = { route: '$.route', ...(metricName === 'errors' && { code: '$.code' }) };
    // CloudWatch takes values and dimensions from those members of a line alone that the pattern names.
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
