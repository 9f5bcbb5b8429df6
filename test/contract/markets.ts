import assert from 'node:assert/strict';
import { z } from 'zod';
import { compareDecimals, parseDecimal } from '../../shared/decimal.ts';
import { expectProblem } from './answer.ts';
import { controlOf, section, type World } from './check.ts';

const outcome = z.object({ name: z.string().nullable(), token_id: z.string() });
const item = z.object({
  id: z.string(),
  condition_id: z.string(),
  volume_24h: z.string().nullable(),
  outcomes: z.array(outcome),
});
const markets = z.object({ items: z.array(item), has_more: z.boolean() });

async function list({ ask }: World, query: string) {
  return markets.parse((await ask({ operation: 'markets', target: `/v1/markets${query}` })).body);
}

const NO_LIMITS = ['0', '-1', '1.5', '05', '%2B5', 'abc', '', '501', '1e2', '0x5', '5%20', '%205', '%D9%A5', 'null'];

/** Returns the volume; one that the venue does not tell is less than any. */
function volumeOf({ volume_24h }: z.output<typeof item>) {
  return parseDecimal(volume_24h ?? '') ?? { coefficient: -1n, scale: 0 };
}

/** Checks of `GET /v1/markets`. */
export const MARKETS = section('markets', [], {
  'are 20 by default, and never more than the limit': async (world) => {
    assert.ok((await list(world, '')).items.length <= 20);
    assert.deepEqual((await list(world, '?limit=20')).items, (await list(world, '')).items);
    for (const limit of ['1', '%32'])
      assert.equal((await list(world, `?limit=${limit}`)).items.length, Number(limit.slice(-1)));
    assert.ok((await list(world, '?limit=500')).items.length <= 500);
  },
  'has_more is true only if there are more markets': {
    needs: ['paper venue'],
    run: async (world) => {
      const all = await list(world, '?limit=500');
      assert.equal(all.has_more, false);
      assert.equal((await list(world, '?limit=1')).has_more, true);
      assert.equal((await list(world, `?limit=${all.items.length}`)).has_more, false);
    },
  },
  'come once each, most traded first, equal volumes by id': async (world) => {
    const { items } = await list(world, '?limit=100');
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    for (const [index, market] of items.entries()) {
      const before = items[index - 1];
      const order = before ? compareDecimals(volumeOf(before), volumeOf(market)) : 1;
      assert.ok(order >= 0, `item ${index} is traded more`);
      assert.match(market.condition_id, /^0x[0-9a-f]{64}$/);
    }
  },
  'are those on which an order can be placed now': {
    needs: ['paper venue'],
    run: async (world) => {
      const { items } = await list(world, '?limit=500');
      for (const { outcomes } of items) {
        const { status } = await world.ask({ operation: 'book', target: `/v1/book/${outcomes[0]?.token_id}` });
        assert.equal(status, 200);
      }
    },
  },
  'leave out a market that cannot be traded safely, and log it once': {
    needs: ['paper venue'],
    run: async (world) => {
      const { venue, lines } = controlOf(world);
      const [first, second] = (await list(world, '?limit=2')).items;
      venue.arm({ fault: 'unusable-market', times: 2 });
      for (const _ of [1, 2]) assert.equal((await list(world, '?limit=1')).items[0]?.id, second?.id);
      const logged = lines().filter((line) => JSON.stringify(line).includes(`"${first?.id}"`));
      assert.equal(logged.length, 1, JSON.stringify(logged));
      assert.equal((await list(world, '?limit=1')).items[0]?.id, first?.id);
    },
  },
  'refuse any limit but one from 1 to 500 in canonical form': async ({ ask }) => {
    const detail = 'must be an integer from 1 to 500, given once.';
    for (const query of [...NO_LIMITS, '1&limit=1', '99999999999999999999'].map((text) => `limit=${text}`)) {
      const answer = await ask({ operation: 'markets', target: `/v1/markets?${query}` });
      expectProblem(answer, 'invalid_request', { errors: [{ field: 'limit', detail }] });
    }
  },
  'refuse a parameter that is unknown': async ({ ask }) => {
    for (const [query, field] of [
      ['limt=5', 'limt'],
      ['Limit=5', 'Limit'],
      ['limit=5&offset=1', 'offset'],
      ['?limit=5', '?limit'],
      [`${'a'.repeat(99)}%F0%9F%98%80`, `${'a'.repeat(99)}?`],
    ]) {
      expectProblem(await ask({ operation: 'markets', target: `/v1/markets?${query}` }), 'invalid_request', field);
    }
  },
});
