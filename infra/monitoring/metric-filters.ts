import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
  type MetricFilterProps,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

interface Reading extends Pick<MetricFilterProps, 'metricValue' | 'unit'> {
  /** Conditions on a line, all of which hold. */
  readonly terms: readonly JsonPattern[];
  readonly dimensions: Readonly<Record<string, string>>;
}

const REQUEST = FilterPattern.stringValue('$.message', '=', 'request');
const BY_ROUTE = { route: '$.route' } as const;

function counted(name: string): Reading {
  return { terms: [FilterPattern.numberValue(`$.${name}`, '=', 1)], metricValue: '1', dimensions: BY_ROUTE };
}

function timed(metricValue: string): Reading {
  const terms = [REQUEST, FilterPattern.numberValue(metricValue, '>=', 0)];
  return { terms, metricValue, dimensions: BY_ROUTE, unit: Unit.MILLISECONDS };
}

/** The metrics of requests, by their names, as functions/metrics.ts says what they are. */
const READINGS: Readonly<Record<string, Reading>> = {
  requests: { terms: [REQUEST], metricValue: '1', dimensions: BY_ROUTE },
  duration_ms: timed('$.duration_ms'),
  venue_ms: timed('$.venue_ms'),
  errors: {
    terms: [REQUEST, FilterPattern.numberValue('$.status', '>=', 400)],
    metricValue: '1',
    dimensions: { ...BY_ROUTE, code: '$.code' },
  },
  order_faults: counted('order_faults'),
  rate_limit_warnings: counted('rate_limit_warnings'),
};

/**
 * Reads the metrics of requests out of the log of a reader, whose lines then need not say what CloudWatch is to make of
 * them: half of each was that, and is paid by the byte.
 */
export function addMetricFilters(scope: Construct, logGroup: ILogGroup, metricNamespace: string): void {
  for (const [metricName, { terms, unit = Unit.COUNT, ...reading }] of Object.entries(READINGS)) {
    // CloudWatch takes values and dimensions from those members of a line alone that the pattern names.
    const named = Object.values(reading.dimensions).map((member) => FilterPattern.exists(member));
    const filterPattern = FilterPattern.all(...terms, ...named);
    const id = `Metric-${metricName}`;
    new MetricFilter(scope, id, { logGroup, metricNamespace, metricName, filterPattern, unit, ...reading });
  }
}
