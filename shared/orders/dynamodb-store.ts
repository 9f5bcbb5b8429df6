import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { type AwsRoute, awsClientOptions } from '../aws-client.ts';
import { DAY_KEPT_MS, STORE_ATTEMPT_MS, STORE_CALL_MS } from '../limits.ts';
import { type DayCount, dayOf, fullBy, type OrderStore, type Over, sumName, type Written } from './order-store.ts';
import { decodeRecord, encodeRecord, type OrderRecord, versionOf } from './record.ts';

export interface DynamoDbStoreSettings extends AwsRoute {
  /** A table with the partition key `idempotency_key` (string) and time to live on `expires_at`. */
  readonly tableName: string;
  readonly client?: DynamoDBClientConfig;
  readonly limits?: Readonly<Record<keyof typeof LIMITS_MS, number>>;
}

const LIMITS_MS = { call: STORE_CALL_MS, ...STORE_ATTEMPT_MS };

type Item = Record<string, AttributeValue>;

const storedItem = z.object({ record: z.object({ S: z.string() }) });

function textIn(item: Item | undefined): string | undefined {
  return item && storedItem.parse(item).record.S;
}

/** DynamoDB's time to live counts in seconds. */
function toSeconds(timeMs: number): { readonly N: string } {
  return { N: String(Math.ceil(timeMs / 1_000)) };
}

/** Conditions compare `record_version` and `order_id`; the indexes are by `order_id` and by both of `signed_…`. Only finished orders have `expires_at`: DynamoDB drops no others. */
function toItem(key: string, record: OrderRecord): Item {
  return {
    idempotency_key: { S: key },
    record: { S: encodeRecord(record) },
    record_version: { S: versionOf(record) },
    order_id: { S: record.orderId },
    signed_on: { S: dayOf(record.signedAt) },
    signed_at: { N: String(record.signedAt) },
    ...(record.state === 'finished' && { expires_at: toSeconds(record.keepUntil) }),
  };
}

/** Returns the condition on the item that a write replaces. The answer to one that is not met has that item. */
function conditionOf(over: Over) {
  const ReturnValuesOnConditionCheckFailure = 'ALL_OLD' as const;
  if (over === 'nothing') {
    return { ConditionExpression: 'attribute_not_exists(idempotency_key)', ReturnValuesOnConditionCheckFailure };
  }
  const [ConditionExpression, S] =
    'version' in over
      ? ['record_version = :is', over.version]
      : ['order_id = :is AND attribute_not_exists(expires_at)', over.unfinished];
  return { ConditionExpression, ExpressionAttributeValues: { ':is': { S } }, ReturnValuesOnConditionCheckFailure };
}

/** Adds to the sum of a day unless it would be too large. No idempotency key has a control character. */
function countItem(TableName: string, count: DayCount): TransactWriteItem {
  const { day, units, atMost } = count;
  const hasRoom = 'attribute_not_exists(notional_units) OR notional_units <= :room';
  return {
    Update: {
      TableName,
      Key: { idempotency_key: { S: `\u0000day ${sumName(count)}` } },
      UpdateExpression: 'ADD notional_units :units SET expires_at = :end',
      ConditionExpression: atMost === undefined ? undefined : hasRoom,
      ExpressionAttributeValues: {
        ':units': { N: String(units) },
        ':end': toSeconds(Date.parse(`${day}T00:00:00Z`) + DAY_KEPT_MS),
        ...(atMost !== undefined && { ':room': { N: String(atMost - units) } }),
      },
    },
  };
}

/** First pauses by the code of a cancelled transaction that may be repeated: it met another one, or was throttled. */
const FIRST_PAUSE_MS: ReadonlyMap<string, number> = new Map([
  ['None', 0],
  ['TransactionConflict', 20],
  ['ThrottlingError', 100],
  ['ProvisionedThroughputExceeded', 100],
]);

/** All orders of a day write one item: with shorter pauses their transactions get through sooner. */
const LONGEST_PAUSE_MS = 400;

