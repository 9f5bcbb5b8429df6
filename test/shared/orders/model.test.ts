import { describe, expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { explore } from '../../support/orders/interleavings.ts';
import { createWorld, type Flaw, type WorldOptions } from '../../support/orders/order-world.ts';

const TWO = 'two orders are at the venue';
const UNTRUE = 'refused, it was said, and the venue has the order';

/**
 * Failures on one path, and leases that end on it. In full: enough for two leases to end and for every late arrival; two
 * failures meet each other where that is not too much. Else: what two processes do to each other while one lease ends, or
 * two, and mostly where nothing fails.
 */
const SEARCHES: readonly (readonly [WorldOptions['key'], full: Bounds, short: Bounds])[] = [
  ['unused', [1, 2], [0, 2]],
  ['of an unsent order', [2, 2], [1, 1]],
  ['of a live order', [2, 2], [1, 2]],
  ['of a filled order', [2, 2], [1, 1]],
  ['of an order that is held up', [1, 2], [0, 2]],
];
type Bounds = readonly [faults: number, ticks: number];

/** One part of the protocol taken out: a store that writes otherwise, or a time that is not waited for. */
const FLAWS: Readonly<Record<string, Flaw>> = {
  'nothing is stored before sending': ({ store, ...parts }) => {
    const write: OrderStore['write'] = async (key, record, over) =>
      over === 'nothing' ? 'written' : store.write(key, record, over);
    return { ...parts, store: { ...store, write } };
  },
  'a refusal of a second sending is believed at once': (parts) => ({ ...parts, lateArrivalMs: 0 }),
};

describe('the protocol of keyed orders, in every interleaving of two processes and a later repeat', () => {
  it.each(SEARCHES)(
    'places one order at most, and says no untrue or changing final answer, with a key %s',
    async (key, full, short) => {
      const [faults, ticks] = FULL_EXTENT ? full : short;
      const { broken, states, ends } = await explore(() => createWorld({ faults, ticks, key }));
      expect(broken).toBeUndefined();
      // A search that found nothing because it went nowhere would pass as well.
      expect(states).toBeGreaterThan(1_000);
      expect(ends).toBeGreaterThan(20);
    },
  );

  // Without a flaw that it finds, a search proves nothing.
  it.each([
    ['nothing is stored before sending', TWO, 0],
    ['a refusal of a second sending is believed at once', UNTRUE, 1],
  ] as const)('breaks when %s', async (name, breach, faults) => {
    const { broken } = await explore(() => createWorld({ faults, ticks: 1, key: 'unused', flaw: FLAWS[name] }));
    expect(broken?.breach).toBe(breach);
  });
});
