import assert from 'node:assert/strict';
import { z } from 'zod';
import { compareDecimals, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { type Answer, expectMembers, expectProblem } from './answer.ts';
import { controlOf, disarm, section, type World } from './check.ts';

const level = z.object({ price: z.string(), size: z.string() });
const book = z.object({ token_id: z.string(), bids: z.array(level), asks: z.array(level) });

/** One more than a uint256 holds. */
const TOO_LARGE = String(2n ** 256n);
/** Texts that are no token id in canonical form, as a target has them. */
export const NO_TOKENS = [
  'abc',
  '01',
  '-1',
  '%2B1',
  '1.0',
  '1e5',
  '0x10',
  `1${'0'.repeat(78)}`,
  TOO_LARGE,
  '%D9%A1',
  '1%20',
];

/** The sentence on each of them. */
export const TOKEN_RULE =
  'must be an outcome token id: a uint256 in decimal, without sign or leading zeros, as outcomes[].token_id of GET /v1/markets has it.';

const ETAG = /^"[^"]+"$/;

function readBook({ ask, sample }: World, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Answer> {
  return ask({ operation: 'book', target: `/v1/book/${sample.tokenId}${query}`, headers });
}

/** Checks of `GET /v1/book/{token_id}`. */
export const BOOK = section('book', [], {
  'has the best prices first': async (world) => {
    const { token_id, bids, asks } = book.parse((await readBook(world)).body);
    assert.equal(token_id, world.sample.tokenId);
    for (const { levels, direction } of [
      { levels: bids, direction: -1 },
      { levels: asks, direction: 1 },
    ]) {
      const prices = levels.map(({ price }) => parseDecimal(price) ?? ZERO);
      for (const [index, price] of prices.entries()) {
        assert.ok(compareDecimals(price, ZERO) > 0);
        const before = prices[index - 1];
        if (before) assert.ok(direction * compareDecimals(price, before) > 0, `level ${index} is not the next best`);
      }
    }
  },
  'is 304 while the ETag is current': async (world) => {
    // A busy market may change between two requests, so a few tries.
    for (let tries = 0; tries < 5; tries += 1) {
      const etag = (await readBook(world)).headers.get('etag') ?? '';
      assert.match(etag, ETAG, 'the answer has no ETag');
      const listed = [`"other", ${etag}`, `W/${etag}`, `"other" , W/${etag}`, '*', etag];
      const again = await Promise.all(listed.map((tag) => readBook(world, { 'if-none-match': tag })));
      if (again.some(({ status }) => status !== 304)) continue;
      for (const { headers } of again) {
        assert.equal(headers.get('etag'), etag);
        // A gateway adds a type where a function gives none.
        if (world.edge === 'local') assert.equal(headers.get('content-type'), null);
      }
      return;
    }
    assert.fail('never 304');
  },
  'is 200 for another ETag': async (world) => {
    const etag = ((await readBook(world)).headers.get('etag') ?? '').slice(1, -1);
    for (const tag of ['"other"', etag, `W/${etag}`, `"${etag.slice(1)}"`]) {
      assert.equal((await readBook(world, { 'if-none-match': tag })).status, 200, tag);
    }
  },
  'has the hash of the venue as its ETag': {
    needs: ['paper venue'],
    run: async (world) => {
      const answer = await readBook(world);
      expectMembers(answer, { hash: answer.headers.get('etag')?.slice(1, -1), min_order_size: '5', neg_risk: false });
    },
  },
  'refuses a token id that is not in canonical form, and says where to find one': async ({ ask }) => {
    for (const text of NO_TOKENS) {
      const answer = await ask({ operation: 'book', target: `/v1/book/${text}` });
      expectProblem(answer, 'invalid_request', { errors: [{ field: 'token_id', detail: TOKEN_RULE }] });
    }
  },
  'refuses a query': async (world) => {
    // A gateway may pass on none of the second.
    const queries = [['?depth=5', 'depth'], ...(world.edge === 'local' ? [['?&', '&']] : [])];
    for (const [query, field] of queries) {
      const errors = [{ field, detail: 'is not a parameter of this endpoint; it has none.' }];
      expectProblem(await readBook(world, {}, query), 'invalid_request', { errors });
    }
  },
  'is 404 for an unknown token': {
    proves: ['unknown_token'],
    run: async ({ ask }) => {
      for (const token of ['0', '1', String(2n ** 256n - 1n)]) {
        expectProblem(await ask({ operation: 'book', target: `/v1/book/${token}` }), 'unknown_token');
      }
    },
  },
  'is read again when the venue does not answer': {
    needs: ['paper venue'],
    run: async (world) => {
      const { venue } = controlOf(world);
      for (const fault of ['reset', 'reset-after', 'cut'] as const) {
        venue.arm({ fault, path: '/book' });
        assert.equal((await readBook(world)).status, 200, fault);
      }
    },
  },
  'reports each failure of the venue by a code of its own': {
    needs: ['paper venue'],
    proves: ['venue_error', 'venue_refused_service', 'venue_unavailable', 'rate_limited'],
    run: async (world) => {
      for (const [fault, code] of [
        ['rate-limit', 'rate_limited'],
        ['error-500', 'venue_error'],
        ['truncated', 'venue_error'],
        ['oversize', 'venue_error'],
        ['redirect', 'venue_error'],
        ['firewall', 'venue_refused_service'],
        ['restart', 'venue_unavailable'],
      ] as const) {
        controlOf(world).venue.arm({ fault, path: '/book', times: 9 });
        expectProblem(await readBook(world), code);
        await disarm(world);
      }
    },
  },
  'is answered within 10 s, whatever the venue does': {
    needs: ['paper venue'],
    proves: ['venue_timeout'],
    slow: true,
    run: async (world) => {
      controlOf(world).venue.arm({ fault: 'hang', path: '/book', times: 99 });
      // `ask` waits for no longer.
      const [answer, health] = await Promise.all([
        readBook(world),
        world.ask({ operation: 'health', target: '/health' }),
      ]);
      // Nothing was asked for but a book: a word on orders would frighten.
      expectProblem(answer, 'venue_timeout', { detail: 'The venue did not answer in time. Try again.' });
      assert.equal(health.status, 200);
      await disarm(world);
    },
  },
});
