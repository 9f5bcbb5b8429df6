import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WALLET_KEY } from '../support/deployment.ts';
import { codeOf } from './equality.ts';
import { withOrders } from './orders-function.ts';
import type { World } from './world.ts';

/** Checks what execution environments share. */
export function describeOrdersTable(world: World): void {
  describe('the table', () => {
    const key = { 'idempotency-key': 'rig-store' };
    it('is needed for every order: none is sent that is not stored', () =>
      withOrders(
        world,
        async ({ place }) => {
          world.secrets.set(WALLET_KEY);
          const placed = world.venue.orders().length;
          assert.equal(codeOf(await place()), 'store_unavailable');
          assert.equal(codeOf(await place(key)), 'store_unavailable');
          assert.equal(world.venue.orders().length, placed);
        },
        { SERVICE_ORDERS_TABLE: 'not-there' },
      ));

    it('keeps two environments from placing one order twice', async () => {
      world.secrets.set(WALLET_KEY);
      await withOrders(world, (first) =>
        withOrders(world, async (second) => {
          await Promise.all([first.sandbox.initialised, second.sandbox.initialised]);
          const placed = world.venue.orders().length;
          world.venue.arm({ fault: 'delay', method: 'POST', path: '/order', ms: 1_500 });
          const pending = first.place(key);
          await arrival(world, '/order');
          assert.equal(codeOf(await second.place(key)), 'order_in_progress');
          assert.equal((await pending).status, 201);
          const replay = await second.place(key);
          assert.deepEqual([replay.status, replay.headers['idempotency-replayed']], [201, 'true']);
          assert.equal(world.venue.orders().length, placed + 1);
        }),
      );
    });
  });
}

/** Resolves when the venue has got one more request on a path. */
async function arrival({ venue }: World, path: string): Promise<void> {
  const count = () => venue.requests().filter((request) => request.path === path).length;
  for (const before = count(); count() === before; ) await new Promise((resolve) => setImmediate(resolve));
}
