import { Unit } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter, type MetricFilterProps } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

type Reading = Pick<MetricFilterProps, 'filterPattern' | 'metricValue' | 'dimensions' | 'unit'>;

const REQUEST = FilterPattern.stringValue('$.message', '=', 'request');
const BY_ROUTE = { route: '$.route' } as const;

function counted(name: string): Reading {
  return { filterPattern: FilterPattern.numberValue(`$.${name}`, '=', 1), metricValue: '1', dimensions: BY_ROUTE };
}

/** The metrics of requests, by their names, as functions/metrics.ts says what they are. */
const READINGS: Readonly<Record<string, Reading>> = {
  requests: { filterPattern: REQUEST, metricValue: '1', dimensions: BY_ROUTE },
  duration_ms: {
    filterPattern: REQUEST,
    metricValue: '$.duration_ms',
    dimensions: BY_ROUTE,
    unit: Unit.MILLISECONDS,
  },
  venue_ms: {
    filterPattern: FilterPattern.all(REQUEST, FilterPattern.numberValue('$.venue_ms', '>=', 0)),
    metricValue: '$.venue_ms',
    dimensions: BY_ROUTE,
    unit: Unit.MILLISECONDS,
  },
  errors: {
    filterPattern: FilterPattern.all(REQUEST, FilterPattern.numberValue('$.status', '>=', 400)),
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
  for (const [metricName, { unit = Unit.COUNT, ...reading }] of Object.entries(READINGS)) {
    new MetricFilter(scope, `Metric-${metricName}`, { logGroup, metricNamespace, metricName, unit, ...reading });
  }
}
