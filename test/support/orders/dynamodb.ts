import { once } from 'node:events';
import { CreateTableCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { listeningPort } from '../service/listening-port.ts';

export interface TestDynamoDb {
  readonly client: DynamoDBClientConfig;
  readonly tableName: string;
  close(): Promise<void>;
}

/** A second implementation of DynamoDB's protocol on a socket, in memory, with an empty table for orders. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const server = dynalite({ createTableMs: 0 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = {
    endpoint: `http://127.0.0.1:${listeningPort(server)}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const admin = new DynamoDBClient(client);
  await admin.send(
    new CreateTableCommand({
      TableName: 'orders',
      AttributeDefinitions: [{ AttributeName: 'idempotency_key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'idempotency_key', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  admin.destroy();
  return {
    client,
    tableName: 'orders',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
