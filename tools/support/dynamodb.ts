import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { z } from 'zod';
import { INDEXES, type Index } from '../../shared/orders/table-layout.ts';
import { listenOnLoopback, shut } from './loopback.ts';

/** A DynamoDB on this machine. */
export interface TestDynamoDb {
  readonly client: DynamoDBClientConfig;
  readonly tableName: string;
  /** Cancels so many transactions: others are at work on the same items, or what other codes say of one write each. */
  cancel(transactions: number, ...codes: readonly string[]): void;
  /** Counts the transactions that were asked for. */
  transactions(): number;
  /** Makes the indexes late: their queries show nothing so many times. */
  hideIndexes(queries: number): void;
  /** Leaves so many keys of the next batch of reads unprocessed. */
  leaveOut(keys: number): void;
  /** Returns the operations that were asked for since the last call. */
  asked(): readonly string[];
  close(): Promise<void>;
}

const ERROR = 'com.amazonaws.dynamodb.v20120810#';
const item = z.record(z.string(), z.unknown());
const writeOf = z.looseObject({
  TableName: z.string(),
  Key: item.optional(),
  Item: item.optional(),
  ReturnValuesOnConditionCheckFailure: z.literal('ALL_OLD').optional(),
});
const KINDS = ['Put', 'Delete', 'Update'] as const;
const transaction = z.object({ TransactItems: z.array(z.partialRecord(z.enum(KINDS), writeOf)) });
const withItem = z.looseObject({ Item: item.optional() });

const batch = z.object({ RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })) });

interface Answer {
  readonly status: number;
  readonly body: string;
}

type Ask = (operation: string, body: string) => Promise<Answer>;

