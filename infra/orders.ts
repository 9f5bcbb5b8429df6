import { Annotations, ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../shared/limits.ts';
import { EndpointFunction } from './endpoint-function.ts';
import type { OrderSettings } from './order-settings.ts';

export interface OrdersProps {
  readonly settings: OrderSettings;
  readonly assets: string;
  readonly layer: LayerVersion;
  readonly environment: Readonly<Record<string, string>>;
}

/** Holds signed orders by idempotency key. It outlives the stack: who loses it may place an order twice. */
function createTable(scope: Construct): Table {
  return new Table(scope, 'OrdersTable', {
    partitionKey: { name: 'idempotency_key', type: AttributeType.STRING },
    timeToLiveAttribute: 'expires_at',
    billingMode: BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    encryption: TableEncryption.AWS_MANAGED,
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
}

/** A name in a policy needs the six characters that Secrets Manager appends; six question marks match nothing longer. */
function secretArn(scope: Construct, nameOrArn: string): string {
  if (nameOrArn.startsWith('arn:')) return nameOrArn;
  return Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${nameOrArn}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

function warnOfPublicAccess(scope: Construct, { walletAddress }: OrderSettings): void {
  Annotations.of(scope).addWarningV2(
    'order-book-adapter:public-orders',
    `orderAccess=public: everybody who knows the URL and has a wallet can trade with the money of ${walletAddress}, up to the daily cap.`,
  );
}

/** The capability to trade: the function, its table and the one permission to read the key. */
export function addOrders(scope: Construct, { settings, assets, layer, environment }: OrdersProps): EndpointFunction {
  const table = createTable(scope);
  const orders = new EndpointFunction(scope, 'Orders', {
    name: 'orders',
    description: 'POST /v1/orders: places limit orders with the wallet of the key',
    assets,
    layer,
    // One vCPU: signing and the start are computation, and a slow order costs more than the memory.
    memory: 1769,
    timeoutMs: LAMBDA_TIMEOUT_MS.orders,
    environment: {
      ...environment,
      ...settings.account,
      ...settings.variables,
      SERVICE_ORDERS_TABLE: table.tableName,
      ...(settings.access.kind === 'jwt' && { SERVICE_BEARER_TOKENS: '1' }),
    },
    // The one place that says which caller asked for which order.
    logRetention: RetentionDays.ONE_YEAR,
    keepLog: true,
    ...(settings.concurrency !== undefined && { reservedConcurrency: settings.concurrency }),
  });
  const allow = (actions: string[], resource: string) =>
    orders.role.addToPolicy(new PolicyStatement({ actions, resources: [resource] }));
  // The last one counts the notional of a day.
  allow(['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'], table.tableArn);
  allow(['secretsmanager:GetSecretValue'], secretArn(scope, settings.privateKeySecret));
  if (settings.access.kind === 'public') warnOfPublicAccess(scope, settings);
  return orders;
}
