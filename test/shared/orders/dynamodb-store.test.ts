import { connect, createServer, type Server, type Socket } from 'node:net';
import { type AttributeValue, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTableRecords } from '../../../shared/orders/dynamodb-records.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { INDEXES } from '../../../shared/orders/table-layout.ts';
import { createOrdersTable, startDynamoDb, type TestDynamoDb } from '../../../tools/support/dynamodb.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../../support/orders/order-records.ts';
import { collected, idOf, orderRecordsContract, placedOrder } from '../../support/orders/order-records-contract.ts';
import { expectCounted, orderStoreContract } from '../../support/orders/order-store-contract.ts';

/** Counts the bytes of an item as DynamoDB does: of names and of values, two digits of a number a byte and one more. */
function sizeOf(item: Record<string, AttributeValue>): number {
  const bytesOf = ({ S = '', N }: AttributeValue) =>
    Buffer.byteLength(S) + (N === undefined ? 0 : Math.ceil(N.length / 2) + 1);
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0);
}

/** No call to a database that answers ends by these, however slow the machine is. */
const PATIENT = { call: 60_000, connect: 60_000, attempt: 60_000 };
/** The limits of a database that does not answer. */
const SHORT = { call: 500, connect: 100, attempt: 200 };

const DAY = '2026-11-21';
const COUNT = { day: DAY, units: 5n, atMost: 9n };
const A = unfinishedOrder('a');

