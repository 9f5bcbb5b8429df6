import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { STORE_ATTEMPT_MS, STORE_CALL_MS } from '../limits.ts';
import { decodeRecord, type Expected, encodeRecord, holderOf, type OrderRecord, type OrderStore } from './record.ts';

export interface DynamoDbStoreSettings {
  /** A table with the partition key `idempotency_key` (string) and time to live on `expires_at`. */
  readonly tableName: string;
  /** Region, credentials and endpoint where the environment does not give them. */
  readonly client?: DynamoDBClientConfig;
}

const storedItem = z.object({ record: z.object({ S: z.string() }) });

function createClient(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({
    // The second attempt is for the connections that died while a Lambda function stood still.
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: STORE_ATTEMPT_MS.connect,
      requestTimeout: STORE_ATTEMPT_MS.request,
      throwOnRequestTimeout: true,
    },
    ...config,
  });
}

/** `lease_owner` is what conditions compare; `expires_at` is on finished orders alone, so no other is ever dropped. */
function toItem(key: string, record: OrderRecord): Record<string, AttributeValue> {
  const holder = holderOf(record);
  return {
    idempotency_key: { S: key },
    record: { S: encodeRecord(record) },
    ...(holder !== undefined && { lease_owner: { S: holder } }),
    ...(record.state === 'finished' && { expires_at: { N: String(Math.ceil(record.keepUntil / 1_000)) } }),
  };
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

function conditionOf(expected: Expected): Condition {
  if (expected === 'unfinished') return { ConditionExpression: 'attribute_exists(lease_owner)' };
  if (expected === 'finished') {
    return { ConditionExpression: 'attribute_exists(idempotency_key) AND attribute_not_exists(lease_owner)' };
  }
  return {
    ConditionExpression: 'lease_owner = :holder',
    ExpressionAttributeValues: { ':holder': { S: expected.heldBy } },
  };
}

/**
 * Keeps orders in a DynamoDB table. A new order costs one strongly consistent read and two conditional writes. The
 * second attempt of a write whose answer was lost is answered `false`: the caller reads the record to see whose it is.
 */
export function createDynamoDbStore({ tableName: TableName, client: config = {} }: DynamoDbStoreSettings): OrderStore {
  const client = createClient(config);
  const options = () => ({ abortSignal: AbortSignal.timeout(STORE_CALL_MS) });
  const put = async (key: string, record: OrderRecord, condition: Condition): Promise<boolean> => {
    try {
      await client.send(new PutItemCommand({ TableName, Item: toItem(key, record), ...condition }), options());
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  };
  return {
    read: async (key) => {
      const Key = { idempotency_key: { S: key } };
      const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), options());
      return Item && decodeRecord(storedItem.parse(Item).record.S);
    },
    create: (key, record) => put(key, record, { ConditionExpression: 'attribute_not_exists(idempotency_key)' }),
    replace: (key, record, expected) => put(key, record, conditionOf(expected)),
  };
}
