import { NOTICEABLE_SKEW_MS } from '../../../limits.ts';
import type { Moment } from '../../port.ts';

/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a date of a header as epoch milliseconds; `NaN` for anything else. */
export function parseHttpDate(text = ''): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * The venue's clock, as the `Date` headers of its answers tell it. Between them it follows the monotonic clock, so
 * that setting our clock does not move the venue's. Times are milliseconds of the Unix epoch.
 */
export class VenueClock {
  readonly #ownNow: () => number;
  /** The monotonic clock, in milliseconds. */
  readonly uptime: () => number;
  /** The difference of the venue's clock and the monotonic one. */
  #venueOffset: number | undefined;
  /** The difference of our clock and the monotonic one at the last `Date` header. */
  #ownOffset = 0;

  /** `ownNow`: our wall clock. */
  constructor(ownNow: () => number = Date.now, uptime: () => number = () => performance.now()) {
    this.#ownNow = ownNow;
    this.uptime = uptime;
  }

  /** Returns the venue's time: ours before its first answer. */
  now(): number {
    return this.#venueOffset === undefined ? this.#ownNow() : this.uptime() + this.#venueOffset;
  }

  /** Returns this moment by both clocks, in whole milliseconds. */
  moment(): Moment {
    return { venue: Math.round(this.now()), own: this.#ownNow() };
  }

  /** The milliseconds by which the venue's clock is ahead of ours. */
  get skew(): number {
    return this.now() - this.#ownNow();
  }

  /** Returns true if the venue's time is known, and since then our clock was not set and the machine did not sleep. */
  isCertain(): boolean {
    const setBy = this.#ownNow() - this.uptime() - this.#ownOffset;
    return this.#venueOffset !== undefined && Math.abs(setBy) < NOTICEABLE_SKEW_MS;
  }

  /** Sets the clock by the `Date` header, in whole seconds, of an answer to a request of `askedAt` by the monotonic clock. */
  heed(date: string | undefined, askedAt: number): void {
    const time = parseHttpDate(date);
    if (Number.isNaN(time)) return;
    const now = this.uptime();
    const least = time - now;
    const most = time + 1_000 - askedAt;
    // The known time stays unless the answer contradicts it: an answer that a frozen process reads late would set the
    // venue's clock back.
    const known = this.#venueOffset;
    if (known === undefined || known < least || known > most) this.#venueOffset = least;
    this.#ownOffset = this.#ownNow() - now;
  }
}
