/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a date of a header as epoch milliseconds; `NaN` for anything else. */
export function parseHttpDate(text = ''): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * The clock by which the service counts times, in milliseconds of the Unix epoch: the venue's, from the `Date` headers of
 * its answers. It follows the monotonic clock between answers and never goes back, so a step of our own clock changes
 * nothing. Before the first answer our own clock counts; the first answer replaces it, backwards too.
 */
export class VenueClock {
  readonly #ownNow: () => number;
  readonly #uptime: () => number;
  /** The difference between the venue's clock and the monotonic one. */
  #offset: number | undefined;

  /** `ownNow`: our wall clock. `uptime`: the monotonic clock, in milliseconds. */
  constructor(ownNow: () => number = Date.now, uptime: () => number = () => performance.now()) {
    this.#ownNow = ownNow;
    this.#uptime = uptime;
  }

  now(): number {
    return this.#offset === undefined ? this.#ownNow() : Math.round(this.#uptime() + this.#offset);
  }

  /** True after the venue's first answer. */
  get isKnown(): boolean {
    return this.#offset !== undefined;
  }

  /** The milliseconds by which this clock is ahead of our own. */
  get skew(): number {
    return this.now() - this.#ownNow();
  }

  /** Moves the clock to the `Date` header of an answer that has just come; a header has whole seconds. */
  heed(date: string | undefined): void {
    const time = parseHttpDate(date);
    if (Number.isNaN(time)) return;
    const offset = time - this.#uptime();
    if (this.#offset === undefined || offset > this.#offset) this.#offset = offset;
  }
}
