import { Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { addOutputs } from '../constructs/outputs.ts';
import type { ServiceFunction } from '../constructs/service-function.ts';
import type { ServiceMetrics } from './metrics.ts';

const SIZE = { width: 12, height: 6 } as const;
/** A request's line has the times of its parts. */
const PARTS = ['duration', 'venue', 'store', 'sign'].map((part) => `pct(${part}_ms, 99) as ${part}`);

interface Shown {
  readonly stackName: string;
  readonly metrics: ServiceMetrics;
  readonly api: HttpApi;
  readonly functions: readonly ServiceFunction[];
}

export function addDashboard(scope: Construct, { stackName, metrics, api, functions }: Shown): void {
  const graph = (title: string, ...left: cloudwatch.IMetric[]) =>
    new cloudwatch.GraphWidget({ title, left, ...SIZE, leftYAxis: { min: 0, showUnits: false } });
  const ofFunctions = (name: string, statistic: string) =>
    functions.map((target) => target.function.metric(name, { statistic, label: `${target.name} ${statistic}` }));
  // Dashboards are global in an account: two regions would overwrite each other's.
  const { region } = Stack.of(scope);
  const dashboardName = `${stackName}-${region}`;
  const DashboardUrl = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
  addOutputs(scope, { DashboardUrl });
  new cloudwatch.Dashboard(scope, 'Dashboard', { dashboardName }).addWidgets(
    graph('Requests', ...ofFunctions('Invocations', 'Sum')),
    graph('Errors by code', metrics.search('errors')),
    graph('Gateway', api.metricCount(), api.metricClientError(), api.metricServerError()),
    graph('Events of orders', metrics.search('events')),
    graph('Latency in ms', ...ofFunctions('Duration', 'p50'), ...ofFunctions('Duration', 'p99')),
    new cloudwatch.LogQueryWidget({
      title: 'Slow: the venue or us? The slowest hundredth, in ms by part',
      logGroupNames: functions.map(({ log }) => log.logGroupName),
      view: cloudwatch.LogQueryVisualizationType.LINE,
      queryLines: ['filter message = "request"', `stats ${PARTS.join(', ')} by bin(5m)`],
      ...SIZE,
    }),
    graph('Functions at the same time', ...ofFunctions('ConcurrentExecutions', 'Maximum')),
  );
}
