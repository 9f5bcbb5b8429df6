import { SAME_TIME_MS, WRONG_CLOCK_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';

/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a date of a header as epoch milliseconds; `NaN` for anything else. */
export function parseHttpDate(text = ''): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

interface ClockSources {
  /** Our wall clock, in milliseconds of the Unix epoch. */
  readonly ownNow?: () => number;
  /** The monotonic clock, in milliseconds. It may stand still while the machine is suspended. */
  readonly uptime?: () => number;
  /** Called once, where our wall clock is wrong, with the milliseconds by which the venue's is ahead of it. */
  readonly onWrong?: (aheadMs: number) => void;
}

/**
 * Creates the clock by which a process counts times, in milliseconds of the Unix epoch: the venue's, from the `Date` headers
 * of its answers. It follows the monotonic clock between answers and never goes back, so a step of our own clock changes
 * nothing. Before the first answer our own clock counts; the first answer replaces it, backwards too. An answer that differs
 * by more than a minute counts only once the next one agrees with it: a single wrong `Date` would end leases and orders.
 */
export function createVenueClock({
  ownNow = () => Date.now(),
  uptime = () => performance.now(),
  onWrong,
}: ClockSources = {}) {
  /** The difference between the venue's clock and the monotonic one. */
  let offset: number | undefined;
  /** The difference of an answer that no second one has confirmed. */
  let doubted = Number.NaN;
  /** The difference between our wall clock and the monotonic one at the last answer that counted. */
  let ownOffset = 0;
  let hasWarned = false;
  const now = () => (offset === undefined ? ownNow() : Math.round(uptime() + offset));
  const skew = () => now() - ownNow();

  return {
    now,
    /** Returns the milliseconds by which this clock is ahead of our own. */
    skew,
    /** Returns true after the venue's first answer. */
    isKnown: () => offset !== undefined,
    /** Returns true where our wall clock has run ahead since the last answer: the process stood still, or ours was set. */
    isStale: () => offset !== undefined && ownNow() - uptime() - ownOffset > SAME_TIME_MS,
    /**
     * Takes the `Date` header of an answer that has just come; a header has whole seconds. Returns true if a second answer
     * must confirm it before it counts.
     */
    heed(date: string | undefined): boolean {
      const next = parseHttpDate(date) - uptime();
      if (Number.isNaN(next)) return false;
      const isFar = Math.abs(next + uptime() - now()) > WRONG_CLOCK_MS;
      // Written so that no doubted answer, which is `NaN`, agrees with none.
      if (isFar && !(Math.abs(next - doubted) <= SAME_TIME_MS)) {
        doubted = next;
        // An earlier time than that of a running clock changes nothing, confirmed or not.
        return offset === undefined || next > offset;
      }
      doubted = Number.NaN;
      offset = Math.max(next, offset ?? next);
      ownOffset = ownNow() - uptime();
      const aheadMs = skew();
      if (!hasWarned && Math.abs(aheadMs) > WRONG_CLOCK_MS) {
        hasWarned = true;
        onWrong?.(aheadMs);
      }
      return false;
    },
  };
}

/** Opens the clock of a process, which warns once where ours is wrong. */
export function openClock(log: Log): VenueClock {
  const message = 'clock of this machine wrong by more than a minute: set it by NTP';
  return createVenueClock({
    onWrong: (aheadMs) => log.warn(message, { venue_ahead_s: Math.round(aheadMs / 1_000) }),
  });
}

/** The clock by which a process counts. */
export type VenueClock = ReturnType<typeof createVenueClock>;
