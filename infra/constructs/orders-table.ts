import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { CfnQueryDefinition, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct, type IConstruct } from 'constructs';
import { INDEXES } from '../../shared/orders/table-layout.ts';
import type { Settings } from '../settings/settings.ts';
import { addOutputs } from './outputs.ts';

const TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

/**
 * The table and the log of orders: created by the first deployment, and kept even if the function of orders is removed.
 * Without the table an order may be placed twice, and only the log says which caller asked for which order.
 */
export class OrdersTable extends Construct {
  readonly log: LogGroup;
  readonly tableName: string;
  readonly tableArn: string;
  private readonly settings: Settings;

  constructor(scope: Construct, settings: Settings) {
    super(scope, 'OrderStore');
    this.settings = settings;
    this.tableName = settings.ordersTable ?? `${settings.stackName}-orders`;
    this.tableArn = Stack.of(this).formatArn({ service: 'dynamodb', resource: 'table', resourceName: this.tableName });
    this.log = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_YEAR,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    // Shows who ordered what. Functions write these lines at every log level, before they send the order.
    new CfnQueryDefinition(scope, 'OrdersByClient', {
      name: `${settings.stackName}/orders by client`,
      logGroupNames: [this.log.logGroupName],
      queryString: [
        'fields time, client_address, client_address_verified, gateway_caller, order_id, order.token_id, order.side, order.price, order.size, request_id',
        'filter message = "order signed"',
        'sort time desc',
        'limit 500',
      ].join('\n| '),
    });
    addOutputs(scope, { OrdersTable: this.tableName, OrderLog: this.log.logGroupName });
  }

  /**
   * Adds the table after resources that often fail, since it cannot be deleted, and before `orders` use it. Its name is
   * fixed: if an earlier stack left such a table, the deployment fails instead of creating an empty one.
   */
  addTable(after: readonly IConstruct[], orders: Alias | undefined): void {
    const { keyArn, removal } = this.settings;
    const table = new Table(this, 'Table', {
      tableName: this.tableName,
      partitionKey: { name: 'idempotency_key', type: AttributeType.STRING },
      timeToLiveAttribute: 'expires_at',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(keyArn === undefined
        ? { encryption: TableEncryption.AWS_MANAGED }
        : { encryptionKey: Key.fromKeyArn(this, 'Key', keyArn) }),
      deletionProtection: removal !== 'destroy',
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const { name, keys } of Object.values(INDEXES)) {
      const [partitionKey, sortKey] = Object.entries(keys).map(([key, type]) => ({ name: key, type: TYPES[type] }));
      if (!partitionKey) throw new Error(`the index ${name} has no key`);
      const projectionType = ProjectionType.KEYS_ONLY;
      table.addGlobalSecondaryIndex({ indexName: name, partitionKey, ...(sortKey && { sortKey }), projectionType });
    }
    table.node.addDependency(...after);
    orders?.node.addDependency(table);
  }
}
