import assert from 'node:assert/strict';
import { z } from 'zod';
import { compareDecimals, parseDecimal } from '../../shared/decimal.ts';
import { expectProblem } from './answer.ts';
import { NO_TOKENS, TOKEN_RULE } from './book.ts';
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

type Item = z.output<typeof item>;

/** A token of the venue's form that no market has. */
const NO_MARKET = '1';

/** The query of the markets of these tokens. */
function ofTokens(...tokens: readonly string[]): string {
  return `?${tokens.map((token) => `token_id=${token}`).join('&')}`;
}

function tokensOf(items: readonly Item[]): readonly string[] {
  return items.flatMap(({ outcomes }) => outcomes.map(({ token_id }) => token_id));
}

/** The ids of markets; between two lists of a busy venue their order, prices and volumes change. */
function idsOf(items: readonly Item[]): readonly string[] {
  return items.map(({ id }) => id).toSorted();
}

const NO_LIMITS = ['0', '-1', '1.5', '05', '%2B5', 'abc', '', '501', '1e2', '0x5', '5%20', '%205', '%D9%A5', 'null'];

/** Returns the volume; one that the venue does not tell is less than any. */
function volumeOf({ volume_24h }: Item) {
  return parseDecimal(volume_24h ?? '') ?? { coefficient: -1n, scale: 0 };
}

function expectInOrder(items: readonly Item[]): void {
  assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
  for (const [index, market] of items.entries()) {
    const before = items[index - 1];
    const order = before ? compareDecimals(volumeOf(before), volumeOf(market)) : 1;
    assert.ok(order >= 0, `item ${index} is traded more`);
  }
}

/** Checks of `GET /v1/markets`. */
export const MARKETS = section('markets', [], {
  'are 20 by default, and never more than the limit': async (world) => {
    const [usual, twenty] = [await list(world, ''), await list(world, '?limit=20')];
    assert.ok(usual.items.length <= 20);
    assert.equal(twenty.items.length, usual.items.length);
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
    expectInOrder(items);
    for (const { condition_id } of items) assert.match(condition_id, /^0x[0-9a-f]{64}$/);
  },
  'of tokens are those of these alone, each once, in the same order': async (world) => {
    const { items } = await list(world, '?limit=9');
    const tokens = tokensOf(items.toReversed());
    const found = await list(world, ofTokens(...tokens, NO_MARKET, tokens[0] ?? ''));
    assert.deepEqual([idsOf(found.items), found.has_more], [idsOf(items), false]);
    expectInOrder(found.items);
    const last = await list(world, ofTokens(tokens[1] ?? ''));
    assert.deepEqual([idsOf(last.items), last.has_more], [idsOf(items.slice(-1)), false]);
  },
  'of tokens are bounded by the limit, and none where no open market has them': async (world) => {
    const tokens = tokensOf((await list(world, '?limit=2')).items);
    const one = await list(world, `${ofTokens(...tokens)}&limit=1`);
    assert.deepEqual([one.items.length, one.has_more], [1, true]);
    assert.deepEqual(await list(world, ofTokens(NO_MARKET, String(2n ** 256n - 1n))), { items: [], has_more: false });
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
  'refuse more than 20 tokens, and one that is not in canonical form': async (world) => {
    const { tokenId } = world.sample;
    assert.equal((await list(world, ofTokens(...Array(20).fill(tokenId)))).items.length, 1);
    for (const [query, detail] of [
      [ofTokens(...Array(21).fill(tokenId)), 'must be given 20 times at most.'],
      ...['', ...NO_TOKENS].flatMap((token) => [
        [ofTokens(token), TOKEN_RULE] as const,
        [ofTokens(tokenId, token), TOKEN_RULE],
      ]),
    ]) {
      const answer = await world.ask({ operation: 'markets', target: `/v1/markets${query}` });
      expectProblem(answer, 'invalid_request', { errors: [{ field: 'token_id', detail }] });
    }
  },
  'refuse a parameter that is unknown': async ({ ask }) => {
    for (const [query, field] of [
      ['limt=5', 'limt'],
      ['Limit=5', 'Limit'],
      ['token_ids=1', 'token_ids'],
      ['limit=5&offset=1', 'offset'],
      ['?limit=5', '?limit'],
      [`${'a'.repeat(99)}%F0%9F%98%80`, `${'a'.repeat(99)}?`],
    ]) {
      expectProblem(await ask({ operation: 'markets', target: `/v1/markets?${query}` }), 'invalid_request', field);
    }
  },
});