describe('orders in DynamoDB', () => {
  let db: TestDynamoDb;
  let ways: Server[];
  const openStore = (limits = PATIENT, client: TestDynamoDb['client'] = {}) =>
    createDynamoDbStore({ ...db, client: { ...db.client, ...client }, limits });
  const withClient = async <T>(act: (client: DynamoDBClient) => Promise<T>): Promise<T> => {
    const client = new DynamoDBClient(db.client);
    return act(client).finally(() => client.destroy());
  };
  const openRecords = (tableName = db.tableName) => {
    Object.assign(process.env, {
      ...{ AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint), AWS_REGION: 'eu-west-1' },
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    });
    return openTableRecords(tableName, {});
  };
  const put = (Item: Record<string, AttributeValue>) =>
    withClient((client) => client.send(new PutItemCommand({ TableName: db.tableName, Item })));
  const readItem = async () => {
    const Key = { idempotency_key: { S: 'key' } };
    const command = new GetItemCommand({ TableName: db.tableName, Key, ConsistentRead: true });
    return (await withClient((client) => client.send(command))).Item ?? {};
  };

  /** Opens a store on a way to the database, on which `meet` decides over each connection, the first of which is 1. */
  const openOnWay = async (
    meet: (socket: Socket, upstream: () => Socket, index: number) => unknown,
    limits = PATIENT,
  ) => {
    const { hostname, port } = new URL(String(db.client.endpoint));
    let connections = 0;
    const way = createServer((socket) => {
      socket.on('error', () => undefined);
      connections += 1;
      const upstream = () => connect(Number(port), hostname).on('error', () => socket.destroy());
      meet(socket, upstream, connections);
    });
    ways.push(way);
    return openStore(limits, { endpoint: await listenOnLoopback(way) });
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
  orderRecordsContract(() => [openStore(), openRecords()]);

  it('reads records in a consistent read by their keys, a hundred at a time, and never the whole table', async () => {
    const store = openStore();
    for (let number = 0; number < 130; number += 1) await store.write(`key-${number}`, placedOrder(number), 'nothing');
    db.asked();
    const ids = Array.from({ length: 130 }, (_, number) => idOf(number));
    expect(await collected(openRecords().find(ids))).toHaveLength(130);
    const asked = db.asked();
    expect(new Set(asked)).toStrictEqual(new Set(['Query', 'BatchGetItem']));
    expect(asked.filter((operation) => operation === 'BatchGetItem')).toHaveLength(2);
  });

  it.each(['find', 'list'] as const)(
    '%s reads the items that a batch left out, and yields a damaged one',
    async (how) => {
      await openStore().write('key', placedOrder(1, Date.now()), 'nothing');
      const { signed_on = { S: '' }, signed_at = { S: '' } } = await readItem();
      await put({ idempotency_key: { S: 'odd' }, record: { S: '{}' }, order_id: { S: idOf(2) }, signed_on, signed_at });
      const ask = () => {
        const records = openRecords();
        return collected(how === 'find' ? records.find([idOf(1), idOf(2)]) : records.list(Date.now() - 60_000));
      };
      db.leaveOut(1);
      expect(await ask()).toMatchObject([{ orderId: idOf(1) }, undefined]);
      db.leaveOut(2);
      await expect(ask()).rejects.toThrow('the table returns no items: it is over its capacity');
    },
  );

  it.each([
    ['by-order', [INDEXES.signing], idOf(1)],
    ['by-signing', [INDEXES.order], Date.now()],
  ] as const)('names the index that is missing: %s', async (name, indexes, asked) => {
    await createOrdersTable(db.client, 'other', indexes);
    const records = openRecords('other');
    const read = collected(typeof asked === 'string' ? records.find([asked]) : records.list(asked));
    await expect(read).rejects.toThrow(`its index ${name} is missing or not ready: npm run doctor tells how to add it`);
  });

  it('writes an order of an account eoa with a verified client in two units, and gives only a finished one an end', async () => {
    const store = openStore();
    // As long as a real one.
    await store.write('key', { ...A, orderId: `0x${'ab'.repeat(32)}`, payload: 'x'.repeat(900) }, 'nothing');
    const unfinished = await readItem();
    const names = ['idempotency_key', 'order_id', 'record', 'record_version', 'signed_at', 'signed_on'];
    expect(Object.keys(unfinished).toSorted()).toStrictEqual(names);
    await store.write('key', finishedOrder(PLACED, 1_790_090_000_001), { version: 'a' });
    const finished = await readItem();
    expect(Object.keys(finished).toSorted()).toStrictEqual(['expires_at', ...names]);
    expect(finished['expires_at']).toStrictEqual({ N: '1790090001' });
    for (const item of [unfinished, finished]) expect(sizeOf(item)).toBeLessThanOrEqual(2 * 1_024);
  });

  it.each([
    ['a first record', undefined, unfinishedOrder('b'), 'nothing', []],
    ['a first record with a count', undefined, unfinishedOrder('b'), 'nothing', [{ day: DAY, units: 5n }]],
    ['a final answer', A, finishedOrder(PLACED), { unfinished: '0xa1' }, []],
    ['a deletion', A, undefined, { version: 'a' }, []],
    ['a deletion with a count', A, undefined, { version: 'a' }, [{ day: DAY, units: -5n }]],
  ] as const)('recognises its own write after a lost answer: %s', async (_what, before, record, over, counts) => {
    if (before) await openStore().write('key', before, 'nothing');
    let [lost, isLosing] = [0, false];
    const store = await openOnWay((socket, upstream) => {
      const database = upstream();
      socket.pipe(database);
      database
        .on('close', () => socket.destroy())
        .on('data', (answer) => {
          if (!isLosing) return socket.write(answer);
          [lost, isLosing] = [lost + 1, false];
          return socket.destroy();
        });
    });
    await store.write('first', A, 'nothing');
    isLosing = true;
    expect(await store.write('key', record, over, counts)).toBe('written');
    expect(lost).toBe(1);
    expect(await openStore().read('key')).toStrictEqual(record);
  });

  it('retries a count that meets another transaction, and gives up if that continues', async () => {
    const store = openStore();
    expect(await store.write('free', A, 'nothing', [])).toBe('written');
    expect(db.transactions()).toBe(0);
    db.cancel(3);
    expect(await store.write('key', A, 'nothing', [COUNT])).toBe('written');
    expect(await store.write('other', A, 'nothing', [COUNT])).toStrictEqual({ fullDay: DAY, scope: 'service' });
    await expectCounted(store, DAY, 5n);
    db.cancel(Number.POSITIVE_INFINITY);
    await expect(openStore(SHORT).write('other', A, 'nothing', [{ ...COUNT, atMost: 99n }])).rejects.toThrow();
  });

  it.each(['ValidationError', 'None'])('does not repeat a permanent failure: %s', async (code) => {
    db.cancel(Number.POSITIVE_INFINITY, code);
    await expect(openStore().write('key', A, 'nothing', [COUNT])).rejects.toThrow(code);
    expect(db.transactions()).toBe(1);
  });

  it('fails on an item that it cannot read, instead of treating it as absent', async () => {
    const store = openStore();
    await store.write('key', { ...A, orderId: JSON.parse('1') }, 'nothing');
    await expect(store.read('key')).rejects.toThrow();
  });

  it.each([
    [1, 'an earlier version of the service (1, not 2)'],
    [3, 'a later version of the service (3, not 2)'],
  ])('never treats a record of version %i as absent', async (version, whose) => {
    await put({ idempotency_key: { S: 'key' }, record: { S: JSON.stringify({ version }) } });
    await expect(openStore().read('key')).rejects.toThrow(whose);
    await expect(openStore().write('key', A, 'nothing')).rejects.toThrow(whose);
    await expect(openStore().write('key', A, 'nothing', [COUNT])).rejects.toThrow(whose);
    expect(await openStore().write('new', A, 'nothing')).toBe('written');
  });

  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: 9\r\n\r\n{';
  const ENDLESS: readonly (readonly [string, () => Promise<OrderStore>])[] = [
    ['the table is missing', async () => createDynamoDbStore({ ...db, tableName: 'missing', limits: PATIENT })],
    ['the database says nothing', () => openOnWay((socket) => socket.resume(), SHORT)],
    [
      'the database begins an answer and does not end it',
      () => openOnWay((socket) => socket.once('data', () => socket.write(HEAD)), SHORT),
    ],
    [
      'credentials of AWS do not come',
      async () => openStore(SHORT, { credentials: () => new Promise<never>(() => undefined) }),
    ],
  ];
  it.each(ENDLESS)('fails when %s', async (_why, open) => {
    const asked = await Promise.allSettled([
      (await open()).read('key'),
      (await open()).write('key', A, 'nothing'),
      (await open()).write('key', A, 'nothing', [COUNT]),
    ]);
    expect(asked.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
  });

  it.each([
    ['dies', (socket: Socket) => socket.once('data', () => socket.destroy())],
    ['says nothing', (socket: Socket) => socket.resume()],
  ])('makes a second attempt when a connection %s', async (_how, first) => {
    const store = await openOnWay(
      (socket, upstream, index) => (index === 1 ? first(socket) : socket.pipe(upstream()).pipe(socket)),
      { ...PATIENT, attempt: 1_500 },
    );
    expect(await store.write('key', A, 'nothing')).toBe('written');
  });
});
