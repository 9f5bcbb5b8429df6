/** Seconds. A longer wait is a mistake of the venue's, or its way to say that it is gone. */
const MAX_WAIT = 86_400;
/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a `Retry-After` header as whole seconds; `now` is the venue's clock in epoch milliseconds. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_WAIT);
  const seconds = HTTP_DATE.test(value) ? Math.ceil((Date.parse(value) - now) / 1_000) : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_WAIT);
}

/** The wait that the caller is told: what the venue asks for, but never none at all, which would make clients spin. */
export function toldWait(seconds: number | undefined): { readonly retryAfter?: number } {
  return seconds === undefined ? {} : { retryAfter: Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT) };
}
