import type { components } from './api.ts';
import { memberOf, OrderBookError } from './error.ts';
import { jittered, pause } from './repeat.ts';

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
/** Longest range of the pause after failures. */
const MAX_BACKOFF_MS = 30_000;
/** Timers cannot wait for more than 24 days: a longer one would end at once. */
const MAX_RETRY_AFTER_MS = 86_400_000;

function checked(intervalMs: number): number {
  if (intervalMs >= MIN_INTERVAL_MS && intervalMs <= MAX_INTERVAL_MS) return intervalMs;
  throw new RangeError(`intervalMs must be from ${MIN_INTERVAL_MS} to ${MAX_INTERVAL_MS}, not ${intervalMs}.`);
}

/** Returns the wait after a failure in milliseconds: what the service says, and a random part of a range that doubles each time. */
function waitAfter({ retryAfter = 0 }: OrderBookError, failures: number, intervalMs: number): number {
  const told = Math.min(retryAfter * 1_000, MAX_RETRY_AFTER_MS);
  const range = Math.min(intervalMs * 2 ** failures, Math.max(MAX_BACKOFF_MS, intervalMs));
  return jittered(Math.max(told, intervalMs), range);
}

/** Waits while nobody can see the page that the client runs in, or until the signal; returns at once outside of a page. */
async function whileHidden(signal: AbortSignal): Promise<void> {
  const page = memberOf(globalThis, 'document');
  const isHidden = () => memberOf(page, 'visibilityState') === 'hidden';
  if (!(page instanceof EventTarget) || !isHidden() || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (isHidden() && !signal.aborted) return;
      page.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    page.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
  });
}

/**
 * Asks repeatedly, one request at a time and none while the page is hidden, and hands over the first book and each that differs from the one before; it waits
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
      await whileHidden(signal);
    }
  } catch (error) {
    if (!(signal.aborted && error instanceof OrderBookError && error.code === 'aborted')) throw error;
  }
}
