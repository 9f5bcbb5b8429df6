import { Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Dashboard, GraphWidget, type GraphWidgetProps, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import type { Names } from '../constructs/names.ts';
import { type ServiceMetrics, WARNINGS } from '../constructs/service-metrics.ts';

/** Half of the page's width. */
const WIDTH = 12;

function graph(title: string, left: IMetric[], unit?: string): GraphWidget {
  const axis: GraphWidgetProps = unit === undefined ? {} : { leftYAxis: { label: unit, showUnits: false, min: 0 } };
  return new GraphWidget({ title, left, width: WIDTH, height: 6, ...axis });
}

interface DashboardProps {
  readonly names: Names;
  readonly metrics: ServiceMetrics;
  readonly api: HttpApi;
}

/** One dashboard of all endpoints; what there is no order for has no line in it. */
export function addDashboard(scope: Construct, { names, metrics, api }: DashboardProps): void {
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
    graph('Gateway', [
      api.metricCount({ label: 'requests' }),
      api.metricClientError({ label: '4xx' }),
      api.metricServerError({ label: '5xx' }),
      metrics.gatewayThrottles(),
    ]),
    graph('What alarms wait for', [
      ...WARNINGS.map((name) => metrics.warnings('orders', name)),
      ...askVenue.filter((name) => name !== 'orders').map((name) => metrics.warnings(name, 'rate_limit_warnings')),
    ]),
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
  readonly logs: readonly ILogGroup[];
}

/** Saves questions to logs in a folder of the console. */
function save(scope: Construct, folder: string, queries: Record<string, Query>): void {
  const parent = new Construct(scope, 'Queries');
  for (const [id, { title, fields, logs, ...query }] of Object.entries(queries)) {
    const queryString = new QueryString({ fields: [...fields], ...query });
    const queryDefinitionName = `${folder}/${title}`;
    new QueryDefinition(parent, id, { queryDefinitionName, logGroups: [...logs], queryString });
  }
}

function functionQueries(logs: readonly ILogGroup[]) {
  return {
    FailedRequests: {
      title: 'failed requests',
      logs,
      fields: FIELDS,
      filterStatements: [REQUESTS, 'status >= 400'],
      sort: 'time desc',
      limit: 200,
    },
    Faults: {
      title: 'faults',
      logs,
      fields: ['@timestamp', 'message', 'order_id', 'request_id', 'error.message', 'error.cause.message', '@message'],
      // Our own lines, and those of Lambda about a crash or a time-out.
      filterStatements: [
        'level in ["warn", "error", "ERROR", "FATAL"] or record.status in ["error", "failure", "timeout"]',
      ],
      sort: '@timestamp desc',
      limit: 200,
    },
    SlowRequests: {
      title: 'slowest requests',
      logs,
      fields: [...FIELDS, 'venue_ms', '@message'],
      filterStatements: [REQUESTS],
      sort: 'duration_ms desc',
      limit: 50,
    },
    Starts: {
      title: 'cold starts',
      logs,
      fields: ['@log', 'init_ms'],
      filterStatements: ['message = "started"', 'ispresent(init_ms)'],
      statsStatements: ['count(*), pct(init_ms, 50), max(init_ms) by @log'],
    },
  };
}

const ORDERS_BY_CLIENT = {
  title: 'orders by client',
  fields: [
    'time',
    'client_address',
    'client_address_unverified',
    'order_id',
    'order.token_id',
    'order.side',
    'order.price',
    'order.size',
    'request_id',
  ],
  // Written at every log level, before the order is sent.
  filterStatements: ['message = "order signed"'],
  sort: 'time desc',
  limit: 500,
};

/** Requests that no function answered, with the gateway's reasons. */
const ANSWERED_BY_GATEWAY = {
  title: 'answered by the gateway',
  fields: ['@timestamp', 'request_id', 'route', 'status', 'source_ip', 'caller', 'gateway_error', 'integration_error'],
  filterStatements: ['status >= 400', 'integration_status != "200"'],
  sort: '@timestamp desc',
  limit: 200,
};

/** Every line about one request or order: an id that any of them has goes in the place of ID. */
const ONE_REQUEST = {
  title: 'one request or order',
  fields: ['@timestamp', '@log', '@message'],
  filterStatements: ['@message like "ID"'],
  sort: '@timestamp asc',
  limit: 200,
};

interface Logs {
  readonly names: Names;
  /** Those of the readers. */
  readonly readers: readonly ILogGroup[];
  readonly orders: ILogGroup;
  readonly access: ILogGroup;
}

/** Saves the questions to the logs that an operator asks first. */
export function addQueries(scope: Construct, { names, readers, orders, access }: Logs): void {
  save(scope, names.stack, {
    ...functionQueries([...readers, orders]),
    Gateway: { ...ANSWERED_BY_GATEWAY, logs: [access] },
    Orders: { ...ORDERS_BY_CLIENT, logs: [orders] },
    One: { ...ONE_REQUEST, logs: [orders, access] },
  });
}
