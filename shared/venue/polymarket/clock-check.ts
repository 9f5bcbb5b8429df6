import type { Call } from '../../call.ts';
import { refuse } from '../../errors.ts';
import { WRONG_CLOCK_MS } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { readClockSkew } from './calls/read-time.ts';
import type { Transport } from './http/transport.ts';

/**
 * Compares our clock with the venue's. A wrong clock ends orders and leases at wrong times, and the venue refuses requests
 * that are signed by it. The `Date` of one answer may be wrong: it raises a doubt, which the venue's own time settles.
 */
export function createClockCheck(log: Log) {
  // Until the first answer nothing is known.
  let isDoubted = true;
  return {
    /** Takes the `Date` of an answer that has just come, in epoch milliseconds. A `Date` has whole seconds. */
    heed(date: number): void {
      isDoubted = Math.abs(date + 500 - Date.now()) > WRONG_CLOCK_MS;
    },
    /**
     * Asks the venue for its time while its last answer differs from our clock. Throws `venue_refused_service` with the
     * reason `clock` where our clock is wrong, and the errors of `MarketData` where the venue cannot be asked.
     */
    async check(clob: Transport, call: Call): Promise<void> {
      if (!isDoubted) return;
      const aheadMs = -(await readClockSkew(clob, call));
      if (Math.abs(aheadMs) <= WRONG_CLOCK_MS) return;
      const aheadS = Math.round(aheadMs / 1_000);
      const facts = { ahead_s: aheadS, ...call.trace, metric: 'wrong_clocks' } as const;
      log.error('clock of this machine differs from the venue: no order is signed', facts);
      throw refuse('venue_refused_service', { reason: 'clock', aheadS });
    },
  };
}
