import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf, type Pair } from './equality.ts';
import type { ClientRequest } from './gateway.ts';
import { order } from './requests.ts';
import type { World } from './world.ts';

/** The contract's times. */
const READ_LIMIT_MS = 10_000;
const ORDER_LIMIT_MS = 25_000;

/** Checks against a venue that accepts everything and never answers: the full wait, once, in all ways at a time. */
export function describeDeadlines(world: World, { local, lambda }: Pair): void {
  const ask = async (way: Pair['local'], request: ClientRequest, limit: number) => {
    const startedAt = performance.now();
    const answer = await way.send(request);
    const elapsed = performance.now() - startedAt;
    assert.ok(elapsed < limit, `answered after ${elapsed} ms`);
    return { status: answer.status, code: codeOf(answer) };
  };
  describe('a venue that hangs', () => {
    it('is answered in our words before Lambda or the gateway give up', { timeout: 40_000 }, async () => {
      const hang = { fault: 'hang', times: 999 } as const;
      // The books stay readable: an order gets as far as it can.
      world.venue.arm(['/markets', '/order', '/data'].map((path) => ({ ...hang, path })));
      const markets = { method: 'GET', path: '/v1/markets' };
      const answers = await Promise.all(
        [local, lambda].flatMap((way) => [
          ask(way, markets, READ_LIMIT_MS),
          ask(way, order(world.token), ORDER_LIMIT_MS),
        ]),
      );
      await world.calm();
      const expected = [
        { status: 504, code: 'venue_timeout' },
        { status: 504, code: 'outcome_unknown' },
      ];
      assert.deepEqual(answers, [...expected, ...expected]);
    });
  });
}