/** Returns the pause before a cancelled transaction is repeated; `undefined` where no repeat would change anything. */
function pauseBefore(reasons: readonly CancellationReason[], repeats: number): number | undefined {
  let first = 0;
  for (const { Code = 'None' } of reasons) {
    const pause = FIRST_PAUSE_MS.get(Code);
    if (pause === undefined) return undefined;
    first = Math.max(first, pause);
  }
  if (first === 0) return undefined;
  // Random, so that two transactions that collided do not collide again.
  return Math.min(first * 2 ** repeats, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

/** Ends a call after its time: the SDK itself sets no limit to the search for AWS credentials. */
async function withinTime<T>(limitMs: number, act: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  const abortSignal = AbortSignal.timeout(limitMs);
  const { promise: late, reject } = Promise.withResolvers<never>();
  abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
  return Promise.race([act(abortSignal), late]);
}

/**
 * Keeps orders in a DynamoDB table. A new order costs one strongly consistent read and two conditional writes, with a daily
 * cap a transaction and a write. After a lost answer the SDK repeats a write, and finds its own record.
 */
export function createDynamoDbStore({
  tableName: TableName,
  client: config = {},
  limits = LIMITS_MS,
  ...route
}: DynamoDbStoreSettings): OrderStore {
  // One attempt more than the two connections that an order opens: both die while a Lambda function is frozen.
  const client = new DynamoDBClient({ ...awsClientOptions(3, limits, route), ...config });

  async function send(change: TransactWriteItem, counts: readonly DayCount[], abortSignal: AbortSignal): Promise<void> {
    const { Put, Delete } = change;
    const TransactItems = [change, ...counts.map((count) => countItem(TableName, count))];
    if (counts.length > 0) await client.send(new TransactWriteItemsCommand({ TransactItems }), { abortSignal });
    else if (Put) await client.send(new PutItemCommand(Put), { abortSignal });
    else if (Delete) await client.send(new DeleteItemCommand(Delete), { abortSignal });
  }

  return {
    read: async (key) => {
      const command = new GetItemCommand({ TableName, Key: { idempotency_key: { S: key } }, ConsistentRead: true });
      const { Item } = await withinTime(limits.call, (abortSignal) => client.send(command, { abortSignal }));
      const text = textIn(Item);
      return text === undefined ? undefined : decodeRecord(text);
    },
    write: (key, record, over, counts = []) =>
      withinTime(limits.call, async (abortSignal) => {
        const tooLarge = counts.find(({ units, atMost }) => atMost !== undefined && units > atMost);
        if (tooLarge) return fullBy(tooLarge);
        const place = { TableName, ...conditionOf(over) };
        const change = record
          ? { Put: { ...place, Item: toItem(key, record) } }
          : { Delete: { ...place, Key: { idempotency_key: { S: key } } } };
        const insteadOf = (item: Item | undefined): Written => {
          const text = textIn(item);
          if (text === (record && encodeRecord(record))) return 'written';
          return { standing: text === undefined ? undefined : decodeRecord(text) };
        };
        for (let repeats = 0; ; repeats += 1) {
          try {
            await send(change, counts, abortSignal);
            return 'written';
          } catch (error) {
            if (error instanceof ConditionalCheckFailedException) return insteadOf(error.Item);
            if (!(error instanceof TransactionCanceledException)) throw error;
            const reasons = error.CancellationReasons ?? [];
            const isUnmet = ({ Code }: CancellationReason = {}) => Code === 'ConditionalCheckFailed';
            if (isUnmet(reasons[0])) return insteadOf(reasons[0]?.Item);
            const full = counts.find((_, index) => isUnmet(reasons[index + 1]));
            if (full) return fullBy(full);
            const pause = pauseBefore(reasons, repeats);
            if (pause === undefined) throw error;
            await sleep(pause, undefined, { signal: abortSignal });
          }
        }
      }),
  };
}
