import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { createLog } from '../../../shared/log.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from './order-records.ts';

// Stores that a release has written. Later versions must read them: `kept-store.test.ts` does. To write those of a new
// layout, under a new name: node test/support/orders/kept-store.ts NAME

/** An SQLite file and the items of a table, by their name without its end. */
export const KEPT = join(import.meta.dirname, 'kept-stores');

const CALLER = 'arn:aws:iam::123456789012:user/trader';
const RELEASED = { owner: 'released', until: 0 } as const;
const open = (id: string) => unfinishedOrder(`lease of ${id}`, id);
const ends = { ...open('0x03').terms, expiresAt: 1_790_000_600_000 };

/** A record in every state, by its key; without the header `Idempotency-Key` a key begins with `once`. */
export const RECORDS: Readonly<Record<string, OrderRecord>> = {
  leased: { ...open('0x01'), countedOn: '2026-09-21', caller: CALLER },
  released: { ...open('0x02'), lease: RELEASED },
  'released with an end': { ...open('0x03'), lease: RELEASED, terms: ends },
  'answered in unknown words': { ...open('0x04'), lease: RELEASED, venueReason: 'accepted for processing' },
  placed: { ...finishedOrder(PLACED), countedOn: '2026-09-21' },
  refused: { ...finishedOrder(REFUSED), orderId: '0x06', client: null },
  'once unknown': { ...open('0x07'), lease: RELEASED, payload: '{"signature":""}', client: null },
  'once not taken': { ...finishedOrder({ result: 'not_taken' }), orderId: '0x08', client: null },
};

async function fill(store: OrderStore): Promise<void> {
  for (const [key, record] of Object.entries(RECORDS)) {
    const units = record.countedOn === null ? [] : [{ day: record.countedOn, units: 5_000_000n }];
    await store.write(key, record, 'nothing', units);
  }
}

/** Reads all items of a table, in the order of their keys. */
async function itemsOf(config: ConstructorParameters<typeof DynamoDBClient>[0], TableName: string) {
  const client = new DynamoDBClient(config ?? {});
  const items: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName })) items.push(...Items);
  client.destroy();
  return items.toSorted((a, b) => String(a['idempotency_key']?.S).localeCompare(String(b['idempotency_key']?.S)));
}

async function write(name: string): Promise<void> {
  const log = createLog({ level: 'error', write: (line) => process.stderr.write(`${line}\n`) });
  const file = openOrderStore({ path: join(KEPT, `${name}.db`), log });
  await fill(file);
  await file.close();
  await rm(join(KEPT, `${name}.db.lock`));
  const db = await startDynamoDb();
  await fill(createDynamoDbStore(db));
  const items = await itemsOf(db.client, db.tableName);
  await writeFile(join(KEPT, `${name}.json`), `${JSON.stringify(items, null, 2)}\n`);
  await db.close();
}

const [, script, name] = process.argv;
if (script === import.meta.filename && name !== undefined) await write(name);
