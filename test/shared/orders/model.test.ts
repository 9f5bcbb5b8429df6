import { describe, expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderEntry } from '../../../shared/venue/port.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { explore } from '../../support/orders/interleavings.ts';
import { createWorld, type Flaw, ORDER, type WorldOptions } from '../../support/orders/order-world.ts';

const TWO = 'two orders are at the venue';
const TAKEN = 'venue_unavailable, it was said, and the venue had the order';
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

type Write = OrderStore['write'];

/** A store that writes otherwise. */
const writing =
  (change: (write: Write, ...written: Parameters<Write>) => ReturnType<Write>): Flaw =>
  (parts) => ({
    ...parts,
    store: { ...parts.store, write: (...written) => change(parts.store.write, ...written) },
  });

/** One part of the protocol taken out, by name. */
const FLAWS: Readonly<Record<string, Flaw>> = {
  'nothing is stored before sending': writing(async (write, key, record, over) =>
    over === 'nothing' ? 'written' : write(key, record, over),
  ),
  'a repeat signs anew': ({ entry, ...parts }) => ({
    ...parts,
    entry: { ...entry, settle: async (_order, call) => entry.settle(await entry.sign(ORDER, call), call) },
  }),
  'a refusal of a second sending is believed at once': (parts) => ({ ...parts, lateArrivalMs: 0 }),
  'the record forgets that bytes have left': writing((write, key, record, over) =>
    write(key, record?.state === 'unfinished' ? { ...record, unconfirmedAt: null } : record, over),
  ),
  'a refusal is stored without the lease': writing((write, key, record, over) =>
    write(key, record, record?.state === 'finished' ? { unfinished: record.orderId } : over),
  ),
  'a refusal is given though it is not stored': writing((write, key, record, over) => {
    const written = write(key, record, over);
    return record?.state === 'finished' ? written.catch(() => 'written' as const) : written;
  }),
  'the right to send is not asked for': (parts, client) => {
    const { submit, settle } = parts.entry;
    const entry: OrderEntry = {
      ...parts.entry,
      submit: (order, { leaseUntil: _, ...call }) => submit(order, call),
      settle: (order, { leaseUntil: _, ...call }) => settle(order, call),
    };
    // Of one process: the search is shorter.
    return client === 'A' ? { ...parts, entry } : parts;
  },
  'nobody looks whether an order was taken over': writing(async (write, key, record, over) => {
    const written = await write(key, record, over);
    return record?.state === 'unfinished' && record.lease.until === 0 ? 'written' : written;
  }),
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

  // There is no flaw of a lease: it spares the venue a second sending, and what is said does not rest on it.
  // With as many failures and leases as it takes: with more, the search is ten times as long.
  it.each([
    ['nothing is stored before sending', 'unused', TWO, 0, 1],
    ['a repeat signs anew', 'of an unsent order', TWO, 0, 1],
    ['a refusal of a second sending is believed at once', 'unused', UNTRUE, 1, 1],
    ['the record forgets that bytes have left', 'unused', TAKEN, 1, 1],
    ['a refusal is stored without the lease', 'unused', UNTRUE, 0, 1],
    ['a refusal is given though it is not stored', 'unused', UNTRUE, 1, 1],
    ['the right to send is not asked for', 'unused', UNTRUE, 0, 3],
    ['nobody looks whether an order was taken over', 'unused', TAKEN, 1, 1],
  ] as const)('breaks when %s, with a key %s', async (name, key, breach, faults, ticks) => {
    const { broken } = await explore(() => createWorld({ faults, ticks, key, flaw: FLAWS[name] }));
    expect(broken?.breach).toBe(breach);
  });
});
