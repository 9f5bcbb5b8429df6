import { NOTICEABLE_SKEW_MS } from '../../../limits.ts';
import type { Moment } from '../../port.ts';

/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a date of a header as epoch milliseconds; `NaN` for anything else. */
export function parseHttpDate(text = ''): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/** The venue's clock, as the `Date` headers of its answers tell it. Times are milliseconds of the Unix epoch. */
export class VenueClock {
  readonly #ownNow: () => number;
  #skew = 0;
  /** The difference of our clock and the monotonic one at the last `Date` header. */
  #offset: number | undefined;

  /** `ownNow`: our wall clock. */
  constructor(ownNow: () => number = Date.now) {
    this.#ownNow = ownNow;
  }

  /** Returns the venue's time: ours before its first answer. */
  now(): number {
    return this.#ownNow() + this.#skew;
  }

  /** Returns this moment by both clocks, in whole milliseconds. */
  moment(): Moment {
    const own = this.#ownNow();
    return { venue: Math.round(own + this.#skew), own };
  }

  /** The milliseconds by which the venue's clock is ahead of ours. */
  get skew(): number {
    return this.#skew;
  }

  /**
   * Returns true if the skew is known and our clock was not set back since. One that was set ahead looks like that of a
   * process which stood still, and dates what is sent later, never earlier.
   */
  isCertain(): boolean {
    return this.#offset !== undefined && this.#ownNow() - performance.now() > this.#offset - NOTICEABLE_SKEW_MS;
  }

  /** Sets the clock by the `Date` header, in whole seconds, of an answer to a request of `askedAt` by our clock. */
  heed(date: string | undefined, askedAt: number): void {
    const time = parseHttpDate(date);
    if (Number.isNaN(time)) return;
    const [least, most] = [time - this.#ownNow(), time + 1_000 - askedAt];
    // The known skew stays where the answer does not contradict it: one that is read late, by a process that stood still,
    // would put the venue's clock back by as long.
    const isKnown = this.#offset !== undefined && this.#skew >= least && this.#skew <= most;
    if (!isKnown) this.#skew = least;
    this.#offset = this.#ownNow() - performance.now();
  }
}
