import { dropOldest } from '../drop-oldest.ts';
import type { UnfinishedOrder } from './record.ts';

/** Owners of leases that are remembered; the oldest goes first. */
const MAX_OWNERS = 10_000;

/** Remembers since when each foreign lease has been seen, by `elapsed`: a monotonic clock in milliseconds. */
export function createLeaseWatch(leaseMs: number, elapsed: () => number) {
  const seenAt = new Map<string, number>();
  return {
    /** Returns how long the lease can still last, in milliseconds: no wall clock makes it longer than `leaseMs` in all. */
    remaining({ owner, until }: UnfinishedOrder['lease'], now: number): number {
      if (until <= now) return 0;
      const since = seenAt.get(owner) ?? elapsed();
      seenAt.set(owner, since);
      dropOldest(seenAt, MAX_OWNERS);
      return Math.min(until - now, since + leaseMs - elapsed());
    },
  };
}
