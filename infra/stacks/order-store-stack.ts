import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Names } from '../constructs/names.ts';

export interface OrderStoreStackProps extends StackProps {
  readonly names: Names;
  /** A restored table to go on with; by default this stack creates its own. */
  readonly ordersTable: string | undefined;
}

/**
 * Remembers orders: made once, and kept whatever becomes of the functions. Without the table an order may be placed twice,
 * and the log is the one place that says which caller asked for which order.
 */
export class OrderStoreStack extends Stack {
  constructor(scope: Construct, id: string, { names, ordersTable, ...props }: OrderStoreStackProps) {
    super(scope, id, { ...props, terminationProtection: true });
    const log = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_YEAR,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    if (ordersTable === undefined) this.addTable(names.ordersTable, log);
    // An export cannot change while orders import it: a deploy without `ordersTable` is refused, and forgets no key.
    new CfnOutput(this, 'OrdersTable', {
      value: ordersTable ?? names.ordersTable,
      description: 'Idempotency keys with their orders',
      exportName: names.exports.ordersTable,
    });
    new CfnOutput(this, 'OrderLog', { value: log.logGroupName, exportName: names.exports.orderLog });
  }

  /**
   * Adds the table. Its name is fixed: where such a table was left behind, CloudFormation says so rather than make an
   * empty one.
   */
  private addTable(tableName: string, log: LogGroup): void {
    const table = new Table(this, 'Table', {
      tableName,
      partitionKey: { name: 'idempotency_key', type: AttributeType.STRING },
      timeToLiveAttribute: 'expires_at',
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // Last, so that no first deployment can fail after it is there: nothing may delete it again.
    table.node.addDependency(log);
  }
}
