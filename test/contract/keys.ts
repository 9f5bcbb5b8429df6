import assert from 'node:assert/strict';
import { z } from 'zod';
import { formatDecimal, multiplyDecimals, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { type Answer, codeOf, expectProblem } from './answer.ts';
import { section, type World } from './check.ts';
import { place, restingOrder } from './orders.ts';

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

/** Checks of idempotency keys. */
export const KEYS = section('keys', ['orders'], {
  'place one order, sent at the same time, again, spelled otherwise': {
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
