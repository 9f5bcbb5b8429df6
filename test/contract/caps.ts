import assert from 'node:assert/strict';
import { expectMembers, expectProblem } from './answer.ts';
import { disarm, processOf, section } from './check.ts';
import { place, sendings } from './orders.ts';

/** Checks of the operator's caps. */
export const CAPS = section('caps', ['process'], {
  'of an order: one of a larger price times size is not sent, be it a sale': {
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
  'of a day: counted when an order is signed, until midnight UTC': {
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
  'of a day: given back where the venue provably refused, or did not take an order without a key': {
    settings: { SERVICE_MAX_DAILY_NOTIONAL: '0.05' },
    run: async (world) => {
      const { venue } = processOf(world);
      for (const [fault, code, headers] of [
        ['refuse', 'order_rejected', { 'idempotency-key': crypto.randomUUID() }],
        ['halted', 'venue_unavailable', {}],
      ] as const) {
        venue.arm({ fault, path: '/order', text: 'invalid expiration' });
        expectProblem(await place(world, {}, headers), code);
        await disarm(world);
      }
      const key = { 'idempotency-key': crypto.randomUUID() };
      venue.arm({ fault: 'halted', path: '/order' });
      expectProblem(await place(world, {}, key), 'venue_unavailable');
      // The signed order is kept for the repeat, and so is its part of the day.
      expectProblem(await place(world), 'daily_cap_reached');
      const placed = await place(world, {}, key);
      assert.equal(placed.status, 201);
      expectMembers(placed, { size: '5' });
    },
  },
});
