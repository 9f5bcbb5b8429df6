import { Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type GraphWidgetProps, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ROUTES } from '../functions/routes.ts';
import type { Names } from './names.ts';
import type { ServiceMetrics } from './service-metrics.ts';

/** Half of the page's width. */
const WIDTH = 12;

function graph(title: string, left: IMetric[], unit?: string): GraphWidget {
  const axis: GraphWidgetProps = unit === undefined ? {} : { leftYAxis: { label: unit, showUnits: false, min: 0 } };
  return new GraphWidget({ title, left, width: WIDTH, height: 6, ...axis });
}

/** One dashboard of all endpoints; what there is no order for has no line in it. */
export function addDashboard(scope: Construct, names: Names, metrics: ServiceMetrics): void {
  const routes = Object.values(ROUTES).map(({ name }) => name);
  const askVenue = routes.filter((name) => name !== 'health');
  const percentiles = ['p50', 'p99'] as const;
  // Dashboards are global in an account: two regions would overwrite each other's.
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `${names.stack}-${Stack.of(scope).region}` });
  dashboard.addWidgets(
    graph(
      'Requests',
      [...routes, 'unknown' as const].map((name) => metrics.requests(name)),
    ),
    graph('Errors by code', [metrics.allErrors()]),
    graph(
      'Latency',
      routes.flatMap((name) => percentiles.map((which) => metrics.latency(name, which))),
      'ms',
    ),
    graph(
      'Venue latency',
      askVenue.flatMap((name) => percentiles.map((which) => metrics.venueLatency(name, which))),
      'ms',
    ),
    graph('Orders by status', [metrics.ordersByStatus()]),
    graph(
      'Functions at the same time',
      routes.map((name) => {
        const dimensionsMap = { FunctionName: names.function(name) };
        const metricName = 'ConcurrentExecutions';
        return new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, statistic: 'Maximum', label: name });
      }),
    ),
  );
}

const FIELDS = ['time', 'route', 'status', 'code', 'duration_ms', 'request_id', 'order_id'] as const;
const REQUESTS = 'message = "request"';

interface Query extends Omit<ConstructorParameters<typeof QueryString>[0], 'fields'> {
  readonly title: string;
  readonly fields: readonly string[];
}

/** Saves questions to logs in a folder of the console. */
function save(scope: Construct, folder: string, logGroups: readonly ILogGroup[], queries: Record<string, Query>): void {
  const parent = new Construct(scope, 'Queries');
  for (const [id, { title, fields, ...query }] of Object.entries(queries)) {
    const queryString = new QueryString({ fields: [...fields], ...query });
    const queryDefinitionName = `${folder}/${title}`;
    new QueryDefinition(parent, id, { queryDefinitionName, logGroups: [...logGroups], queryString });
  }
}

const QUERIES = {
  FailedRequests: {
    title: 'failed requests',
    fields: FIELDS,
    filterStatements: [REQUESTS, 'status >= 400'],
    sort: 'time desc',
    limit: 200,
  },
  SlowRequests: {
    title: 'slowest requests',
    fields: [...FIELDS, 'venue_ms', '@message'],
    filterStatements: [REQUESTS],
    sort: 'duration_ms desc',
    limit: 50,
  },
  Starts: {
    title: 'cold starts',
    fields: ['@log', 'record.metrics.initDurationMs'],
    filterStatements: ['type = "platform.report"', 'ispresent(record.metrics.initDurationMs)'],
    statsStatements: ['count(*), pct(record.metrics.initDurationMs, 50), max(record.metrics.initDurationMs) by @log'],
  },
};

const ORDERS_BY_CLIENT = {
  title: 'orders by client',
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
  filterStatements: [REQUESTS, 'route = "orders"', 'ispresent(order.token_id)'],
  sort: 'time desc',
  limit: 500,
};

/** The questions to the logs that an operator asks first. */
export function addServiceQueries(scope: Construct, names: Names, logs: readonly ILogGroup[]): void {
  save(scope, names.stack, logs, QUERIES);
}

/** The same of the log of orders, and who sent which. */
export function addOrderQueries(scope: Construct, names: Names, log: ILogGroup): void {
  save(scope, names.ordersStack, [log], { ...QUERIES, Orders: ORDERS_BY_CLIENT });
}
