import { describe, expect, it } from '@jest/globals';
import { explore } from '../../support/orders/interleavings.ts';
import { createWorld, type WorldOptions } from '../../support/orders/order-world.ts';
import type { Flaw } from '../../support/orders/order-world-store.ts';

/** Enough for each failure to meet each other one, and for two leases to end. */
const BOUNDS = { faults: 2, ticks: 2 };

describe('the protocol of keyed orders, in every interleaving of two processes and a later repeat', () => {
  it.each<WorldOptions['key']>(['unused', 'of an unsent order', 'of a live order', 'of a filled order'])(
    'sends one order at most, and says no untrue or changing final answer, with a key %s',
    async (key) => {
      const { broken, states, ends } = await explore(() => createWorld({ ...BOUNDS, key }));
      expect(broken).toBeUndefined();
      // A search that found nothing because it went nowhere would pass as well.
      expect(states).toBeGreaterThan(1_000);
      expect(ends).toBeGreaterThan(20);
    },
    300_000,
  );

  it.each<[Flaw, WorldOptions['key'], string]>([
    ['nothing is stored before sending', 'unused', 'two orders were sent'],
    ['a first record overwrites another', 'unused', 'two orders were sent'],
    ['a repeat signs anew', 'of an unsent order', 'two orders were sent'],
    ['a lease is not respected', 'unused', 'refused, it was said, and the venue has the order'],
    ['a lease is taken over by everybody', 'of an unsent order', 'refused, it was said, and the venue has the order'],
    ['a refusal is stored without the lease', 'unused', 'refused, it was said, and the venue has the order'],
    ['a refusal is given though it is not stored', 'unused', 'refused, it was said, and the venue has the order'],
    ['the clock is not read before sending', 'unused', 'refused, it was said, and the venue has the order'],
    // Not a part of the protocol but what it relies on: the venue knows an order again that it took and forgot.
    [
      'the venue looks for the balance before the duplicate',
      'of a filled order',
      'refused, it was said, and the venue has the order',
    ],
  ])(
    'breaks when %s, with a key %s',
    async (flaw, key, breach) => {
      const { broken } = await explore(() => createWorld({ ...BOUNDS, key, flaw }));
      expect(broken?.breach).toBe(breach);
    },
    300_000,
  );
});
