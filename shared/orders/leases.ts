import type { UnfinishedOrder } from './record.ts';

/** The number of leases to remember: the venue's rate limit allows no more at once; each takes 100 bytes. */
const MOST_LEASES = 10_000;

/** Returns for how many milliseconds a lease still blocks others; 0 once it is over. `now`: the wall clock. */
export type RemainingMs = (lease: UnfinishedOrder['lease'], now: number) => number;

/**
 * Creates the judge of leases. A lease is over at its end, and at the latest `leaseMs` after this process first saw it: a wrong
 * clock may have written an end far ahead. Its holder sends nothing after that, since its time budget is shorter.
 */
export function judgeLeases(leaseMs: number, uptime: () => number): RemainingMs {
  const seenAt = new Map<string, number>();
  return ({ owner, until }, now) => {
    const since = seenAt.get(owner) ?? uptime();
    seenAt.set(owner, since);
    const [oldest = owner] = seenAt.keys();
    if (seenAt.size > MOST_LEASES) seenAt.delete(oldest);
    return Math.max(0, Math.min(until - now, since + leaseMs - uptime()));
  };
}
