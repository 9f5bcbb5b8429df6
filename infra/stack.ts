import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { addVenueLayer } from './constructs/endpoint-function.ts';
import { addGateway } from './constructs/gateway.ts';
import { namesOf } from './constructs/names.ts';
import { OrderStore } from './constructs/order-store.ts';
import { addOrders } from './constructs/orders.ts';
import { addReaders } from './constructs/readers.ts';
import { addRollout } from './constructs/rollout.ts';
import { Alarms } from './monitoring/alarms.ts';
import { addDashboard, addQueries } from './monitoring/dashboard.ts';
import { addMetricFilters } from './monitoring/metric-filters.ts';
import { addBudget, addHealthCheck } from './monitoring/outside.ts';
import { metricsOf } from './monitoring/service-metrics.ts';
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
      terminationProtection: settings.orders !== undefined,
    });
    const metrics = metricsOf(names.metrics);
    const store = new OrderStore(this, names, settings.ordersTable);
    const layer = addVenueLayer(this, assets, names);
    const readers = addReaders(this, { names, assets, layer, settings });
    const orders = settings.orders && addOrders(this, { names, assets, layer, store, settings: settings.orders });
    const gateway = addGateway(this, { names, settings, readers, orders });
    const alarms = new Alarms(this, { metrics, gateway, readers, orders, settings });
    if (settings.orders && orders) {
      addRollout(this, orders.alias, alarms.stoppingRollout, settings.orders.rollout === 'canary');
    }
    addDashboard(this, names, metrics, gateway);
    for (const reader of Object.values(readers)) addMetricFilters(reader, reader.log, names.metrics);
    const logs = Object.values(readers).map(({ log }) => log);
    addQueries(this, names, { readers: logs, orders: [store.log], access: [gateway.accessLog] });
    if (settings.healthCheck) addHealthCheck(this, gateway.host);
    if (settings.monthlyBudget !== undefined && settings.alarmTopic !== undefined) {
      addBudget(this, settings.monthlyBudget, settings.alarmTopic);
    }
    if (settings.ordersTable === undefined) store.addTable(this.node.children.filter((child) => child !== store));
  }
}
