import assert from 'node:assert/strict';
import { expectProblem } from './answer.ts';
import { processOf, section } from './check.ts';
import { place, sendings } from './orders.ts';

/** Checks of the operator's caps. */
export const CAPS = section('caps', ['process'], {
  'refuse an order, a sale too, whose price times size is above the cap': {
    settings: { SERVICE_MAX_ORDER_NOTIONAL: '0.05' },
    proves: ['order_above_cap', 'SERVICE_MAX_ORDER_NOTIONAL'],
    run: async (world) => {
      assert.equal((await place(world)).status, 201);
      const sent = sendings(world);
      const max_notional = '0.05';
      expectProblem(await place(world, { size: '5.01' }), 'order_above_cap', { max_notional });
      expectProblem(await place(world, { side: 'sell', price: '0.99' }), 'order_above_cap', { max_notional });
      // The rules of the market go first.
      expectProblem(await place(world, { price: '0.0501' }), 'price_off_tick');
      expectProblem(await place(world, { size: '4' }), 'size_below_minimum');
      assert.equal(sendings(world), sent);
    },
  },
  'refuse a purchase above the cap of a day, which counts orders as they are signed until midnight UTC': {
    settings: { SERVICE_MAX_DAILY_NOTIONAL: '0.15', SERVICE_MAX_ORDER_NOTIONAL: '0.14' },
    proves: ['daily_cap_reached', 'SERVICE_MAX_DAILY_NOTIONAL'],
    run: async (world) => {
      const { pass } = processOf(world);
      assert.equal((await place(world, { size: '10' })).status, 201);
      const sent = sendings(world);
      const tomorrow = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000;
      const resets_at = new Date(tomorrow).toISOString().replace('.000', '');
      const day = { max_daily_notional: '0.15', resets_at, scope: 'service' };
      expectProblem(await place(world, { size: '6' }), 'daily_cap_reached', day);
      // The cap of an order goes first.
      expectProblem(await place(world, { size: '15' }), 'order_above_cap');
      assert.equal(sendings(world), sent);
      assert.equal((await place(world)).status, 201);
      expectProblem(await place(world), 'daily_cap_reached');
      // A sale brings money in.
      assert.equal((await place(world, { side: 'sell', price: '0.02', post_only: false })).status, 201);
      await pass(tomorrow - Date.now());
      assert.equal((await place(world)).status, 201);
    },
  },
});
