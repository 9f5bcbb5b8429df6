import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { readRecords } from '../../../operator/desk/records.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import type { LimitOrder } from '../../../shared/venue/port.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { KEPT, RECORDS } from '../../support/orders/kept-store.ts';
import { expectCounted } from '../../support/orders/order-store-contract.ts';
import { DAY, endOf, notTaken, openWorld } from '../../support/orders/processes.ts';
import { collectLog } from '../../support/service/collected-log.ts';

/** What a repeat of each key gets, within a day of the last use. */
const ENDS: Readonly<Record<string, string>> = {
  leased: 'placed live 0x01',
  released: 'placed live 0x02',
  'released with an end': 'placed live 0x03',
  'answered in unknown words': 'unknown 0x04',
  placed: 'placed matched 0xa1 replayed',
  refused: 'refused 0x06 replayed',
};

async function repeatAll(store: OrderStore): Promise<void> {
  const world = openWorld();
  // The lease of a process that is gone is over.
  world.clock.now += 30_000;
  world.venue.submit = notTaken();
  for (const [key, end] of Object.entries(ENDS)) {
    const { terms, client } = RECORDS[key] ?? {};
    const order: LimitOrder | undefined = terms;
    const own = world.open({ own: store });
    expect([key, await endOf(world.place(own, key, client, order))]).toStrictEqual([key, end]);
  }
  expect(world.asked).toStrictEqual(['settle 0x01', 'settle 0x02', 'settle 0x03', 'lookUp 0x04']);
  await expectCounted(store, DAY, 10_000_000n);
}

const byId = (a: OrderRecord, b: OrderRecord) => a.orderId.localeCompare(b.orderId);

describe('a store that version 1.0.0 has written', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is listed and replayed from a file', async () => {
    const path = join(folder, 'orders.db');
    await copyFile(join(KEPT, '1.0.0.db'), path);
    const listed = await readRecords({ store: path }, (record) => record);
    expect([...listed.byId.values()].toSorted(byId)).toStrictEqual(Object.values(RECORDS).toSorted(byId));
    expect(listed.unreadable).toBe(0);
    const store = openOrderStore({ path, log: collectLog().log });
    expect(store.isNew).toBe(false);
    await repeatAll(store);
    await store.close();
  });

  it('is replayed from a table', async () => {
    const db = await startDynamoDb();
    const items: readonly Record<string, AttributeValue>[] = JSON.parse(
      await readFile(join(KEPT, '1.0.0.json'), 'utf8'),
    );
    const client = new DynamoDBClient(db.client);
    for (const Item of items) await client.send(new PutItemCommand({ TableName: db.tableName, Item }));
    client.destroy();
    await repeatAll(createDynamoDbStore(db));
    await db.close();
  });
});
