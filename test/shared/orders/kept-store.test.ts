import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openOrderStore } from '../../../local/file-store/store.ts';
import { openAccountRecords } from '../../../operator/account/records.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { type OrderRecord, versionOf } from '../../../shared/orders/record.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from '../../support/orders/order-records.ts';
import { expectCounted } from '../../support/orders/order-store-contract.ts';

/** A file and the items of a table that version 1.0.0 has written with `RECORDS`. */
const KEPT = join(import.meta.dirname, '../../support/orders/kept-stores');

const DAY = '2026-09-21';
const RELEASED = { owner: 'released', until: 0 } as const;
const open = (id: string) => unfinishedOrder(`lease of ${id}`, id);

/** A record in every state, by its key; without the header `Idempotency-Key` a key begins with `once`. */
const RECORDS: Readonly<Record<string, OrderRecord>> = {
  leased: { ...open('0x01'), countedOn: DAY, caller: 'arn:aws:iam::123456789012:user/trader' },
  released: { ...open('0x02'), lease: RELEASED },
  'released with an end': {
    ...{ ...open('0x03'), lease: RELEASED },
    terms: { ...open('0x03').terms, expiresAt: 1_790_000_600_000 },
  },
  'answered in unknown words': { ...open('0x04'), lease: RELEASED, venueReason: 'accepted for processing' },
  placed: { ...finishedOrder(PLACED), countedOn: DAY },
  refused: { ...finishedOrder(REFUSED), orderId: '0x06', client: null },
  'once unknown': { ...open('0x07'), lease: RELEASED, payload: '{"signature":""}', client: null },
  'once not taken': { ...finishedOrder({ result: 'not_taken' }), orderId: '0x08', client: null },
};

/** Reads, and replaces, each record as it was written. `over`: what differs where its process is gone. */
async function expectKept(store: OrderStore, over: Partial<OrderRecord>): Promise<void> {
  for (const [key, record] of Object.entries(RECORDS)) {
    const read = await store.read(key);
    expect(read).toStrictEqual(key === 'leased' ? { ...record, ...over } : record);
    expect(await store.write(key, read, { version: versionOf(record) })).toBe('written');
  }
  await expectCounted(store, DAY, 10_000_000n);
}

const byId = (a: OrderRecord, b: OrderRecord) => a.orderId.localeCompare(b.orderId);

describe('a store that version 1.0.0 has written', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is listed, read and written in a file', async () => {
    const path = join(folder, 'orders.db');
    await copyFile(join(KEPT, '1.0.0.db'), path);
    using db = new DatabaseSync(path, { readOnly: true });
    // A store that is made today has another form of table, which takes the same statements.
    expect(db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'orders'").get()).toMatchObject({
      sql: expect.stringContaining('WITHOUT ROWID'),
    });
    const { list } = await openAccountRecords({ store: path, proxyEnv: {} });
    const listed = await list(0, (record) => record);
    expect([...listed.byId.values()].toSorted(byId)).toStrictEqual(Object.values(RECORDS).toSorted(byId));
    expect(listed.unreadable).toBe(0);
    const store = openOrderStore(path);
    expect(store.isNew).toBe(false);
    await expectKept(store, { lease: { owner: 'lease of 0x01', until: 0 } });
    await store.close();
  });

  it('is read from a table', async () => {
    const db = await startDynamoDb();
    const items: readonly Record<string, AttributeValue>[] = JSON.parse(
      await readFile(join(KEPT, '1.0.0.json'), 'utf8'),
    );
    const client = new DynamoDBClient(db.client);
    for (const Item of items) await client.send(new PutItemCommand({ TableName: db.tableName, Item }));
    client.destroy();
    await expectKept(createDynamoDbStore(db), {});
    await db.close();
  });
});
