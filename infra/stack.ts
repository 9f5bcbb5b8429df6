import { join } from 'node:path';
import { RemovalPolicies, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { addEvents } from './constructs/events.ts';
import { addGateway } from './constructs/gateway.ts';
import { addOrders } from './constructs/orders.ts';
import { OrdersTable } from './constructs/orders-table.ts';
import { addOutputs } from './constructs/outputs.ts';
import { addReaders } from './constructs/readers.ts';
import { addRollout } from './constructs/rollout.ts';
import { addAlarms } from './monitoring/alarms.ts';
import { addDashboard } from './monitoring/dashboard.ts';
import { metricsOf } from './monitoring/metrics.ts';
import type { Settings } from './settings/settings.ts';

interface ServiceStackProps extends Pick<StackProps, 'env'> {
  /** The folder that the build writes. */
  readonly assets: string;
  readonly settings: Settings;
}

/** Adds the layer of all functions. Keeps old versions: a function that rolls back needs its own layer. */
function addLayer(scope: Construct, stackName: string, assets: string): LayerVersion {
  return new LayerVersion(scope, 'VenueLayer', {
    layerVersionName: `${stackName}-venue`,
    description: 'The client of the venue',
    code: Code.fromAsset(join(assets, 'layer')),
    compatibleRuntimes: [Runtime.NODEJS_24_X],
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/**
 * The whole service. The flag `placeOrder` adds the function of orders with its route, role, rollout and alarms, and its
 * absence takes them away; the store of orders is there from the first deployment on, so that no key is forgotten.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, { assets, settings, ...props }: ServiceStackProps) {
    const { stackName, alarmTopic, fillsTopic, keyArn, removal, environment } = settings;
    super(scope, 'Service', {
      ...props,
      stackName,
      description: 'A small HTTP/JSON service between any HTTP client and the Polymarket order book',
      terminationProtection: settings.orders !== undefined && removal !== 'destroy',
    });
    // The CDK adds dependencies on resources that a reference already implies.
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
    const metrics = metricsOf(stackName);
    const store = new OrdersTable(this, settings);
    const common = { stackName, assets, layer: addLayer(this, stackName, assets) };
    const readers = addReaders(this, settings, common);
    const trading = settings.orders && { ...common, store, settings: settings.orders };
    const orders = trading && addOrders(this, trading);
    const events =
      trading && fillsTopic !== undefined ? addEvents(this, { ...trading, topicArn: fillsTopic }) : undefined;
    const api = addGateway(this, settings, { ...readers, orders });
    const functions = [...Object.values(readers), ...(orders ? [orders] : [])];
    for (const target of functions) metrics.count(target, 'errors');
    if (orders) metrics.count(orders, 'events');
    const stoppingRollout = addAlarms(this, { metrics, api, readers, orders, events, alarmTopic });
    if (orders) addRollout(this, orders.alias, stoppingRollout, settings.rollout === 'canary');
    addDashboard(this, { stackName, metrics, api, functions });
    if (settings.ordersTable === undefined) {
      // The issuer and the certificate are checked by the gateway, quotas by the functions, which alarms refer to.
      const fallible = ['Domain', 'Tokens'].map((id) => api.node.tryFindChild(id));
      const after = [this.node.findChild('Alarms'), ...fallible].filter((child) => child !== undefined);
      store.addTable(after, orders?.alias);
    }
    addOutputs(this, {
      GammaUrl: environment['SERVICE_GAMMA_URL'],
      ClobUrl: environment['SERVICE_CLOB_URL'],
      AlarmTopic: alarmTopic,
      CorsOrigins: environment['SERVICE_CORS_ORIGINS'] ?? 'none: give the origin of your page as corsOrigins',
    });
    for (const child of this.node.findAll()) if (child instanceof CfnLogGroup) child.kmsKeyId = keyArn;
    if (removal === 'destroy') RemovalPolicies.of(this).destroy();
  }
}
