import { Annotations, ArnFormat, CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { ROUTES } from '../../functions/routes.ts';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import { addVenueLayer, EndpointFunction } from '../constructs/endpoint-function.ts';
import type { Names } from '../constructs/names.ts';
import { addOrderRoutes } from '../constructs/order-routes.ts';
import { addRollout } from '../constructs/rollout.ts';
import { ServiceMetrics } from '../constructs/service-metrics.ts';
import { Alarms, addOrderAlarms } from '../monitoring/alarms.ts';
import { addOrderQueries } from '../monitoring/dashboard.ts';
import type { OrderSettings } from '../settings/order-settings.ts';

export interface OrdersStackProps extends StackProps {
  readonly names: Names;
  readonly settings: OrderSettings;
  readonly assets: string;
  /** Variables that every function is told. */
  readonly environment: Readonly<Record<string, string>>;
  readonly alarmTopic: string | undefined;
}

/** The capability to trade, and nothing that anybody would miss without it: deleting this stack turns orders off. */
export class OrdersStack extends Stack {
  constructor(scope: Construct, id: string, { names, settings, assets, alarmTopic, ...props }: OrdersStackProps) {
    super(scope, id, props);
    const log = LogGroup.fromLogGroupName(this, 'OrderLog', Fn.importValue(names.exports.orderLog));
    const table = Fn.importValue(names.exports.ordersTable);
    const orders = new EndpointFunction(this, 'Orders', {
      name: 'orders',
      names,
      description: 'POST /v1/orders: places limit orders with the wallet of the key',
      assets,
      layer: addVenueLayer(this, assets, names),
      // One vCPU: signing and the start are computation, and a slow order costs more than the memory.
      memory: 1769,
      timeoutMs: LAMBDA_TIMEOUT_MS.orders,
      environment: {
        ...props.environment,
        ...settings.variables,
        SERVICE_ORDERS_TABLE: table,
        SERVICE_METRICS_NAMESPACE: names.metrics,
      },
      log,
      ...(settings.concurrency !== undefined && { reservedConcurrency: settings.concurrency }),
    });
    this.allow(orders, settings, table);
    const alarms = new Alarms(this, 'Alarms', alarmTopic);
    addOrderAlarms(alarms, new ServiceMetrics(names), orders);
    addRollout(this, { alias: orders.alias, alarms: alarms.stoppingRollout, rollout: settings.rollout });
    addOrderQueries(this, names, log);
    this.addOutputs(addOrderRoutes(this, { names, settings, orders }), orders, settings);
    if (settings.access.kind === 'public') this.warnOfPublicAccess(settings);
  }

  private allow({ role }: EndpointFunction, { secret, region }: OrderSettings, tableName: string): void {
    const allow = (actions: string[], resource: string, conditions = {}) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource], conditions }));
    const table = this.formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
    // The last one counts the notional of a day.
    allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], table);
    const secretArn = this.secretArn(secret.nameOrArn);
    allow(['secretsmanager:GetSecretValue'], secretArn);
    if (secret.keyArn === undefined) return;
    // Of all that the key has encrypted this one secret, and only when Secrets Manager asks.
    allow(['kms:Decrypt'], secret.keyArn, {
      StringEquals: { 'kms:ViaService': `secretsmanager.${region}.amazonaws.com` },
      StringLike: { 'kms:EncryptionContext:SecretARN': secretArn },
    });
  }

  /** A name in a policy needs the six characters that Secrets Manager appends; six question marks match nothing longer. */
  private secretArn(nameOrArn: string): string {
    if (nameOrArn.startsWith('arn:')) return nameOrArn;
    return this.formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${nameOrArn}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  private warnOfPublicAccess({ walletAddress }: OrderSettings): void {
    Annotations.of(this).addWarningV2(
      'order-book-adapter:public-orders',
      `orderAccess=public: everybody who knows the URL and has a wallet can trade with the money of ${walletAddress}, up to the daily cap.`,
    );
  }

  private addOutputs(apiId: string, { function: target }: EndpointFunction, { access }: OrderSettings): void {
    new CfnOutput(this, 'ordersFunction', { value: target.functionName });
    if (access.kind !== 'iam') return;
    new CfnOutput(this, 'OrderRouteArn', {
      description: 'What a caller of POST /v1/orders needs execute-api:Invoke on',
      value: this.formatArn({
        service: 'execute-api',
        resource: apiId,
        resourceName: `$default/${ROUTES.orders.method}${ROUTES.orders.path}`,
      }),
    });
  }
}
