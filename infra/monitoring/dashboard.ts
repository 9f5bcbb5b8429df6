import { Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import type { Gateway } from '../constructs/gateway.ts';
import type { Names } from '../constructs/names.ts';
import { type ServiceMetrics, WARNINGS } from './service-metrics.ts';

/** Adds one dashboard for all endpoints; its graphs of orders stay empty until there is an order. */
export function addDashboard(scope: Construct, names: Names, metrics: ServiceMetrics, gateway: Gateway): void {
  const { api, throttled } = gateway;
  const graph = (title: string, ...left: IMetric[]) =>
    new GraphWidget({ title, left, width: 12, height: 6, leftYAxis: { min: 0, showUnits: false } });
  const percentiles = (name: string) => ['p50', 'p99'].map((statistic) => metrics.search(name, ['route'], statistic));
  const functions = Object.values(ROUTES).map(({ name }) => {
    const dimensionsMap = { FunctionName: names.function(name) };
    const metricName = 'ConcurrentExecutions';
    return new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap, statistic: 'Maximum', label: name });
  });
  // Dashboards are global in an account: two regions would overwrite each other's.
  const dashboard = new Dashboard(scope, 'Dashboard', { dashboardName: `${names.stack}-${Stack.of(scope).region}` });
  dashboard.addWidgets(
    graph('Requests', metrics.search('requests', ['route'])),
    graph('Errors by code', metrics.search('errors', ['route', 'code'])),
    graph(
      'Gateway',
      api.metricCount({ label: 'requests' }),
      api.metricClientError({ label: '4xx' }),
      api.metricServerError({ label: '5xx' }),
      throttled,
    ),
    // Named one by one: CloudWatch finds a metric only some time after it was first written.
    graph(
      'What alarms wait for',
      ...WARNINGS.map((name) => metrics.warnings('orders', name)),
      ...(['markets', 'book'] as const).map((name) => metrics.warnings(name, 'rate_limit_warnings')),
    ),
    graph('Latency in ms', ...percentiles('duration_ms')),
    graph('Venue latency in ms', ...percentiles('venue_ms')),
    graph('Orders by status', metrics.search('orders', ['order_status'])),
    graph('Functions at the same time', ...functions),
  );
}

/** The logs of a deployment. */
type Logs = Readonly<Record<'readers' | 'orders' | 'access', readonly ILogGroup[]>>;

const FUNCTIONS = ['readers', 'orders'] as const;
const REQUEST = 'fields time, route, status, code, duration_ms, request_id, order_id, gateway_caller';

/** The saved queries by title, each with the logs that it searches. */
const QUERIES: Readonly<Record<string, readonly [logs: readonly (keyof Logs)[], query: string]>> = {
  'failed requests': [
    FUNCTIONS,
    `${REQUEST} | filter message = "request" and status >= 400 | sort time desc | limit 200`,
  ],
  'slowest requests': [
    FUNCTIONS,
    `${REQUEST}, venue_ms, @message | filter message = "request" | sort duration_ms desc | limit 50`,
  ],
  // Our own lines, and those of Lambda about a crash or a time-out.
  faults: [
    FUNCTIONS,
    `fields @timestamp, message, order_id, request_id, error.message, error.cause.message, @message
    | filter level in ["warn", "error", "ERROR", "FATAL"] or record.status in ["error", "failure", "timeout"]
    | sort @timestamp desc | limit 200`,
  ],
  'cold starts': [
    FUNCTIONS,
    `fields @log, init_ms | filter message = "started" and ispresent(init_ms)
    | stats count(*), pct(init_ms, 50), max(init_ms) by @log`,
  ],
  // Written at every log level, before the order is sent.
  'orders by client': [
    ['orders'],
    `fields time, client_address, client_address_unverified, order_id, order.token_id, order.side, order.price, order.size, request_id
    | filter message = "order signed" | sort time desc | limit 500`,
  ],
  // Requests that no function answered, with the gateway's reasons.
  'answered by the gateway': [
    ['access'],
    `fields @timestamp, request_id, route, status, source_ip, caller, gateway_error, integration_error
    | filter status >= 400 and integration_status != "200" | sort @timestamp desc | limit 200`,
  ],
  // The operator replaces ID by any id of the request or the order.
  'one request or order': [
    ['orders', 'access'],
    'fields @timestamp, @log, @message | filter @message like "ID" | sort @timestamp asc | limit 200',
  ],
};

/** Saves the queries in a folder of CloudWatch. */
export function addQueries(scope: Construct, names: Names, logs: Logs): void {
  const parent = new Construct(scope, 'Queries');
  for (const [title, [from, query]] of Object.entries(QUERIES)) {
    new CfnQueryDefinition(parent, title, {
      name: `${names.stack}/${title}`,
      logGroupNames: from.flatMap((name) => logs[name]).map(({ logGroupName }) => logGroupName),
      queryString: query.replace(/\n *\|/g, '\n|'),
    });
  }
}
