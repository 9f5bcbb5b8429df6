import { CfnOutput, RemovalPolicies, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { SIGNED_INDEX } from '../shared/settings/formats.ts';
import { addVenueLayer } from './constructs/endpoint-function.ts';
import { addFills } from './constructs/fills.ts';
import { addGateway } from './constructs/gateway.ts';
import { namesOf } from './constructs/names.ts';
import { OrderStore } from './constructs/order-store.ts';
import { addOrders } from './constructs/orders.ts';
import { addReaders } from './constructs/readers.ts';
import { addRollout } from './constructs/rollout.ts';
import { addAlarms } from './monitoring/alarms.ts';
import { addDashboard } from './monitoring/dashboard.ts';
import { addMetricFilter, metricsOf } from './monitoring/metrics.ts';
import type { Settings } from './settings/settings.ts';

interface ServiceStackProps extends Pick<StackProps, 'env'> {
  /** The folder that the build writes. */
  readonly assets: string;
  readonly settings: Settings;
}

/**
 * The whole service. The flag `placeOrder` adds the function of orders with its route, role, rollout and alarms, and its
 * absence takes them away; the store of orders is there from the first deployment on, so that no key is forgotten.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, { assets, settings, ...props }: ServiceStackProps) {
    const names = namesOf(settings.stackName);
    super(scope, 'Service', {
      ...props,
      stackName: names.stack,
      description: 'A small HTTP/JSON service between any HTTP client and the Polymarket order book',
      terminationProtection: settings.orders !== undefined && settings.removal !== 'destroy',
    });
    // The CDK has resources depend on some to which they refer anyway.
    this.templateOptions.metadata = { 'cfn-lint': { config: { ignore_checks: ['W3005'] } } };
    const metrics = metricsOf(names.metrics);
    const store = new OrderStore(this, names, settings.ordersTable);
    const layer = addVenueLayer(this, assets, names);
    const common = { names, assets, layer };
    const readers = addReaders(this, { ...common, settings });
    const trading = settings.orders && { ...common, store, settings: settings.orders };
    const orders = trading && addOrders(this, trading);
    const { fillsTopic: topicArn } = settings;
    const fills = trading && topicArn !== undefined ? addFills(this, { ...trading, topicArn }) : undefined;
    // The desk and the doctor know by it that the table has the index.
    if (fills) new CfnOutput(this, 'OrdersIndex', { value: SIGNED_INDEX.name });
    const api = addGateway(this, { names, settings, readers, orders });
    const functions = [...Object.values(readers), ...(orders ? [orders] : [])];
    for (const target of functions) addMetricFilter(target, target.log, names.metrics, 'errors');
    if (orders) addMetricFilter(orders, orders.log, names.metrics, 'events');
    const stoppingRollout = addAlarms(this, { metrics, api, readers, orders, fills, alarmTopic: settings.alarmTopic });
    if (orders) addRollout(this, orders.alias, stoppingRollout, settings.rollout === 'canary');
    addDashboard(this, { names, metrics, api, functions });
    if (settings.ordersTable === undefined) {
      // The issuer and the certificate are checked by the gateway, quotas by the functions, which alarms refer to.
      const fallible = ['Domain', 'Tokens'].map((id) => api.node.tryFindChild(id));
      const after = [this.node.findChild('Alarms'), ...fallible].filter((child) => child !== undefined);
      store.addTable(after, orders?.alias, settings);
    }
    const { keyArn, removal } = settings;
    for (const child of this.node.findAll()) if (child instanceof CfnLogGroup) child.kmsKeyId = keyArn;
    if (removal === 'destroy') RemovalPolicies.of(this).destroy();
  }
}
