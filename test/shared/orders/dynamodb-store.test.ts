import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type AttributeValue, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../../../tools/support/dynamodb.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { finishedOrder, PLACED, unfinishedOrder, WALLET } from '../../support/orders/order-records.ts';
import { expectCounted, orderStoreContract } from '../../support/orders/order-store-contract.ts';

/** Counts the bytes of an item as DynamoDB does: of names and of values, two digits of a number a byte and one more. */
function sizeOf(item: Record<string, AttributeValue>): number {
  const bytesOf = ({ S = '', B, N }: AttributeValue) =>
    Buffer.byteLength(S) + (B?.length ?? 0) + (N === undefined ? 0 : Math.ceil(N.length / 2) + 1);
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0);
}

/** No call to a database that answers ends by these, however slow the machine is. */
const PATIENT = { call: 60_000, connect: 60_000, attempt: 60_000 };
/** The limits of a database that does not answer. */
const SHORT = { call: 500, connect: 100, attempt: 200 };

describe('orders in DynamoDB', () => {
  let db: TestDynamoDb;
  let ways: Server[];
  const openStore = (limits = PATIENT) => createDynamoDbStore({ ...db, limits });
  const readItem = async (key = 'key') => {
    const client = new DynamoDBClient(db.client);
    const { Item } = await client.send(
      new GetItemCommand({ TableName: db.tableName, Key: { idempotency_key: { S: key } }, ConsistentRead: true }),
    );
    client.destroy();
    return Item ?? {};
  };

  /** Opens a store whose first connection comes to nothing; the others reach the database. */
  const openAfter = async (first: (socket: Socket) => unknown, limits: typeof PATIENT) => {
    const { hostname, port } = new URL(String(db.client.endpoint));
    let connections = 0;
    const way = createServer((socket) => {
      socket.on('error', () => undefined);
      connections += 1;
      if (connections === 1) first(socket);
      else socket.pipe(connect(Number(port), hostname).on('error', () => socket.destroy())).pipe(socket);
    });
    ways.push(way);
    const endpoint = await listenOnLoopback(way);
    return createDynamoDbStore({ ...db, client: { ...db.client, endpoint }, limits });
  };

  beforeEach(async () => {
    ways = [];
    db = await startDynamoDb();
  });
  afterEach(async () => {
    for (const way of ways) way.close();
    await db.close();
  });

  orderStoreContract(() => [openStore(), openStore()]);

  it.each([
    ['eoa', 65, 2],
    ['deposit-wallet', 65 + 32 + 32 + 190 + 2, 3],
  ])(
    'writes an order of an account %s with a verified client and a long key, of %d bytes of signature, in %d units',
    async (_kind, bytes, units) => {
      const signature = `0x${randomBytes(bytes).toString('hex')}`;
      const record = unfinishedOrder(randomUUID(), `0x${randomBytes(32).toString('hex')}`);
      const amounts = { makerAmount: '5100000', takerAmount: '10000000', timestamp: '1795313938419', expiration: '0' };
      const codes = {
        metadata: `0x${randomBytes(32).toString('hex')}`,
        builder: `0x${randomBytes(32).toString('hex')}`,
      };
      const parties = { maker: WALLET, signer: WALLET, tokenId: record.terms.tokenId, side: 'BUY', signatureType: 0 };
      const payload = JSON.stringify({ salt: 1, ...parties, ...amounts, ...codes, signature });
      const store = openStore();
      const key = randomBytes(50).toString('hex');
      await store.write(key, { ...record, payload }, 'nothing');
      expect(sizeOf(await readItem(key))).toBeLessThanOrEqual(units * 1_024);
      await store.write(key, finishedOrder(PLACED), { version: record.lease.owner });
      expect(sizeOf(await readItem(key))).toBeLessThanOrEqual(units * 1_024);
    },
  );

  it.each([
    ['a first record', undefined, unfinishedOrder('b'), 'nothing', []],
    ['a first record with a count', undefined, unfinishedOrder('b'), 'nothing', [{ day: '2026-11-21', units: 5n }]],
    ['a final answer', unfinishedOrder('a'), finishedOrder(PLACED), { unfinished: '0xa1' }, []],
    ['a deletion', unfinishedOrder('a'), undefined, { version: 'a' }, []],
    ['a deletion with a count', unfinishedOrder('a'), undefined, { version: 'a' }, [{ day: '2026-11-21', units: -5n }]],
  ] as const)('recognises its own write after a lost answer: %s', async (_what, before, record, over, counts) => {
    if (before) await openStore().write('key', before, 'nothing');
    const { hostname, port } = new URL(String(db.client.endpoint));
    let [lost, isLosing] = [0, false];
    const way = createServer((socket) => {
      const upstream = connect(Number(port), hostname).on('error', () => socket.destroy());
      socket.on('error', () => undefined).pipe(upstream);
      upstream
        .on('close', () => socket.destroy())
        .on('data', (answer) => {
          if (!isLosing) return socket.write(answer);
          [lost, isLosing] = [lost + 1, false];
          return socket.destroy();
        });
    });
    ways.push(way);
    const endpoint = await listenOnLoopback(way);
    const store = createDynamoDbStore({ ...db, client: { ...db.client, endpoint }, limits: PATIENT });
    await store.write('first', unfinishedOrder('a'), 'nothing');
    isLosing = true;
    expect(await store.write('key', record, over, counts)).toBe('written');
    expect(lost).toBe(1);
    expect(await openStore().read('key')).toStrictEqual(record);
  });

  it('gives only a finished order an end', async () => {
    const store = openStore();
    await store.write('key', unfinishedOrder('a'), 'nothing');
    expect(Object.keys(await readItem()).sort()).toStrictEqual([
      'idempotency_key',
      'order_id',
      'record',
      'record_version',
      'signed_at',
      'signed_on',
    ]);
    await store.write('key', finishedOrder(PLACED, 1_790_090_000_001), { version: 'a' });
    const item = await readItem();
    expect(Object.keys(item).sort()).toStrictEqual([
      'expires_at',
      'idempotency_key',
      'order_id',
      'record',
      'record_version',
      'signed_at',
      'signed_on',
    ]);
    expect(item['expires_at']).toStrictEqual({ N: '1790090001' });
  });

  it('counts though other transactions are at work on the day, and gives up when they always are', async () => {
    const store = openStore();
    const count = { day: '2026-11-21', units: 5n, atMost: 9n };
    db.cancel(3);
    expect(await store.write('key', unfinishedOrder('a'), 'nothing', [count])).toBe('written');
    expect(await store.write('other', unfinishedOrder('a'), 'nothing', [count])).toStrictEqual({
      fullDay: '2026-11-21',
      scope: 'service',
    });
    await expectCounted(store, '2026-11-21', 5n);
    db.cancel(Number.POSITIVE_INFINITY);
    const other = openStore(SHORT).write('other', unfinishedOrder('a'), 'nothing', [{ ...count, atMost: 99n }]);
    await expect(other).rejects.toThrow();
  });

  it('does not repeat what no repeat would change', async () => {
    db.cancel(Number.POSITIVE_INFINITY, 'ValidationError');
    const count = { day: '2026-11-21', units: 5n, atMost: 99n };
    await expect(openStore().write('key', unfinishedOrder('a'), 'nothing', [count])).rejects.toThrow('ValidationError');
    expect(db.transactions()).toBe(1);
  });

  it('counts an order that takes a whole day, and asks for no transaction without a count', async () => {
    const store = openStore();
    const count = { day: '2026-11-21', units: 9n, atMost: 9n };
    expect(await store.write('key', unfinishedOrder('a'), 'nothing', [count])).toBe('written');
    expect(await store.write('other', unfinishedOrder('a'), 'nothing', [])).toBe('written');
    expect(db.transactions()).toBe(1);
  });

  it('fails when the table is missing', async () => {
    const store = createDynamoDbStore({ ...db, tableName: 'missing' });
    await expect(store.read('key')).rejects.toThrow();
    await expect(store.write('key', unfinishedOrder('a'), 'nothing')).rejects.toThrow();
  });

  it('fails on an item that it cannot read, instead of taking it for no record', async () => {
    const store = openStore();
    await store.write('key', { ...unfinishedOrder('a'), orderId: JSON.parse('1') }, 'nothing');
    await expect(store.read('key')).rejects.toThrow();
  });

  it('refuses a table of another version in one sentence, and takes it for no empty one', async () => {
    const put = async (Item: Record<string, AttributeValue>) => {
      const client = new DynamoDBClient(db.client);
      await client.send(new PutItemCommand({ TableName: db.tableName, Item }));
      client.destroy();
    };
    expect(await openStore().read('new')).toBeUndefined();
    await put({ idempotency_key: { S: 'of an earlier version' }, record: { S: '{"version":1}' } });
    for (const [item, whose] of [
      [{ idempotency_key: { S: 'any' } }, 'an earlier version of the service (1, not 2)'],
      [{ idempotency_key: { S: '\u0000layout' }, layout: { N: '3' } }, 'a later version of the service (3, not 2)'],
    ] as const) {
      await put(item);
      await expect(openStore().read('new')).rejects.toThrow(whose);
      await expect(openStore().write('new', unfinishedOrder('a'), 'nothing')).rejects.toThrow(whose);
    }
  });

  it('gives up when the database takes connections and says nothing', async () => {
    const silent = createServer(() => undefined);
    const endpoint = await listenOnLoopback(silent);
    const store = createDynamoDbStore({ ...db, client: { ...db.client, endpoint }, limits: SHORT });
    await expect(store.read('key')).rejects.toThrow();
    silent.close();
  });

  it('gives up when credentials of AWS do not come', async () => {
    const credentials = () => new Promise<never>(() => undefined);
    const store = createDynamoDbStore({ ...db, client: { ...db.client, credentials }, limits: SHORT });
    const record = unfinishedOrder('a');
    const asked = await Promise.allSettled([
      store.read('key'),
      store.write('key', record, 'nothing'),
      store.write('key', record, 'nothing', [{ day: '2026-11-21', units: 5n }]),
    ]);
    expect(asked.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
  });

  it.each([
    ['dies', (socket: Socket) => socket.once('data', () => socket.destroy())],
    ['says nothing', (socket: Socket) => socket.resume()],
  ])('makes a second attempt when a connection %s', async (_how, first) => {
    const store = await openAfter(first, { ...PATIENT, attempt: 3_000 });
    expect(await store.write('key', unfinishedOrder('a'), 'nothing')).toBe('written');
  });

  it('gives up when the database begins an answer and does not end it', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 9\r\n\r\n{';
    const open = () => openAfter((socket) => socket.once('data', () => socket.write(head)), SHORT);
    const [reading, writing, counting] = [await open(), await open(), await open()];
    const asked = await Promise.allSettled([
      reading.read('key'),
      writing.write('key', unfinishedOrder('a'), 'nothing'),
      counting.write('key', unfinishedOrder('a'), 'nothing', [{ day: '2026-11-21', units: 5n }]),
    ]);
    expect(asked.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
  });
});
