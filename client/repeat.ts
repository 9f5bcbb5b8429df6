import { OrderBookError } from './error.ts';

/** The first attempt and three repeats. */
const MAX_ATTEMPTS = 4;
/** Milliseconds before the first repeat; doubled for each further one, and varied so that clients do not keep step. */
const FIRST_PAUSE = 400;
/** Seconds. A caller is not left waiting for longer: the error tells how long it would be. */
const MAX_RETRY_AFTER = 30;

function aborted(signal: AbortSignal): OrderBookError {
  return new OrderBookError('The call was aborted.', { code: 'aborted', cause: signal.reason });
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      if (signal) reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** What `attempt` threw as our error: it ended without an answer, unless it is ours already. */
function toError(thrown: unknown, signal: AbortSignal | undefined): OrderBookError {
  if (signal?.aborted) return aborted(signal);
  if (thrown instanceof OrderBookError) return thrown;
  return new OrderBookError('There was no answer.', { code: 'network_error', cause: thrown });
}

/** Runs `attempt` until it succeeds, fails in a way that is not `repeatable`, or was tried often enough. */
export async function repeat<T>(
  attempt: () => Promise<T>,
  repeatable: (error: OrderBookError) => boolean,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    if (signal?.aborted) throw aborted(signal);
    try {
      return await attempt();
    } catch (thrown) {
      const error = toError(thrown, signal);
      const { retryAfter = 0 } = error;
      if (attempts >= MAX_ATTEMPTS || retryAfter > MAX_RETRY_AFTER || !repeatable(error)) throw error;
      const backoff = FIRST_PAUSE * 2 ** (attempts - 1) * (0.5 + Math.random() / 2);
      await pause(Math.max(retryAfter * 1_000, backoff), signal);
    }
  }
}
