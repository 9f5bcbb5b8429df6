import type { components } from './api.ts';
import { OrderBookError } from './error.ts';
import { pause } from './repeat.ts';

type Book = components['schemas']['Book'];

/** Options of watching a book. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Pause between an answer and the next request in milliseconds: 1,000 unless given, from 200 to 60,000. */
  readonly intervalMs?: number | undefined;
  /** Called for each failure after which the watch goes on. */
  readonly onError?: ((error: OrderBookError) => void) | undefined;
}

/** A book with the tag by which the service recognises it. */
interface TaggedBook {
  readonly book: Book;
  readonly etag: string | null;
}

/** Sends one request; returns `undefined` if the book still has the tag. */
export type PollBook = (etag: string | null) => Promise<TaggedBook | undefined>;

const INTERVAL_MS = 1_000;
const MIN_INTERVAL_MS = 200;
const MAX_INTERVAL_MS = 60_000;
/** Longest pause after failures, where the service names none. */
const MAX_BACKOFF_MS = 30_000;
/** Timers cannot wait for more than 24 days: a longer one would end at once. */
const MAX_RETRY_AFTER_MS = 86_400_000;

function checked(intervalMs: number): number {
  if (intervalMs >= MIN_INTERVAL_MS && intervalMs <= MAX_INTERVAL_MS) return intervalMs;
  throw new RangeError(`intervalMs must be from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}, not ${intervalMs}.`);
}

/** Returns the wait after a failure in milliseconds: twice as long each time, or the service's `Retry-After` if longer. */
function waitAfter({ retryAfter = 0 }: OrderBookError, failures: number, intervalMs: number): number {
  const backoff = Math.min(intervalMs * 2 ** failures, Math.max(MAX_BACKOFF_MS, intervalMs));
  return Math.max(backoff * (0.5 + Math.random() / 2), intervalMs, Math.min(retryAfter * 1_000, MAX_RETRY_AFTER_MS));
}

/**
 * Asks repeatedly, one request at a time, and hands over the first book and each that differs from the one before; it waits
 * for `onBook`. Resolves when the signal ends it. Rejects with an `OrderBookError` that is not `repeatable`, and with what
 * `onBook` or `onError` throws.
 */
export async function watch(
  poll: PollBook,
  repeatable: (error: OrderBookError) => boolean,
  onBook: (book: Book) => unknown,
  { signal, intervalMs: interval = INTERVAL_MS, onError }: WatchOptions,
): Promise<void> {
  const intervalMs = checked(interval);
  let etag: string | null = null;
  let last: string | undefined;
  let failures = 0;
  /** Asks once; returns the pause before the next request, and the book if it has changed. */
  const ask = async (): Promise<{ readonly pauseMs: number; readonly changed?: Book }> => {
    try {
      const polled = await poll(etag);
      failures = 0;
      if (!polled) return { pauseMs: intervalMs };
      etag = polled.etag;
      // A gateway may change or drop the tag, so the books are compared too.
      const text = JSON.stringify(polled.book);
      const isSame = text === last;
      last = text;
      return { pauseMs: intervalMs, ...(!isSame && { changed: polled.book }) };
    } catch (error) {
      if (!(error instanceof OrderBookError && repeatable(error))) throw error;
      failures += 1;
      onError?.(error);
      return { pauseMs: waitAfter(error, failures, intervalMs) };
    }
  };
  try {
    while (!signal.aborted) {
      const { pauseMs, changed } = await ask();
      if (changed && !signal.aborted) await onBook(changed);
      await pause(pauseMs, signal);
    }
  } catch (error) {
    if (!(signal.aborted && error instanceof OrderBookError && error.code === 'aborted')) throw error;
  }
}
