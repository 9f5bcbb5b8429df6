import {
  type AttributeValue,
  BatchGetItemCommand,
  DynamoDBClient,
  paginateQuery,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { type AwsRoute, awsClientOptions } from '../aws-client.ts';
import { DAY_MS, KEEP_MS } from '../limits.ts';
import { dayOf, type OrderRecords } from './order-store.ts';
import { type OrderRecord, readRecord } from './record.ts';
import { INDEX_LAG_MS, INDEXES, type Index, IndexMissingError } from './table-layout.ts';

/** One request, which reads a megabyte at most. */
const REQUEST_MS = { connect: 2_000, attempt: 10_000 } as const;
/** DynamoDB returns at most a hundred items by their keys. */
const MOST_KEYS = 100;
const AT_ONCE = 25;

type Key = Record<string, AttributeValue>;

/** Opens the records of a table. Both calls throw `IndexMissingError`. */
export function openTableRecords(TableName: string, route: AwsRoute): OrderRecords {
  const client = new DynamoDBClient(awsClientOptions(5, REQUEST_MS, route));

  async function* queryKeys(
    index: Index,
    KeyConditionExpression: string,
    ExpressionAttributeValues: QueryCommandInput['ExpressionAttributeValues'],
  ): AsyncGenerator<readonly Key[], void> {
    const query = { TableName, IndexName: index.name, KeyConditionExpression, ExpressionAttributeValues };
    try {
      for await (const { Items = [] } of paginateQuery({ client }, query)) {
        yield Items.flatMap(({ idempotency_key }) => (idempotency_key ? { idempotency_key } : []));
      }
    } catch (cause) {
      const isMissing = Error.isError(cause) && /specified index|backfilling/i.test(cause.message);
      throw isMissing ? new IndexMissingError(index, { cause }) : cause;
    }
  }

  async function* readItems(keys: readonly Key[]): AsyncGenerator<OrderRecord | undefined, void> {
    for (const left = [...keys]; left.length > 0; ) {
      const Keys = left.splice(0, MOST_KEYS);
      const projection = { ProjectionExpression: '#record', ExpressionAttributeNames: { '#record': 'record' } };
      const RequestItems = { [TableName]: { Keys, ConsistentRead: true, ...projection } };
      const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
      // Anything but a text is no record.
      for (const { record } of Responses?.[TableName] ?? []) yield readRecord(record?.S ?? '');
      const { Keys: unread = [] } = UnprocessedKeys?.[TableName] ?? {};
      if (unread.length === Keys.length) throw new Error('the table returns no items: it is over its capacity');
      left.push(...unread);
    }
  }

  async function keysOf(orderId: string): Promise<readonly Key[]> {
    const found: Key[] = [];
    for await (const keys of queryKeys(INDEXES.order, 'order_id = :id', { ':id': { S: orderId } })) found.push(...keys);
    return found;
  }

  return {
    lagMs: INDEX_LAG_MS,
    async *find(orderIds) {
      const found: Key[] = [];
      for (let from = 0; from < orderIds.length; from += AT_ONCE) {
        found.push(...(await Promise.all(orderIds.slice(from, from + AT_ONCE).map(keysOf))).flat());
        if (found.length >= MOST_KEYS) yield* readItems(found.splice(0));
      }
      yield* readItems(found);
    },
    async *list(since) {
      // The clock of the signing machine may already be in the next day.
      const last = dayOf(Date.now() + DAY_MS);
      for (let time = Math.max(since, Date.now() - KEEP_MS); dayOf(time) <= last; time += DAY_MS) {
        const values = { ':day': { S: dayOf(time) }, ':since': { N: String(Math.floor(since)) } };
        for await (const keys of queryKeys(INDEXES.signing, 'signed_on = :day AND signed_at >= :since', values)) {
          yield* readItems(keys);
        }
      }
    },
  };
}
