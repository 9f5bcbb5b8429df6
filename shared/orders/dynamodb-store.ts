import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  type Put,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { DAY_KEPT_MS, STORE_ATTEMPT_MS, STORE_CALL_MS } from '../limits.ts';
import {
  type DayCount,
  decodeRecord,
  type Expected,
  encodeRecord,
  holderOf,
  type OrderRecord,
  type OrderStore,
  type Written,
} from './record.ts';

/** The table of a store, and how to reach it. */
export interface DynamoDbStoreSettings {
  /** A table with the partition key `idempotency_key` (string) and time to live on `expires_at`. */
  readonly tableName: string;
  /** Region, credentials and endpoint where the environment does not give them. */
  readonly client?: DynamoDBClientConfig;
}

const storedItem = z.object({ record: z.object({ S: z.string() }) });
const storedSum = z.object({ notional_units: z.object({ N: z.string().check(z.regex(/^-?\d+$/)) }) });

/** DynamoDB's time to live counts in seconds. */
function toSeconds(timeMs: number): number {
  return Math.ceil(timeMs / 1_000);
}

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
    ...(record.state === 'finished' && { expires_at: { N: String(toSeconds(record.keepUntil)) } }),
  };
}

function readItem(item: Record<string, AttributeValue>): OrderRecord {
  return decodeRecord(storedItem.parse(item).record.S);
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

const IS_NEW: Condition = { ConditionExpression: 'attribute_not_exists(idempotency_key)' };

function conditionOf(expected: Expected): Condition {
  if (expected === 'unfinished') return { ConditionExpression: 'attribute_exists(lease_owner)' };
  if ('heldBy' in expected) {
    return {
      ConditionExpression: 'lease_owner = :holder',
      ExpressionAttributeValues: { ':holder': { S: expected.heldBy } },
    };
  }
  return {
    ConditionExpression: 'attribute_not_exists(lease_owner) AND expires_at = :end',
    ExpressionAttributeValues: { ':end': { N: String(toSeconds(expected.keptUntil)) } },
  };
}

/** No idempotency key has a control character. */
function keyOfDay(day: string): string {
  return `\u0000day ${day}`;
}

/** Adds to the sum of a day, where that does not make it too large. */
function countItem(TableName: string, { day, units, atMost }: DayCount): TransactWriteItem {
  const end = toSeconds(Date.parse(`${day}T00:00:00Z`) + DAY_KEPT_MS);
  return {
    Update: {
      TableName,
      Key: { idempotency_key: { S: keyOfDay(day) } },
      UpdateExpression: 'ADD notional_units :units SET expires_at = :end',
      ExpressionAttributeValues: {
        ':units': { N: String(units) },
        ':end': { N: String(end) },
        ...(atMost !== undefined && { ':room': { N: String(atMost - units) } }),
      },
      ...(atMost !== undefined && {
        ConditionExpression: 'attribute_not_exists(notional_units) OR notional_units <= :room',
      }),
    },
  };
}

/** Reads why a transaction was cancelled; `undefined` where another one was at work on the same items. */
function readCancellation(
  { CancellationReasons = [] }: TransactionCanceledException,
  counts: readonly DayCount[],
): Written | undefined {
  const [record, ...days] = CancellationReasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
  if (record) return 'conflict';
  const fullDay = counts.find((_, index) => days[index])?.day;
  return fullDay === undefined ? undefined : { fullDay };
}

/** Between the attempts of a transaction that met another one: all orders of a day count in one item. */
const CONFLICT_PAUSE_MS = { min: 10, max: 60 } as const;

/**
 * Keeps orders in a DynamoDB table. A new order costs one strongly consistent read and two conditional writes, with a
 * daily cap one transaction and one write, of two units each, since a record takes 1 to 2 KB. The second attempt of a write whose answer was lost is a `conflict`: the caller reads the record to see whose it is.
 */
export function createDynamoDbStore({ tableName: TableName, client: config = {} }: DynamoDbStoreSettings): OrderStore {
  const client = createClient(config);
  const get = async (key: string) => {
    const Key = { idempotency_key: { S: key } };
    const abortSignal = AbortSignal.timeout(STORE_CALL_MS);
    return (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }), { abortSignal })).Item;
  };
  const put = async (item: Put): Promise<Written> => {
    try {
      await client.send(new PutItemCommand(item), { abortSignal: AbortSignal.timeout(STORE_CALL_MS) });
      return 'written';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'conflict';
      throw error;
    }
  };
  const putAndCount = async (item: Put, counts: readonly DayCount[]): Promise<Written> => {
    const tooLarge = counts.find(({ units, atMost }) => atMost !== undefined && units > atMost);
    if (tooLarge) return { fullDay: tooLarge.day };
    const abortSignal = AbortSignal.timeout(STORE_CALL_MS);
    const TransactItems = [{ Put: item }, ...counts.map((count) => countItem(TableName, count))];
    for (;;) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }), { abortSignal });
        return 'written';
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const written = readCancellation(error, counts);
        if (written) return written;
      }
      const { min, max } = CONFLICT_PAUSE_MS;
      await sleep(min + Math.random() * (max - min), undefined, { signal: abortSignal });
    }
  };
  const write = async (key: string, record: OrderRecord, condition: Condition, counts: readonly DayCount[] = []) => {
    const item = { TableName, Item: toItem(key, record), ...condition };
    // The last day first: it is the one that is told where several are full.
    return counts.length > 0 ? putAndCount(item, counts.toReversed()) : put(item);
  };
  return {
    outlivesAnswers: false,
    read: async (key) => {
      const item = await get(key);
      return item && readItem(item);
    },
    create: (key, record, counts) => write(key, record, IS_NEW, counts),
    replace: (key, record, expected, counts) => write(key, record, conditionOf(expected), counts),
    countedOn: async (day) => {
      const item = await get(keyOfDay(day));
      return item ? BigInt(storedSum.parse(item).notional_units.N) : 0n;
    },
  };
}
