import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { formatDecimal, multiplyDecimals, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { until } from '../support/until.ts';
import { type Answer, codeOf, expectProblem, membersOf } from './answer.ts';
import { processOf, section, type World } from './check.ts';
import { place, restingOrder, sendings } from './orders.ts';

const healthy = z.object({ wallet_address: z.nullable(z.string()) });
const placed = z.object({
  order_id: z.string(),
  wallet_address: z.string(),
  price: z.string(),
  size: z.string(),
  status: z.string(),
  filled_size: z.nullable(z.string()),
  remaining_size: z.nullable(z.string()),
});

/** Describes what the checks cost in the worst case, for the person who has to agree. */
export function costOf(world: World): string {
  const { price, size } = restingOrder(world);
  const cost = formatDecimal(multiplyDecimals(parseDecimal(price) ?? ZERO, parseDecimal(size) ?? ZERO));
  return [
    `One order will rest on the book until you cancel it at the venue: buy ${size} shares at ${price},`,
    `post-only, ${cost} in collateral: "${world.sample.question}".`,
    'Further orders on that market are sent which the service has to refuse.',
  ].join('\n');
}

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

/** Checks at any service. */
const ANYWHERE = section('keys', ['orders'], {
  'place one order for requests at the same time, again, and in another spelling': {
    places: true,
    proves: ['idempotency_key_reused'],
    run: async (world) => {
      const key = { 'idempotency-key': `conformance-${crypto.randomUUID()}` };
      const both = await Promise.all([place(world, {}, key), place(world, {}, key)]);
      for (const answer of both) {
        if (answer.status !== 201) expectProblem(answer, 'order_in_progress');
      }
      const answered = both.filter(({ status }) => status === 201);
      const [first, ...others] = answered.filter((answer) => !isReplay(answer));
      assert.ok(first, `nothing was placed: ${both.map((answer) => codeOf(answer) ?? 'replayed').join(', ')}`);
      assert.equal(others.length, 0, 'two answers under one key are first ones');
      for (const answer of answered) assert.deepEqual(answer.body, first.body, 'two orders under one key');
      const { order_id, wallet_address, ...told } = placed.parse(first.body);
      const health = await world.ask({ operation: 'health', target: '/health' });
      assert.equal(wallet_address, healthy.parse(health.body).wallet_address, 'health names another wallet');
      const { price, size } = restingOrder(world);
      assert.deepEqual(told, { price, size, status: 'live', filled_size: '0', remaining_size: size });
      const otherwise = { side: 'BUY', price: Number(price), size: `${size}${size.includes('.') ? '0' : '.0'}` };
      for (const change of [{}, otherwise]) {
        const again = await place(world, change, key);
        assert.equal(again.status, 201);
        assert.ok(isReplay(again), 'a repeat is not told as a replay');
        assert.deepEqual(again.body, first.body);
        assert.equal(placed.parse(again.body).order_id, order_id);
      }
      expectProblem(await place(world, { size: `${Number(size) + 1}` }, key), 'idempotency_key_reused');
    },
  },
});

/** Checks of a service of the tests, and of its store. */
const KEPT = section('keys', ['orders', 'process'], {
  'are 409 while another request holds them': {
    proves: ['order_in_progress'],
    run: async (world) => {
      const { venue } = processOf(world);
      const [key, sent] = [{ 'idempotency-key': crypto.randomUUID() }, sendings(world)];
      venue.arm({ fault: 'delay', path: '/order', ms: 500 });
      const first = place(world, {}, key);
      await until(() => sendings(world) > sent);
      const second = await place(world, {}, key);
      expectProblem(second, 'order_in_progress', { order_id: undefined });
      const wait = Number(second.headers.get('retry-after'));
      assert.ok(wait >= 1 && wait <= 30, `Retry-After is ${wait}`);
      assert.deepEqual([(await first).status, sendings(world) - sent], [201, 1]);
    },
  },
  'survive a restart, whatever became of their orders': async (world) => {
    const one = await processOf(world).start({});
    const [final, refused, open] = [1, 2, 3].map((index) => ({ 'idempotency-key': `key-${index}` }));
    const first = await place(one, {}, final);
    processOf(one).venue.arm([
      { fault: 'refuse', path: '/order', text: 'order crosses book' },
      { fault: 'restart', path: '/order' },
    ]);
    expectProblem(await place(one, {}, refused), 'post_only_would_cross');
    const busy = await place(one, {}, open);
    expectProblem(busy, 'venue_unavailable');
    const sent = sendings(one);
    // Caps hold when an order is signed.
    const again = await processOf(one).restart({ SERVICE_MAX_ORDER_NOTIONAL: '0.04' });
    const replayed = await place(again, {}, final);
    assert.deepEqual([replayed.body, isReplay(replayed)], [first.body, true]);
    expectProblem(await place(again, {}, refused), 'post_only_would_cross');
    expectProblem(await place(again, {}), 'order_above_cap');
    const placed = await place(again, {}, open);
    assert.deepEqual([membersOf(placed)['order_id'], sendings(again) - sent], [membersOf(busy)['order_id'], 1]);
  },
  'and orders without one are refused after the store was removed, until a restart begins a new store': {
    proves: ['store_unavailable'],
    run: async (world) => {
      const one = await processOf(world).start({});
      const sent = sendings(one);
      await rm(dirname(String(processOf(one).settings['SERVICE_STORE'])), { recursive: true });
      for (const key of [{}, { 'idempotency-key': 'key' }]) {
        const answer = await place(one, {}, key);
        expectProblem(answer, 'store_unavailable');
      }
      assert.equal(sendings(one), sent);
      expectProblem(await place(one, { price: '0.011' }), 'price_off_tick');
      assert.equal((await place(await processOf(one).restart(), {}, { 'idempotency-key': 'key' })).status, 201);
      const lines = processOf(one).lines();
      assert.ok(lines.some(({ message }) => String(message).startsWith('new order store: it has no earlier')));
    },
  },
});

/** Checks of idempotency keys. */
export const KEYS = [...ANYWHERE, ...KEPT];
