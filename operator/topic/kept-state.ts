import { gunzipSync, gzipSync } from 'node:zlib';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import { TOPIC_STATE } from '../../shared/orders/table-layout.ts';
import type { SavedState } from '../follow/state.ts';

/** An item has at most 400 KB: some 9,000 orders fit. */
const MOST_BYTES = 350_000;
const CALL_MS = { connect: 2_000, attempt: 10_000 } as const;

/** Returns the text of a state; empty for a damaged one. */
function textOf(bytes: Uint8Array = new Uint8Array()): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return '';
  }
}

/** Opens the state of the topic's follower: one compressed item of the table for each wallet and venue. */
export function openKeptState(TableName: string, account: string, route: AwsRoute) {
  const client = new DynamoDBClient(awsClientOptions(5, CALL_MS, route));
  const Key = { idempotency_key: { S: TOPIC_STATE + account } };
  return {
    async load(): Promise<SavedState | undefined> {
      const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
      if (!Item) return undefined;
      return { revision: Number(Item['turn']?.N), text: textOf(Item['state']?.B) };
    },
    /** Saves a state over the one that was loaded. Returns false if another run has saved meanwhile. */
    async save({ revision, text }: SavedState, over: SavedState | undefined): Promise<boolean> {
      const B = gzipSync(text);
      if (B.length > MOST_BYTES) {
        throw new Error(
          `The follower's state does not fit in an item of the table (${B.length} of ${MOST_BYTES} bytes): too many orders rest or wait for their settlement.`,
        );
      }
      const condition = over
        ? { ConditionExpression: 'turn = :turn', ExpressionAttributeValues: { ':turn': { N: String(over.revision) } } }
        : { ConditionExpression: 'attribute_not_exists(turn)' };
      const Item = { ...Key, turn: { N: String(revision) }, state: { B } };
      try {
        await client.send(new PutItemCommand({ TableName, Item, ...condition }));
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    },
  };
}
