import { join } from 'node:path';
import { Annotations, ArnFormat, CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Code, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { ROUTES } from '../functions/routes.ts';
import { Alarms } from './alarms.ts';
import { addObservation } from './dashboard.ts';
import { addGateway, type Gateway } from './gateway.ts';
import { addOrders } from './orders.ts';
import { addReaders } from './readers.ts';
import { ServiceMetrics } from './service-metrics.ts';
import type { Settings } from './settings.ts';

export interface ServiceStackProps extends StackProps {
  readonly settings: Settings;
  /** The folder that the build writes. */
  readonly assets: string;
}

/** The whole service. Without order settings it holds nothing that could trade or read a key. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { settings, assets, ...props }: ServiceStackProps) {
    super(scope, id, { ...props, terminationProtection: settings.orders !== undefined });
    const metrics = new ServiceMetrics(settings.stackName);
    const layer = new LayerVersion(this, 'VenueLayer', {
      description: 'The client of the venue',
      code: Code.fromAsset(join(assets, 'layer')),
      compatibleRuntimes: [Runtime.NODEJS_24_X],
    });
    const environment = { ...settings.environment, SERVICE_METRICS_NAMESPACE: metrics.namespace };
    const readers = addReaders(this, { assets, layer, environment, account: settings.orders?.account ?? {} });
    const { orders: orderSettings } = settings;
    const orders = orderSettings && addOrders(this, { settings: orderSettings, assets, layer, environment });
    const functions = { ...readers, ...(orders && { orders }) };
    const gateway = addGateway(this, { name: settings.stackName, functions, orderAccess: orderSettings?.access });
    new Alarms(this, 'Alarms', { metrics, functions, topicArn: settings.alarmTopic });
    const deployed = Object.values(ROUTES).flatMap(({ name }) => {
      const target = { orders, ...readers }[name];
      return target ? [[name, target] as const] : [];
    });
    addObservation(this, { stackName: settings.stackName, metrics, functions: deployed });
    for (const warning of settings.warnings) Annotations.of(this).addWarningV2('order-book-adapter:setting', warning);
    Tags.of(this).add('service', 'order-book-adapter');
    Tags.of(this).add('mode', orders ? 'order-placing' : 'read-only');
    this.addOutputs(gateway, deployed, orderSettings?.access.kind === 'iam');
  }

  private addOutputs(
    { api, stage }: Gateway,
    functions: readonly (readonly [string, { readonly function: { readonly functionName: string } }])[],
    signedOrders: boolean,
  ): void {
    new CfnOutput(this, 'Url', { value: api.apiEndpoint, description: 'Base address of the service' });
    for (const [name, { function: target }] of functions) {
      new CfnOutput(this, `${name}Function`, { value: target.functionName });
    }
    if (!signedOrders) return;
    new CfnOutput(this, 'OrderRouteArn', {
      description: 'What a caller of POST /v1/orders needs execute-api:Invoke on',
      value: this.formatArn({
        service: 'execute-api',
        resource: api.apiId,
        resourceName: `${stage.stageName}/${ROUTES.orders.method}${ROUTES.orders.path}`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    });
  }
}
