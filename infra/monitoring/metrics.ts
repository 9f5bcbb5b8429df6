import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { CountedEvent } from '../../shared/log.ts';

/** The members of a log line that become dimensions of a metric. CloudWatch bills each combination of their values. */
const DIMENSIONS = { errors: ['route', 'code'], events: ['metric'] } as const;

type MetricName = keyof typeof DIMENSIONS;

/** Counts the lines of a log that have all members of the metric. Requests carry a `code` only when they fail. */
export function addMetricFilter(
  scope: Construct,
  logGroup: ILogGroup,
  metricNamespace: string,
  metricName: MetricName,
) {
  const members = DIMENSIONS[metricName].map((member) => [member, `$.${member}`] as const);
  new MetricFilter(scope, `Metric-${metricName}`, {
    logGroup,
    filterPattern: FilterPattern.all(...members.map(([, selector]) => FilterPattern.exists(selector))),
    metricNamespace,
    metricName,
    metricValue: '1',
    dimensions: Object.fromEntries(members),
  });
}

/** The period of an alarm's metric: a canary of a quarter of an hour has to see what goes wrong in its middle. */
const PERIOD = Duration.minutes(1);

/** Returns the metrics that the filters count. */
export function metricsOf(namespace: string) {
  const sum = (metricName: MetricName, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace, metricName, statistic: 'Sum', dimensionsMap, period: PERIOD });
  return {
    errors: (route: Route['name'], code: ErrorCode) => sum('errors', { route, code }),
    events: (metric: CountedEvent) => sum('events', { metric }),
    /** Finds all metrics of that name, such as one for every code, without a list of them. */
    search: (metricName: MetricName) => {
      const dimensions = DIMENSIONS[metricName];
      const expression = `SEARCH('{"${namespace}",${dimensions}} MetricName="${metricName}"', 'Sum', 300)`;
      // CloudWatch replaces these by the values of each metric that it finds.
      const label = dimensions.map((name) => `\${PROP('Dim.${name}')}`).join(' ');
      return new MathExpression({ expression, usingMetrics: {}, label });
    },
  };
}

/** The metrics of a deployment. */
export type ServiceMetrics = ReturnType<typeof metricsOf>;

/** Combines metrics; one that was never written counts as zero. Sums are of a minute. */
export function combine(metrics: readonly IMetric[], how: 'sum' | 'maximum'): IMetric {
  const period = how === 'sum' ? PERIOD : Duration.minutes(5);
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  const expression = how === 'sum' ? filled.join(' + ') : `MAX([${filled.join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, label: '', period });
}
