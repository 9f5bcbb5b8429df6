import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { addVenueLayer } from '../constructs/endpoint-function.ts';
import { addGateway } from '../constructs/gateway.ts';
import type { Names } from '../constructs/names.ts';
import { addReaders } from '../constructs/readers.ts';
import { ServiceMetrics } from '../constructs/service-metrics.ts';
import { Alarms, addServiceAlarms } from '../monitoring/alarms.ts';
import { addDashboard, addServiceQueries } from '../monitoring/dashboard.ts';
import { addMetricFilters } from '../monitoring/metric-filters.ts';

export interface ServiceStackProps extends StackProps {
  readonly names: Names;
  /** The folder that the build writes. */
  readonly assets: string;
  /** Variables that every function is told. */
  readonly environment: Readonly<Record<string, string>>;
  /** ARN of the SNS topic that alarms go to. */
  readonly alarmTopic: string | undefined;
}

/**
 * The service that cannot trade. Nothing in it depends on whether orders are on: deploying it without their settings
 * leaves them as they are.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { names, assets, environment, alarmTopic, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const metrics = new ServiceMetrics(names);
    const layer = addVenueLayer(this, assets, names);
    const readers = addReaders(this, { names, assets, layer, environment });
    const { api, accessLog } = addGateway(this, names, readers);
    addServiceAlarms(new Alarms(this, 'Alarms', alarmTopic), metrics, readers, api);
    addDashboard(this, { names, metrics, api });
    for (const reader of Object.values(readers)) addMetricFilters(reader, reader.log, names.metrics);
    const logs = Object.values(readers).map(({ log }) => log);
    addServiceQueries(this, { names, logs, accessLog });
    new CfnOutput(this, 'Url', { value: api.apiEndpoint, description: 'Base address of the service' });
    // Always there: an export cannot go while the stack of orders imports it.
    new CfnOutput(this, 'ApiId', { value: api.apiId, exportName: names.exports.apiId });
    for (const [name, target] of Object.entries(readers)) {
      new CfnOutput(this, `${name}Function`, { value: target.function.functionName });
    }
  }
}
