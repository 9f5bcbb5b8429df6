import { describe, expect, it } from '@jest/globals';
import { FULL_EXTENT } from '../../support/jest.ts';
import { explore } from '../../support/orders/interleavings.ts';
import { createWorld, type WorldOptions } from '../../support/orders/order-world.ts';
import type { Flaw } from '../../support/orders/order-world-ends.ts';

const TWO = 'two orders are at the venue';
const TAKEN = 'venue_unavailable, it was said, and the venue had the order';
const UNTRUE = 'refused, it was said, and the venue has the order';

type Key = Exclude<WorldOptions['key'], 'of an order that is held up'>;
/** Failures on one path, and leases that end on it. */
type Bounds = Readonly<Record<Key, { readonly faults: number; readonly ticks: number }>>;

/** Enough for two leases to end and for every late arrival; two failures meet each other where that is not too much. */
const FULL: Bounds = {
  unused: { faults: 1, ticks: 2 },
  'of an unsent order': { faults: 2, ticks: 2 },
  'of a live order': { faults: 2, ticks: 2 },
  'of a filled order': { faults: 2, ticks: 2 },
};
/** What two processes do to each other while one lease ends, or two, and mostly where nothing fails. */
const SHORT: Bounds = {
  unused: { faults: 0, ticks: 2 },
  'of an unsent order': { faults: 1, ticks: 1 },
  'of a live order': { faults: 1, ticks: 2 },
  'of a filled order': { faults: 1, ticks: 1 },
};
const BOUNDS = FULL_EXTENT ? FULL : SHORT;
const KEYS = ['unused', 'of an unsent order', 'of a live order', 'of a filled order'] as const;

describe('the protocol of keyed orders, in every interleaving of two processes and a later repeat', () => {
  it.each(KEYS)(
    'places one order at most, and says no untrue or changing final answer, with a key %s',
    async (key) => {
      const { broken, states, ends } = await explore(() => createWorld({ ...BOUNDS[key], key }));
      expect(broken).toBeUndefined();
      // A search that found nothing because it went nowhere would pass as well.
      expect(states).toBeGreaterThan(1_000);
      expect(ends).toBeGreaterThan(20);
    },
    300_000,
  );

  // There is no flaw of a lease: it spares the venue a second sending, and what is said does not rest on it.
  // With as many failures and leases as it takes: with more, the search is ten times as long.
  it.each<[Flaw, Key, string, faults: number, ticks: number]>([
    ['nothing is stored before sending', 'unused', TWO, 0, 1],
    ['a first record overwrites another', 'unused', TWO, 0, 1],
    ['a repeat signs anew', 'of an unsent order', TWO, 0, 1],
    ['a refusal of a second sending is believed at once', 'unused', UNTRUE, 1, 1],
    ['the record forgets that bytes have left', 'unused', TAKEN, 1, 1],
    ['nothing is looked up after a refusal', 'of a filled order', UNTRUE, 0, 2],
    ['a refusal is stored without the lease', 'unused', UNTRUE, 0, 1],
    ['a refusal is given though it is not stored', 'unused', UNTRUE, 1, 1],
    ['the right to send is not asked for', 'unused', UNTRUE, 0, 3],
    ['nobody looks whether an order was taken over', 'unused', TAKEN, 1, 1],
  ])(
    'breaks when %s, with a key %s',
    async (flaw, key, breach, faults, ticks) => {
      const { broken } = await explore(() => createWorld({ faults, ticks, key, flaw }));
      expect(broken?.breach).toBe(breach);
    },
    300_000,
  );
});
