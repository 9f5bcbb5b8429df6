import { join } from 'node:path';
import { Annotations, App, type StackProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ConfigError } from '../shared/settings/formats.ts';
import { namesOf } from './constructs/names.ts';
import type { Target } from './settings/context.ts';
import { withEnvironmentFile } from './settings/environment-file.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import { OrderStoreStack } from './stacks/order-store-stack.ts';
import { OrdersStack } from './stacks/orders-stack.ts';
import { ServiceStack } from './stacks/service-stack.ts';

export interface Folders {
  /** The build's output. */
  readonly assets: string;
  /** Settings, a file per environment. */
  readonly environments: string;
}

export interface Stacks {
  readonly service: ServiceStack;
  /** Both only where orders are asked for. */
  readonly store?: OrderStoreStack;
  readonly orders?: OrdersStack;
}

function createStacks(app: App, assets: string, settings: Settings, env: NonNullable<StackProps['env']>): Stacks {
  const names = namesOf(settings.stackName);
  const { environment, alarmTopic } = settings;
  const common = { env, names, assets, environment, alarmTopic };
  const service = new ServiceStack(app, 'Service', {
    ...common,
    stackName: names.stack,
    description: 'A small HTTP/JSON service between any HTTP client and the Polymarket order book',
  });
  if (!settings.orders) return { service };
  const { ordersTable } = settings.orders;
  const store = new OrderStoreStack(app, 'OrderStore', {
    env,
    names,
    ordersTable,
    stackName: names.storeStack,
    description: 'What remembers the orders of the order book adapter; keep it',
  });
  const orders = new OrdersStack(app, 'Orders', {
    ...common,
    settings: settings.orders,
    stackName: names.ordersStack,
    description: 'Lets the order book adapter place orders; deleting it turns orders off',
  });
  // They know each other by names, which the CDK does not see.
  orders.addStackDependency(service);
  orders.addStackDependency(store);
  return { service, store, orders };
}

/** Adds the stacks to the app; throws `ConfigError` where the context does not make sense. */
export function addStacks(app: App, { assets, environments }: Folders, found: Target): Stacks {
  const settings = readSettings(withEnvironmentFile(app.node.getAllContext(), environments), found);
  const { account } = found;
  const { region } = settings;
  const stacks = createStacks(app, assets, settings, {
    ...(account !== undefined && { account }),
    ...(region !== undefined && { region }),
  });
  for (const warning of settings.warnings)
    Annotations.of(stacks.service).addWarningV2('order-book-adapter:setting', warning);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return stacks;
}

function main(): void {
  const app = new App();
  const root = join(import.meta.dirname, '..');
  addStacks(
    app,
    { assets: join(root, 'build'), environments: join(root, 'deploy') },
    { account: process.env['CDK_DEFAULT_ACCOUNT'], region: process.env['CDK_DEFAULT_REGION'] },
  );
  app.synth();
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
