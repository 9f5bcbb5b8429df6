import { gunzipSync, gzipSync } from 'node:zlib';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import { type Access, DeskError } from './access.ts';
import { type FollowState, followState, newState } from './follow-state.ts';

/** Where a follower keeps what it has told: beside a file of orders, or in their table. */
export interface Place {
  load(): Promise<string | undefined> | string | undefined;
  save(text: string): Promise<void> | void;
}

/** An item has at most 400 KB. */
const PART_BYTES = 350_000;
const CALL_MS = { connect: 2_000, attempt: 10_000 } as const;

/** Keeps a compressed text in items of a table whose keys begin with `name`, in two turns: the head names the turn in force, and is written last. */
export function openTablePlace(TableName: string, name: string, route: AwsRoute): Place {
  const client = new DynamoDBClient(awsClientOptions(5, CALL_MS, route));
  const keyOf = (part: string) => ({ idempotency_key: { S: `${name}${part}` } });
  const read = async (part: string) =>
    (await client.send(new GetItemCommand({ TableName, Key: keyOf(part), ConsistentRead: true }))).Item;
  let turn = 0;
  return {
    async load() {
      const head = await read('head');
      if (!head) return undefined;
      turn = Number(head['turn']?.N);
      const parts: Uint8Array[] = [];
      for (let part = 0; part < Number(head['parts']?.N); part += 1) {
        parts.push((await read(`${turn} ${part}`))?.['text']?.B ?? new Uint8Array());
      }
      return gunzipSync(Buffer.concat(parts)).toString();
    },
    async save(text) {
      const [bytes, next] = [gzipSync(text), 1 - turn];
      const parts = Math.ceil(bytes.length / PART_BYTES);
      const write = (part: string, members: Record<string, { N: string } | { B: Uint8Array }>) =>
        client.send(new PutItemCommand({ TableName, Item: { ...keyOf(part), ...members } }));
      for (let part = 0; part < parts; part += 1) {
        const B = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
        await write(`${next} ${part}`, { text: { B } });
      }
      await write('head', { turn: { N: String(next) }, parts: { N: String(parts) } });
      turn = next;
    },
  };
}

/** Loads the state of a follower, or makes one that begins now. `since` begins anew. Throws `DeskError` for another account's. */
export async function loadState(
  { address, clobUrl }: Access,
  place: Place,
  now: number,
  since?: number,
): Promise<FollowState> {
  const account = `${address.toLowerCase()} ${new URL(clobUrl).host}`;
  let text: string | undefined;
  try {
    text = await place.load();
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : 'unknown';
    throw new DeskError(`What was told before cannot be read (${why}).`, { cause });
  }
  if (text === undefined || since !== undefined) return newState(account, since ?? now);
  const { data } = followState.safeParse(JSON.parse(text));
  if (!data)
    throw new DeskError('What was told before cannot be read: it is of another version. Begin anew with --since.');
  if (data.account !== account) {
    throw new DeskError(`What was told before is of another account (${data.account}): begin anew with --since.`);
  }
  return data;
}
