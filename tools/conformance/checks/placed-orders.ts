import assert from 'node:assert/strict';
import { z } from 'zod';
import { formatDecimal, multiplyDecimals, parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { codeOf, expectProblem } from '../ask.ts';
import { type Check, placesOrders, type Sample, type World } from '../check.ts';
import type { Answer } from '../contract.ts';
import { post } from './refused-orders.ts';

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

/** The one order that is placed: at the lowest price that there is, of the smallest size, never taking. */
function orderOf({ tokenId, tickSize, minOrderSize }: Sample) {
  return { token_id: tokenId, side: 'buy', price: tickSize, size: minOrderSize, post_only: true } as const;
}

/** Describes what the checks cost in the worst case, for the person who has to agree. */
export function costOf(sample: Sample): string {
  const { price, size } = orderOf(sample);
  const cost = formatDecimal(multiplyDecimals(parseDecimal(price) ?? ZERO, parseDecimal(size) ?? ZERO));
  return [
    `One order will rest on the book until you cancel it at the venue: buy ${size} shares at ${price},`,
    `post-only, ${cost} in collateral: "${sample.question}".`,
    'Further orders on that market are sent which the service has to refuse.',
  ].join('\n');
}

/** Sends the order with some members replaced; `raw` members go in as they are written. */
function order(world: World, change: Readonly<Record<string, unknown>>, key?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  return post(world, { headers, body: JSON.stringify({ ...orderOf(world.sample), ...change }) });
}

/** A price with more digits than a JavaScript number has, as a JSON number. */
async function sendLongNumber(world: World): Promise<Answer> {
  const sent = orderOf(world.sample);
  const digits = `${sent.price}${'0'.repeat(20)}1`;
  const body = JSON.stringify(sent).replace(`"price":"${sent.price}"`, `"price":${digits}`);
  return post(world, { body });
}

const RULES: Check = {
  group: 'placing',
  name: 'the rules of the market are kept, to the last digit',
  mayPlace: true,
  applies: placesOrders,
  run: async (world) => {
    const { tickSize, minOrderSize } = world.sample;
    for (const price of [0, '0', 1, '1', -0.5, `${tickSize}1`.replace(/[1-9]/, '0')]) {
      expectProblem(await order(world, { price }), 'price_out_of_range');
    }
    expectProblem(await order(world, { price: `${tickSize}1` }), 'price_off_tick');
    expectProblem(await sendLongNumber(world), 'price_off_tick');
    const size = minOrderSize.includes('.') ? `${minOrderSize}001` : `${minOrderSize}.001`;
    expectProblem(await order(world, { size }), 'size_precision');
    for (const small of ['0.01', 0, '-1']) expectProblem(await order(world, { size: small }), 'size_below_minimum');
    expectProblem(await order(world, { expires_at: '2026-01-01T00:00:00Z' }), 'expiry_too_soon');
  },
};

function isReplay({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

const ONCE: Check = {
  group: 'placing',
  name: 'one order per idempotency key, sent at the same time, again, spelled otherwise',
  mayPlace: true,
  applies: placesOrders,
  run: async (world) => {
    const key = `conformance-${crypto.randomUUID()}`;
    const both = await Promise.all([order(world, {}, key), order(world, {}, key)]);
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
    const { price, size } = orderOf(world.sample);
    assert.deepEqual(told, { price, size, status: 'live', filled_size: '0', remaining_size: size });
    const otherwise = { side: 'BUY', price: Number(price), size: `${size}${size.includes('.') ? '0' : '.0'}` };
    for (const change of [{}, otherwise]) {
      const again = await order(world, change, key);
      assert.equal(again.status, 201);
      assert.ok(isReplay(again), 'a repeat is not told as a replay');
      assert.deepEqual(again.body, first.body);
      assert.equal(placed.parse(again.body).order_id, order_id);
    }
    expectProblem(await order(world, { size: `${Number(size) + 1}` }, key), 'idempotency_key_reused');
  },
};

/** Checks that place an order. */
export const PLACED_ORDERS: readonly Check[] = [RULES, ONCE];
