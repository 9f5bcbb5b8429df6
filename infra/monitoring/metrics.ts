import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Route } from '../../functions/routes.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { CountedEvent } from '../../shared/log.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';

/** The members of a log line that become dimensions of a metric. CloudWatch bills each combination of their values. */
const DIMENSIONS = { errors: ['route', 'code'], events: ['metric'] } as const;

type MetricName = keyof typeof DIMENSIONS;

/** A wrong clock has an event of its own, and one alarm. */
const NO_CLOCK = FilterPattern.any(
  FilterPattern.notExists('$.reason'),
  FilterPattern.stringValue('$.reason', '!=', 'clock'),
);

/** The period of alarm metrics: a failure in the middle of a 15-minute canary must stop it. */
const PERIOD = Duration.minutes(1);

/** Returns the metrics of a deployment, which filters count in the logs of functions. */
export function metricsOf(stackName: string) {
  const namespace = `OrderBookAdapter/${stackName}`;
  const sum = (metricName: MetricName, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace, metricName, statistic: 'Sum', dimensionsMap, period: PERIOD });
  return {
    /** Counts the lines of a function that have all members of the metric. Requests carry a `code` only when they fail. */
    count: (target: ServiceFunction, metricName: MetricName) => {
      const members = DIMENSIONS[metricName].map((member) => [member, `$.${member}`] as const);
      new MetricFilter(target, `Metric-${metricName}`, {
        logGroup: target.log,
        filterPattern: FilterPattern.all(...members.map(([, selector]) => FilterPattern.exists(selector)), NO_CLOCK),
        metricNamespace: namespace,
        metricName,
        metricValue: '1',
        dimensions: Object.fromEntries(members),
      });
    },
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

export type ServiceMetrics = ReturnType<typeof metricsOf>;

/** Combines metrics; one that was never written counts as zero. By default sums are of a minute. */
export function combine(
  metrics: readonly IMetric[],
  how: 'sum' | 'maximum',
  period = how === 'sum' ? PERIOD : Duration.minutes(5),
): IMetric {
  const usingMetrics = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  const filled = Object.keys(usingMetrics).map((name) => `FILL(${name}, 0)`);
  const expression = how === 'sum' ? filled.join(' + ') : `MAX([${filled.join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, label: '', period });
}
