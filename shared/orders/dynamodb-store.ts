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
import { awsClientOptions } from '../aws-client.ts';
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
  /** The time of one call, and of one attempt to connect and to get an answer. */
  readonly limits?: typeof LIMITS_MS;
}

const LIMITS_MS: { readonly call: number; readonly connect: number; readonly attempt: number } = {
  call: STORE_CALL_MS,
  ...STORE_ATTEMPT_MS,
};

const storedItem = z.object({ record: z.object({ S: z.string() }) });

/** DynamoDB's time to live counts in seconds. */
function toSeconds(timeMs: number): number {
  return Math.ceil(timeMs / 1_000);
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

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

const IS_NEW: Condition = { ConditionExpression: 'attribute_not_exists(idempotency_key)' };

function conditionOf(expected: Expected): Condition {
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

/** DynamoDB refuses a number of more than 38 digits, as a cap may have. */
const MOST_ROOM = 10n ** 37n;

/** Adds to the sum of a day, where that does not make it too large. */
function countItem(TableName: string, { day, units, atMost }: DayCount): TransactWriteItem {
  const room = atMost !== undefined && atMost - units;
  const end = toSeconds(Date.parse(`${day}T00:00:00Z`) + DAY_KEPT_MS);
  return {
    Update: {
      TableName,
      Key: { idempotency_key: { S: keyOfDay(day) } },
      UpdateExpression: 'ADD notional_units :units SET expires_at = :end',
      ExpressionAttributeValues: {
        ':units': { N: String(units) },
        ':end': { N: String(end) },
        ...(room !== false && { ':room': { N: String(room < MOST_ROOM ? room : MOST_ROOM) } }),
      },
      ...(atMost !== undefined && {
        ConditionExpression: 'attribute_not_exists(notional_units) OR notional_units <= :room',
      }),
    },
  };
}

/** First pauses by the code of a cancelled transaction that may be repeated: it met another one, or was throttled. */
const FIRST_PAUSE_MS: ReadonlyMap<string, number> = new Map([
  ['TransactionConflict', 20],
  ['ThrottlingError', 100],
  ['ProvisionedThroughputExceeded', 100],
]);

/** All orders of a day write one item: their transactions get through sooner if no pause is longer than this. */
const LONGEST_PAUSE_MS = 400;

/** Reads why a transaction was cancelled. Returns the pause in milliseconds before its first repeat; throws what no repeat would change. */
function readCancellation(error: TransactionCanceledException, counts: readonly DayCount[]): Written | number {
  const codes = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code);
  const [record, ...days] = codes.map((code) => code === 'ConditionalCheckFailed');
  if (record) return 'conflict';
  const fullDay = counts.find((_, index) => days[index])?.day;
  if (fullDay !== undefined) return { fullDay };
  const pauses = codes.filter((code) => code !== 'None').map((code) => FIRST_PAUSE_MS.get(code));
  const known = pauses.filter((pause) => pause !== undefined);
  if (known.length === 0 || known.length < pauses.length) throw error;
  return Math.max(...known);
}

/** Ends a call after its time. The SDK alone would wait for credentials of AWS for as long as they take. */
async function withinTime<T>(limitMs: number, act: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  const abortSignal = AbortSignal.timeout(limitMs);
  const { promise: late, reject } = Promise.withResolvers<never>();
  abortSignal.addEventListener('abort', () => reject(abortSignal.reason));
  return Promise.race([act(abortSignal), late]);
}

/**
 * Keeps orders in a DynamoDB table. A new order costs one strongly consistent read and two conditional writes (with a
 * daily cap, one transaction and one write) of two units each, since a record takes 1 to 2 KB. If the answer to a write
 * is lost, the second attempt is a `conflict`: the caller reads the record to see whose it is.
 */
export function createDynamoDbStore({
  tableName: TableName,
  client: config = {},
  limits = LIMITS_MS,
}: DynamoDbStoreSettings): OrderStore {
  // One attempt more than the two connections that an order opens: both die while a Lambda function is frozen.
  const client = new DynamoDBClient({ ...awsClientOptions(3, limits), ...config });
  const inTime = <T>(act: (abortSignal: AbortSignal) => Promise<T>) => withinTime(limits.call, act);
  const get = async (key: string) => {
    const command = new GetItemCommand({ TableName, Key: { idempotency_key: { S: key } }, ConsistentRead: true });
    return (await inTime((abortSignal) => client.send(command, { abortSignal }))).Item;
  };
  const put = async (item: Put): Promise<Written> => {
    try {
      await inTime((abortSignal) => client.send(new PutItemCommand(item), { abortSignal }));
      return 'written';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'conflict';
      throw error;
    }
  };
  const putAndCount = async (item: Put, counts: readonly DayCount[], abortSignal: AbortSignal): Promise<Written> => {
    const tooLarge = counts.find(({ units, atMost }) => atMost !== undefined && units > atMost);
    if (tooLarge) return { fullDay: tooLarge.day };
    const TransactItems = [{ Put: item }, ...counts.map((count) => countItem(TableName, count))];
    for (let repeats = 0; ; repeats += 1) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems }), { abortSignal });
        return 'written';
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const read = readCancellation(error, counts);
        if (typeof read !== 'number') return read;
        const longest = Math.min(read * 2 ** repeats, LONGEST_PAUSE_MS);
        // Random, so that two transactions that collided do not collide again.
        await sleep(longest * (0.5 + Math.random() / 2), undefined, { signal: abortSignal });
      }
    }
  };
  const write = async (key: string, record: OrderRecord, condition: Condition, counts: readonly DayCount[] = []) => {
    const item = { TableName, Item: toItem(key, record), ...condition };
    // The last day first: if several are full, it is the one to report.
    return counts.length > 0 ? inTime((signal) => putAndCount(item, counts.toReversed(), signal)) : put(item);
  };
  return {
    outlivesAnswers: false,
    read: async (key) => {
      const item = await get(key);
      return item && decodeRecord(storedItem.parse(item).record.S);
    },
    create: (key, record, counts) => write(key, record, IS_NEW, counts),
    replace: (key, record, expected, counts) => write(key, record, conditionOf(expected), counts),
  };
}
