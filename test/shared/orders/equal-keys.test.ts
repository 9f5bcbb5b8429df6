import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { LEASE_MS } from '../../../shared/limits.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { expectCounted } from '../../support/orders/order-store-contract.ts';
import { DAY, endOf, errorOf, openWorld, placed, type Send, unknown } from '../../support/orders/processes.ts';
import { collectLog } from '../../support/service/collected-log.ts';

/** A store, as the processes that share it have opened it, and the way to end it. */
interface Opened {
  readonly handles: readonly [OrderStore, ...OrderStore[]];
  readonly close: () => Promise<unknown>;
}

const STORES: readonly (readonly [string, () => Promise<Opened>])[] = [
  [
    'a file',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'equal-keys-'));
      const store = openOrderStore({ path: join(folder, 'orders.db'), log: collectLog().log });
      return { handles: [store], close: () => store.close().then(() => rm(folder, { recursive: true })) };
    },
  ],
  [
    'a table of two processes',
    async () => {
      const db = await startDynamoDb();
      // No call ends by these, however slow the machine is.
      const limits = { call: 60_000, connect: 60_000, attempt: 60_000 };
      return {
        handles: [createDynamoDbStore({ ...db, limits }), createDynamoDbStore({ ...db, limits })],
        close: db.close,
      };
    },
  ],
];

const refusedFor =
  (code: 'post_only_would_cross' | 'insufficient_balance'): Send =>
  async () => ({ kind: 'refused', error: errorOf(code) });

/** The venue's answers, what the one request gets, what a repeat of it gets, and the millionths that count for the day. */
const ANSWERS: readonly (readonly [string, Send, string, string, bigint])[] = [
  ['rests', placed, 'placed live', 'placed live 0x1 replayed', 5_000_000n],
  ['would cross', refusedFor('post_only_would_cross'), 'refused', 'refused 0x1 replayed', 0n],
  ['is refused', refusedFor('insufficient_balance'), 'refused', 'refused 0x1 replayed', 0n],
  ['has a lost answer', unknown, 'unknown', 'placed live 0x1', 5_000_000n],
];

describe.each(STORES)('equal keys in one turn of the event loop, over %s', (_store, open) => {
  let opened: Opened;
  /** Counted so far for the day. */
  let total = 0n;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it.each(ANSWERS)('reach the venue once: the order %s', async (what, send, end, repeated, counted) => {
    for (let round = 0; round < 10; round += 1) {
      const world = openWorld();
      const requests = 2 + (round % 4);
      const key = `${what} ${round}`;
      const processes = opened.handles.map((own) => world.open({ own, dailyCap: '1000000' }));
      let over = 0;
      const answered = Promise.withResolvers<void>();
      // The venue answers once every other request has its own answer, or has reached the venue as well.
      const note = () => {
        over += 1;
        if (over === requests) answered.resolve();
      };
      world.venue.submit = async (order, call) => {
        note();
        await answered.promise;
        return send(order, call);
      };
      world.venue.settle = world.venue.submit;
      const ends = await Promise.all(
        Array.from({ length: requests }, (_, index) =>
          endOf(world.place(processes[index % processes.length], key)).finally(note),
        ),
      );
      expect(world.asked).toHaveLength(1);
      const others = Array.from({ length: requests - 1 }, () => `order_in_progress ${LEASE_MS / 1_000}`);
      expect(ends.map((text) => text.replace(/ 0x\d$/, '')).toSorted()).toStrictEqual([end, ...others].toSorted());
      world.venue.settle = placed;
      const id = world.asked[0]?.replace('submit ', '') ?? '';
      expect(await endOf(world.place(processes[0], key))).toBe(repeated.replace('0x1', id));
    }
    total += 10n * counted;
    for (const store of opened.handles) await expectCounted(store, DAY, total);
  });

  it('wait 30 s of their own count at most, though a wrong clock wrote an end far ahead', async () => {
    const world = openWorld();
    const [own, other = own] = opened.handles;
    const [holder, reader] = [world.open({ own }), world.open({ own: other })];
    world.clock.now += 7_200_000;
    world.venue.submit = () => new Promise(() => undefined);
    void world.place(holder, 'far ahead');
    while (world.asked.length === 0) await sleep(1);
    world.clock.now -= 7_200_000;
    const repeat = () => endOf(world.place(reader, 'far ahead'));
    expect(await repeat()).toBe('order_in_progress 30');
    world.clock.uptime += LEASE_MS - 1;
    expect(await repeat()).toBe('order_in_progress 1');
    world.clock.uptime += 1;
    expect(await repeat()).toBe('placed live 0x1');
    expect(world.asked).toStrictEqual(['submit 0x1', 'settle 0x1']);
  });
});