function cancelled(codes: readonly string[], failedAt?: number, standing?: unknown): Answer {
  const CancellationReasons = codes.map((Code, index) => ({
    Code,
    ...(index === failedAt && standing !== undefined && { Item: standing }),
  }));
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`;
  const body = JSON.stringify({ __type: `${ERROR}TransactionCanceledException`, message, CancellationReasons });
  return { status: 400, body };
}

const read = z.object({ ConsistentRead: z.optional(z.boolean()) });

/** Returns true for a consistent read, which shows every write before it. Here, any other read shows none of them. */
function isConsistent(body: string): boolean {
  return read.parse(JSON.parse(body)).ConsistentRead === true;
}

/** Returns the item of a write as it stands, if there is one. */
async function standing(ask: Ask, { TableName, Key, Item }: z.infer<typeof writeOf>) {
  const found = { TableName, Key: { idempotency_key: (Key ?? Item)?.['idempotency_key'] } };
  const { body } = await ask('GetItem', JSON.stringify({ ...found, ConsistentRead: true }));
  return { ...found, Item: withItem.parse(JSON.parse(body)).Item };
}

/** Makes a conditional write; a failure has the item that stands, if it was asked for. */
async function write(ask: Ask, operation: string, body: string): Promise<Answer> {
  const { ReturnValuesOnConditionCheckFailure: wanted, ...rest } = writeOf.parse(JSON.parse(body));
  const answer = await ask(operation, JSON.stringify(rest));
  if (!wanted || !answer.body.includes('ConditionalCheckFailed')) return answer;
  const { Item } = await standing(ask, rest);
  return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...(Item && { Item }) }) };
}

/** Makes the writes one after the other, and undoes those before one that fails. Nobody else writes meanwhile. */
async function transact(ask: Ask, body: string): Promise<Answer> {
  const undo: (() => Promise<Answer>)[] = [];
  const { TransactItems } = transaction.parse(JSON.parse(body));
  const changes = TransactItems.flatMap((change) => Object.entries(change));
  for (const [index, [kind, asked]] of changes.entries()) {
    const { TableName, Key, Item } = await standing(ask, asked);
    const written = await write(ask, `${kind}Item`, JSON.stringify(asked));
    if (written.status !== 200) {
      for (const step of undo.reverse()) await step();
      if (!written.body.includes('ConditionalCheckFailed')) return written;
      const codes = changes.map((_, other) => (other === index ? 'ConditionalCheckFailed' : 'None'));
      return cancelled(codes, index, withItem.parse(JSON.parse(written.body)).Item);
    }
    const [operation, before] = Item ? ['PutItem', { TableName, Item }] : ['DeleteItem', { TableName, Key }];
    undo.push(() => ask(`${operation}`, JSON.stringify(before)));
  }
  return { status: 200, body: '{}' };
}

/** Reads a batch of keys, but not the last ones, which stay unprocessed. */
async function readBatch(ask: Ask, body: string, unprocessed: number): Promise<Answer> {
  const [[table, { Keys, ...how }] = ['', { Keys: [] }]] = Object.entries(batch.parse(JSON.parse(body)).RequestItems);
  const first = Keys.splice(0, Keys.length - unprocessed);
  const read =
    first.length > 0 &&
    (await ask('BatchGetItem', JSON.stringify({ RequestItems: { [table]: { ...how, Keys: first } } })));
  const answer = read ? JSON.parse(read.body) : { Responses: {} };
  return { status: 200, body: JSON.stringify({ ...answer, UnprocessedKeys: { [table]: { ...how, Keys } } }) };
}

/** Adds transactions to a server that has none: every request passes here, one after the other. */
function withTransactions(
  url: string,
  codesOfCancelled: () => readonly string[] | undefined,
  isHidden: (operation: string) => boolean,
  unprocessed: () => number,
): Server {
  let last: Promise<unknown> = Promise.resolve();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'POST', url: path = '/' } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === 'string' && !/^(?:host|connection|content-length|expect)$/.test(name) ? [[name, value]] : [],
      ),
    );
    const body = await text(request);
    const forward = async (operation: string, sent: string): Promise<Answer> => {
      const target = `DynamoDB_20120810.${operation}`;
      const answer = await fetch(url + path, { method, headers: { ...headers, 'x-amz-target': target }, body: sent });
      return { status: answer.status, body: await answer.text() };
    };
    const operation = String(headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const act = () => {
      if (isHidden(operation)) return Promise.resolve({ status: 200, body: '{"Items":[]}' });
      const isBatch = operation === 'BatchGetItem';
      if (isBatch && !body.includes('"ConsistentRead":true')) return Promise.resolve({ status: 200, body: '{}' });
      const left = isBatch ? unprocessed() : 0;
      if (left > 0) return readBatch(forward, body, left);
      if (operation === 'GetItem' && !isConsistent(body)) return Promise.resolve({ status: 200, body: '{}' });
      if (operation === 'PutItem' || operation === 'DeleteItem') return write(forward, operation, body);
      if (operation !== 'TransactWriteItems') return forward(operation, body);
      const codes = codesOfCancelled();
      return codes ? Promise.resolve(cancelled(['None', ...codes])) : transact(forward, body);
    };
    const turn = last.then(act, act);
    last = turn.catch(() => undefined);
    const { status, body: answered } = await turn;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(answered);
  };
  // A client that was killed leaves half a request.
  return createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
}

/** Creates a table for orders, with these indexes. */
export async function createOrdersTable(
  client: DynamoDBClientConfig,
  TableName: string,
  indexes: readonly Index[] = Object.values(INDEXES),
): Promise<void> {
  const admin = new DynamoDBClient(client);
  const types = Object.assign({ idempotency_key: 'S' }, ...indexes.map(({ keys }) => keys));
  const schemaOf = (keys: object) =>
    Object.keys(keys).map(
      (AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' }) as const,
    );
  const all = indexes.map(({ name: IndexName, keys }) => ({
    IndexName,
    KeySchema: schemaOf(keys),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }));
  await admin.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: Object.entries(types).map(([AttributeName, type]) => ({
        AttributeName,
        AttributeType: type === 'N' ? 'N' : 'S',
      })),
      KeySchema: schemaOf({ idempotency_key: 'S' }),
      BillingMode: 'PAY_PER_REQUEST',
      ...(all.length > 0 && { GlobalSecondaryIndexes: all }),
    }),
  );
  admin.destroy();
}

/** A second implementation of DynamoDB's protocol on a socket, in memory, with an empty table for orders. */
export async function startDynamoDb(): Promise<TestDynamoDb> {
  const plain = dynalite({ createTableMs: 0 });
  // The client closes connections: one that the server closes at the same moment would lose a request.
  plain.keepAliveTimeout = 0;
  let [asked, left] = [0, 0];
  let codesOf: readonly string[] = [];
  let hidden = 0;
  const operations: string[] = [];
  const unprocessed: number[] = [];
  const server = withTransactions(
    await listenOnLoopback(plain),
    () => {
      asked += 1;
      left -= 1;
      return left >= 0 ? codesOf : undefined;
    },
    (operation) => {
      operations.push(operation);
      if (operation === 'Query') hidden -= 1;
      return operation === 'Query' && hidden >= 0;
    },
    () => unprocessed.splice(0)[0] ?? 0,
  );
  const client = {
    endpoint: await listenOnLoopback(server),
    region: 'eu-west-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  await createOrdersTable(client, 'orders');
  return {
    client,
    tableName: 'orders',
    cancel: (transactions, ...codes) => {
      [left, codesOf] = [transactions, codes.length > 0 ? codes : ['TransactionConflict']];
    },
    transactions: () => asked,
    hideIndexes: (queries) => {
      hidden = queries;
    },
    leaveOut: (keys) => void unprocessed.push(keys),
    asked: () => operations.splice(0),
    close: async () => {
      await shut(server);
      await shut(plain);
    },
  };
}
