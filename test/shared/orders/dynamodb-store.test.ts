import { createServer } from 'node:net';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { STORE_CALL_MS } from '../../../shared/limits.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../../support/orders/dynamodb.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../../support/orders/order-records.ts';
import { orderStoreContract } from '../../support/orders/order-store-contract.ts';
import { listeningPort } from '../../support/service/listening-port.ts';

describe('orders in DynamoDB', () => {
  let db: TestDynamoDb;
  const openStore = () => createDynamoDbStore(db);
  const readItem = async () => {
    const client = new DynamoDBClient(db.client);
    const { Item } = await client.send(
      new GetItemCommand({ TableName: db.tableName, Key: { idempotency_key: { S: 'key' } } }),
    );
    client.destroy();
    return Item;
  };

  beforeEach(async () => {
    db = await startDynamoDb();
  });
  afterEach(() => db.close());

  orderStoreContract(() => [openStore(), openStore()]);

  it('gives only a finished order an end', async () => {
    const store = openStore();
    await store.create('key', unfinishedOrder('a'));
    expect(Object.keys((await readItem()) ?? {}).sort()).toStrictEqual(['idempotency_key', 'lease_owner', 'record']);
    await store.replace('key', finishedOrder(PLACED, 1_790_090_000_001), 'unfinished');
    const item = await readItem();
    expect(Object.keys(item ?? {}).sort()).toStrictEqual(['expires_at', 'idempotency_key', 'record']);
    expect(item?.['expires_at']).toStrictEqual({ N: '1790090001' });
  });

  it('counts though other transactions are at work on the day, and gives up in time when they always are', async () => {
    const store = openStore();
    const count = { day: '2026-11-21', units: 5n, atMost: 9n };
    db.conflict(3);
    expect(await store.create('key', unfinishedOrder('a'), count)).toBe('written');
    expect(await store.create('other', unfinishedOrder('a'), count)).toBe('above_cap');
    db.conflict(Number.POSITIVE_INFINITY);
    const startedAt = performance.now();
    await expect(store.create('other', unfinishedOrder('a'), { ...count, atMost: 99n })).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(STORE_CALL_MS + 500);
    expect(await store.countedOn('2026-11-21')).toBe(5n);
  });

  it('fails when the table is missing', async () => {
    const store = createDynamoDbStore({ ...db, tableName: 'missing' });
    await expect(store.read('key')).rejects.toThrow();
    await expect(store.create('key', unfinishedOrder('a'))).rejects.toThrow();
  });

  it('fails on an item that it cannot read, instead of taking it for no record', async () => {
    const store = openStore();
    await store.create('key', JSON.parse('{"state":"unfinished","lease":{"owner":"a"}}'));
    await expect(store.read('key')).rejects.toThrow();
  });

  it('gives up in time when the database takes connections and says nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${listeningPort(silent)}`;
    const store = createDynamoDbStore({ ...db, client: { ...db.client, endpoint } });
    const startedAt = performance.now();
    await expect(store.read('key')).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(STORE_CALL_MS + 500);
    silent.close();
  });
});
