import { Dashboard, GraphWidget, type GraphWidgetProps, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EndpointFunction } from './endpoint-function.ts';
import type { EndpointName } from './gateway-routes.ts';
import type { ServiceMetrics } from './service-metrics.ts';

export interface ObservationProps {
  readonly stackName: string;
  readonly metrics: ServiceMetrics;
  readonly functions: readonly (readonly [EndpointName, EndpointFunction])[];
}

/** Half of the page's width. */
const WIDTH = 12;

function graph(title: string, left: IMetric[], unit?: string): GraphWidget {
  const axis: GraphWidgetProps = unit === undefined ? {} : { leftYAxis: { label: unit, showUnits: false, min: 0 } };
  return new GraphWidget({ title, left, width: WIDTH, height: 6, ...axis });
}

function addDashboard(scope: Construct, { stackName, metrics, functions }: ObservationProps): void {
  const names = functions.map(([name]) => name);
  const askVenue = names.filter((name) => name !== 'health');
  const percentiles = ['p50', 'p99'] as const;
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: stackName });
  dashboard.addWidgets(
    graph(
      'Requests',
      [...names, 'unknown' as const].map((name) => metrics.requests(name)),
    ),
    graph('Errors by code', [metrics.allErrors()]),
    graph(
      'Latency',
      names.flatMap((name) => percentiles.map((which) => metrics.latency(name, which))),
      'ms',
    ),
    graph(
      'Venue latency',
      askVenue.flatMap((name) => percentiles.map((which) => metrics.venueLatency(name, which))),
      'ms',
    ),
    ...(names.includes('orders') ? [graph('Orders by status', [metrics.ordersByStatus()])] : []),
    graph(
      'Functions at the same time',
      functions.map(([label, { function: target }]) =>
        target.metric('ConcurrentExecutions', { statistic: 'Maximum', label }),
      ),
    ),
  );
}

const FIELDS = ['time', 'route', 'status', 'code', 'duration_ms', 'request_id', 'order_id'] as const;

function addQueries(scope: Construct, { stackName, functions }: ObservationProps): void {
  const logGroups = functions.map(([, { log }]) => log);
  const orderLogs = functions.filter(([name]) => name === 'orders').map(([, { log }]) => log);
  const save = (id: string, title: string, queryString: QueryString, logs = logGroups) =>
    new QueryDefinition(scope, id, { queryDefinitionName: `${stackName}/${title}`, logGroups: logs, queryString });
  const requests = 'message = "request"';
  save(
    'FailedRequests',
    'failed requests',
    new QueryString({
      fields: [...FIELDS],
      filterStatements: [requests, 'status >= 400'],
      sort: 'time desc',
      limit: 200,
    }),
  );
  save(
    'SlowRequests',
    'slowest requests',
    new QueryString({
      fields: [...FIELDS, 'venue_ms', '@message'],
      filterStatements: [requests],
      sort: 'duration_ms desc',
      limit: 50,
    }),
  );
  save(
    'Starts',
    'cold starts',
    new QueryString({
      fields: ['@log', 'record.metrics.initDurationMs'],
      filterStatements: ['type = "platform.report"', 'ispresent(record.metrics.initDurationMs)'],
      statsStatements: ['count(*), pct(record.metrics.initDurationMs, 50), max(record.metrics.initDurationMs) by @log'],
    }),
  );
  if (orderLogs.length === 0) return;
  save(
    'Orders',
    'orders by client',
    new QueryString({
      fields: [
        'time',
        'client_address',
        'client_address_unverified',
        'gateway_request_id',
        'gateway_caller',
        'order_id',
        'order_status',
        'order.side',
        'order.price',
        'order.size',
        'code',
      ],
      filterStatements: [requests, 'route = "orders"', 'ispresent(order.token_id)'],
      sort: 'time desc',
      limit: 500,
    }),
    orderLogs,
  );
}

/** The dashboard, and the questions to the logs that an operator asks first. */
export function addObservation(scope: Construct, props: ObservationProps): void {
  addDashboard(scope, props);
  addQueries(new Construct(scope, 'Queries'), props);
}
