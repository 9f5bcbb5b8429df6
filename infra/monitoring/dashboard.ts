import { Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Dashboard, GraphWidget, type GraphWidgetProps, type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
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
      routes.flatMap((name) => percentiles.map((which) => metrics.latency('duration_ms', name, which))),
      'ms',
    ),
    graph(
      'Venue latency',
      askVenue.flatMap((name) => percentiles.map((which) => metrics.latency('venue_ms', name, which))),
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

interface Logs {
  readonly names: Names;
  /** Those of the readers. */
  readonly readers: readonly ILogGroup[];
  readonly orders: ILogGroup;
  readonly access: ILogGroup;
}

/** The questions to the logs that an operator asks first, by their titles. */
function questionsTo({ readers, orders, access }: Logs) {
  const functions = [...readers, orders];
  const request = 'fields time, route, status, code, duration_ms, request_id, order_id, gateway_caller';
  return {
    'failed requests': [
      functions,
      `${request} | filter message = "request" and status >= 400 | sort time desc | limit 200`,
    ],
    'slowest requests': [
      functions,
      `${request}, venue_ms, @message | filter message = "request" | sort duration_ms desc | limit 50`,
    ],
    // Our own lines, and those of Lambda about a crash or a time-out.
    faults: [
      functions,
      `fields @timestamp, message, order_id, request_id, error.message, error.cause.message, @message
      | filter level in ["warn", "error", "ERROR", "FATAL"] or record.status in ["error", "failure", "timeout"]
      | sort @timestamp desc | limit 200`,
    ],
    'cold starts': [
      functions,
      `fields @log, init_ms | filter message = "started" and ispresent(init_ms)
      | stats count(*), pct(init_ms, 50), max(init_ms) by @log`,
    ],
    // Written at every log level, before the order is sent.
    'orders by client': [
      [orders],
      `fields time, client_address, client_address_unverified, order_id, order.token_id, order.side, order.price, order.size, request_id
      | filter message = "order signed" | sort time desc | limit 500`,
    ],
    // Requests that no function answered, with the gateway's reasons.
    'answered by the gateway': [
      [access],
      `fields @timestamp, request_id, route, status, source_ip, caller, gateway_error, integration_error
      | filter status >= 400 and integration_status != "200" | sort @timestamp desc | limit 200`,
    ],
    // An id that any line of the request or order has goes in the place of ID.
    'one request or order': [
      [orders, access],
      'fields @timestamp, @log, @message | filter @message like "ID" | sort @timestamp asc | limit 200',
    ],
  } as const satisfies Record<string, readonly [readonly ILogGroup[], string]>;
}

/** Saves the questions in a folder of the console. */
export function addQueries(scope: Construct, logs: Logs): void {
  const parent = new Construct(scope, 'Queries');
  for (const [title, [logGroups, query]] of Object.entries(questionsTo(logs))) {
    new CfnQueryDefinition(parent, title, {
      name: `${logs.names.stack}/${title}`,
      logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      queryString: query.replace(/\n *\|/g, '\n|'),
    });
  }
}
