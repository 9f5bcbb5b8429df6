import assert from 'node:assert/strict';
import { z } from 'zod';
import { compareDecimals, parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { expectProblem } from '../ask.ts';
import type { Check, World } from '../check.ts';
import type { Answer } from '../contract.ts';

const markets = z.object({
  items: z.array(z.object({ id: z.string(), volume_24h: z.string().nullable() })),
  has_more: z.boolean(),
});
const book = z.object({
  token_id: z.string(),
  bids: z.array(z.object({ price: z.string() })),
  asks: z.array(z.object({ price: z.string() })),
});

const BAD_LIMITS = [
  '0',
  '-1',
  '1.5',
  '05',
  '%2B5',
  'abc',
  '',
  '501',
  '1e2',
  '20%20',
  '1&limit=1',
  '99999999999999999999',
];
const BAD_TOKENS = [
  'abc',
  '01',
  '-1',
  '1.0',
  '1e5',
  '0x10',
  `1${'0'.repeat(78)}`,
  // One more than a uint256 holds.
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  '%D9%A1',
];

const ETAG = /^(W\/)?"[^"]+"$/;

function compareTexts(a: string | null, b: string | null): number {
  const below = { coefficient: -1n, scale: 0 };
  return compareDecimals(parseDecimal(a ?? '') ?? below, parseDecimal(b ?? '') ?? below);
}

async function list({ ask }: World, query: string) {
  return markets.parse((await ask({ operation: 'markets', target: `/v1/markets${query}` })).body);
}

function readBook({ ask, sample }: World, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return ask({ operation: 'book', target: `/v1/book/${sample.tokenId}`, headers });
}

const HEALTH: Check = {
  group: 'health',
  name: 'says what the service is; HEAD is the same without a body',
  run: async ({ ask }) => {
    const [get, head] = [
      await ask({ operation: 'health', target: '/health?ignored=1' }),
      await ask({ operation: 'health', method: 'HEAD', target: '/health' }),
    ];
    assert.equal(get.status, 200);
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
  },
};

const MARKETS: readonly Omit<Check, 'group'>[] = [
  {
    name: 'are 20 by default, and never more than the limit',
    run: async (world) => {
      assert.ok((await list(world, '')).items.length <= 20);
      const one = await list(world, '?limit=1');
      assert.equal(one.items.length, 1);
      assert.ok((await list(world, '?limit=500')).items.length <= 500);
    },
  },
  {
    name: 'come most traded first, each once',
    run: async (world) => {
      const { items } = await list(world, '?limit=100');
      assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
      for (const [index, { volume_24h }] of items.entries()) {
        const before = items[index - 1];
        if (before) assert.ok(compareTexts(before.volume_24h, volume_24h) >= 0, `item ${index} is traded more`);
      }
    },
  },
  {
    name: 'want one limit from 1 to 500 in canonical form',
    run: async ({ ask }) => {
      for (const text of BAD_LIMITS) {
        expectProblem(
          await ask({ operation: 'markets', target: `/v1/markets?limit=${text}` }),
          'invalid_request',
          'limit',
        );
      }
    },
  },
  {
    name: 'refuse a parameter that is not theirs',
    run: async ({ ask }) => {
      expectProblem(await ask({ operation: 'markets', target: '/v1/markets?limt=5' }), 'invalid_request', 'limt');
    },
  },
];

const BOOK: readonly Omit<Check, 'group'>[] = [
  {
    name: 'has the best prices first',
    run: async (world) => {
      const { token_id, bids, asks } = book.parse((await readBook(world)).body);
      assert.equal(token_id, world.sample.tokenId);
      const sides = [
        { levels: bids, direction: -1 },
        { levels: asks, direction: 1 },
      ] as const;
      for (const { levels, direction } of sides) {
        for (const [index, { price }] of levels.entries()) {
          assert.ok(compareDecimals(parseDecimal(price) ?? ZERO, ZERO) > 0, `a price is ${price}`);
          const before = levels[index - 1];
          if (before) assert.ok(direction * compareTexts(price, before.price) > 0, `${price} after ${before.price}`);
        }
      }
    },
  },
  {
    name: 'is 304 while the ETag is current',
    run: async (world) => {
      // A busy market may change between two requests, so a few tries.
      for (let tries = 0; tries < 5; tries += 1) {
        const etag = (await readBook(world)).headers.get('etag') ?? '';
        assert.match(etag, ETAG, 'the answer has no ETag');
        const again = await readBook(world, { 'if-none-match': `"other", ${etag}` });
        if (again.status === 304) return assert.match(again.headers.get('etag') ?? '', ETAG, 'a 304 has no ETag');
      }
      assert.fail('never 304');
    },
  },
  {
    name: 'is 200 for another ETag',
    run: async (world) => assert.equal((await readBook(world, { 'if-none-match': '"other"' })).status, 200),
  },
  {
    name: 'wants a token id in canonical form',
    run: async ({ ask }) => {
      for (const text of BAD_TOKENS) {
        expectProblem(await ask({ operation: 'book', target: `/v1/book/${text}` }), 'invalid_request', 'token_id');
      }
    },
  },
  {
    name: 'is 404 for an unknown token',
    run: async ({ ask }) => expectProblem(await ask({ operation: 'book', target: '/v1/book/1' }), 'unknown_token'),
  },
];

/** Checks of the reads. */
export const READS: readonly Check[] = [
  HEALTH,
  ...MARKETS.map((check) => ({ group: 'markets', ...check })),
  ...BOOK.map((check) => ({ group: 'book', ...check })),
];
