import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/record.ts';
import { FULL_EXTENT } from '../../support/full-extent.ts';
import { virtualizeTime } from '../../support/orders/virtual-time.ts';
import { virtualizeTransport } from '../../support/orders/virtual-transport.ts';

virtualizeTime();
virtualizeTransport();
// What is imported before has the real time and transport.
const { Storm } = await import('../../support/orders/storm.ts');
const { createMemoryOrderStore } = await import('../../support/orders/memory-order-store.ts');
const { openOrderStore } = await import('../../../local/order-store/store.ts');
const { createDynamoDbStore } = await import('../../../shared/orders/dynamodb-store.ts');
const { startDynamoDb } = await import('../../../tools/support/dynamodb.ts');
const { collectLog } = await import('../../support/service/collected-log.ts');

/** A failure names its seed: with `FIRST_SEED` in the environment it comes first. */
const FIRST_SEED = Number(process.env['FIRST_SEED'] ?? 1);
/** A storm in which nothing happens would keep every promise. */
const ANSWERS = [
  ...['placed', 'unknown', 'insufficient_balance', 'post_only_would_cross', 'order_rejected', 'order_in_progress'],
  ...['venue_unavailable', 'venue_timeout', 'rate_limited', 'venue_refused_service', 'unknown_token'],
  ...['idempotency_key_reused', 'daily_cap_reached', 'store_unavailable', 'order_above_cap', 'expiry_too_soon'],
];

/** Goes through storms, each on a store of its own, until one breaks a promise. Returns the answers that were given. */
async function goThrough(seeds: number, requests: number, openStore: (seed: number) => OrderStore) {
  const answers = new Set<string>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed += 1) {
    const storm = new Storm(seed, openStore(seed));
    expect({ seed, breaches: await storm.run(requests) }).toStrictEqual({ seed, breaches: [] });
    for (const answer of storm.answers) answers.add(answer);
  }
  return [...answers];
}

it('in a storm, orders are placed once for a key, never denied, counted rightly and brought to an end', async () => {
  const open = (seed: number) => ({ ...createMemoryOrderStore(), outlivesAnswers: seed % 2 === 0 });
  const answers = await goThrough(FULL_EXTENT ? 100 : 25, 50, open);
  expect(answers).toStrictEqual(expect.arrayContaining(ANSWERS));
}, 600_000);

it('in a storm, the file of the local server keeps orders', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'storm-'));
  const opened: ReturnType<typeof openOrderStore>[] = [];
  const open = (seed: number) => {
    const store = openOrderStore({ path: join(directory, `${seed}.sqlite`), log: collectLog().log });
    opened.push(store);
    return store;
  };
  try {
    const answers = await goThrough(FULL_EXTENT ? 4 : 1, 50, open);
    expect(answers).toContain('placed');
  } finally {
    await Promise.all(opened.map((store) => store.close()));
    rmSync(directory, { recursive: true });
  }
}, 600_000);

it('in a storm, the table of a deployment keeps orders', async () => {
  const db = await startDynamoDb();
  try {
    const [seeds, requests] = FULL_EXTENT ? [1, 50] : [1, 10];
    const answers = await goThrough(seeds, requests, () => createDynamoDbStore(db));
    expect(answers).toContain('placed');
  } finally {
    await db.close();
  }
}, 600_000);
