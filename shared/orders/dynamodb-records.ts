import { DynamoDBClient, paginateQuery, paginateScan } from '@aws-sdk/client-dynamodb';
import { type AwsRoute, awsClientOptions } from '../aws-client.ts';
import { DAY_MS, KEEP_MS } from '../limits.ts';
import { dayOf, type OrderRecords } from './order-store.ts';
import { readRecord } from './record.ts';
import { SIGNED_INDEX } from './table-layout.ts';

/** One request of a list, which reads a megabyte. */
const REQUEST_MS = { connect: 2_000, attempt: 10_000 } as const;

/** Opens the records of a table. Without the index by signing, each list reads all of them. */
export function openTableRecords(
  { tableName: TableName, hasIndex }: { readonly tableName: string; readonly hasIndex: boolean },
  route: AwsRoute,
): OrderRecords {
  const client = new DynamoDBClient(awsClientOptions(5, REQUEST_MS, route));

  async function* query(since: number): AsyncGenerator<string, void> {
    // The clock of the signing machine may already be in the next day.
    const last = dayOf(Date.now() + DAY_MS);
    for (let time = Math.max(since, Date.now() - KEEP_MS); dayOf(time) <= last; time += DAY_MS) {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          IndexName: SIGNED_INDEX.name,
          KeyConditionExpression: `${SIGNED_INDEX.day} = :day AND ${SIGNED_INDEX.time} >= :since`,
          ExpressionAttributeValues: { ':day': { S: dayOf(time) }, ':since': { N: String(Math.floor(since)) } },
        },
      );
      for await (const { Items = [] } of pages) for (const { record } of Items) yield record?.S ?? '';
    }
  }

  async function* scan(): AsyncGenerator<string, void> {
    const pages = paginateScan(
      { client },
      {
        TableName,
        ConsistentRead: true,
        // The sums of days are no records.
        FilterExpression: 'attribute_exists(#record)',
        ProjectionExpression: '#record',
        ExpressionAttributeNames: { '#record': 'record' },
      },
    );
    // Anything but a text is no record.
    for await (const { Items = [] } of pages) for (const { record } of Items) yield record?.S ?? '';
  }

  return {
    async *list(since = 0) {
      for await (const text of hasIndex && since > 0 ? query(since) : scan()) {
        const record = readRecord(text);
        if (!record || record.signedAt >= since) yield record;
      }
    },
  };
}
