import { noAnswer, OrderBookError } from './error.ts';

/** Number of attempts: the first one and three repeats. */
const MAX_ATTEMPTS = 4;
/** Longest pause before the first repeat, besides `Retry-After`; it doubles for each further one. */
const FIRST_PAUSE_MS = 400;
/** Latest repeat: a machine may sleep for days, and the service forgets a key 24 hours after its last use. */
const MAX_CALL_MS = 3_600_000;
/** Longest wait of a call; if the service asks for more, the error is thrown at once and has the wait. */
const MAX_RETRY_AFTER_S = 30;

function aborted(signal: AbortSignal | undefined): OrderBookError {
  return new OrderBookError('The call was aborted.', { code: 'aborted', cause: signal?.reason });
}

/**
 * Returns a wait in milliseconds: at least `leastMs`, and a random part of `rangeMs` on top. Clients that failed at one instant,
 * or that were told one `Retry-After`, come back spread over the range.
 */
export function jittered(leastMs: number, rangeMs: number): number {
  return leastMs + Math.random() * rangeMs;
}

/** Waits; throws `aborted` as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.reject(aborted(signal));
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Waits for a wallet, which cannot be aborted itself. Throws `aborted` by the signal, and if the wallet throws. */
export function walletAnswer<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal?.aborted) return Promise.reject(aborted(signal));
  return new Promise((resolve, reject) => {
    const stop = () => reject(aborted(signal));
    signal?.addEventListener('abort', stop, { once: true });
    const refuse = (cause: unknown) =>
      reject(new OrderBookError('The wallet did not sign.', { code: 'aborted', cause }));
    void ask()
      .then(resolve, refuse)
      .finally(() => signal?.removeEventListener('abort', stop));
  });
}

/** When and how an attempt is repeated. */
export interface RepeatRules {
  /** Address of the service, for the error of an attempt without an answer. */
  readonly baseUrl: string;
  readonly repeatable: (error: OrderBookError) => boolean;
  readonly signal: AbortSignal | undefined;
  readonly attempts?: number | undefined;
}

/** Runs `attempt` until it succeeds, fails in a way that is not `repeatable`, or was tried often enough. */
export async function repeat<T>(attempt: () => Promise<T>, rules: RepeatRules): Promise<T> {
  const { baseUrl, repeatable, signal, attempts = MAX_ATTEMPTS } = rules;
  const lastAt = Date.now() + MAX_CALL_MS;
  for (let made = 1; ; made += 1) {
    if (signal?.aborted) throw aborted(signal);
    try {
      return await attempt();
    } catch (thrown) {
      if (signal?.aborted) throw aborted(signal);
      // Unless the error is ours already, there was no answer.
      const error = thrown instanceof OrderBookError ? thrown : noAnswer(baseUrl, thrown);
      const { retryAfter = 0 } = error;
      if (made >= attempts || retryAfter > MAX_RETRY_AFTER_S || !repeatable(error)) throw error;
      await pause(jittered(retryAfter * 1_000, FIRST_PAUSE_MS * 2 ** (made - 1)), signal);
      if (Date.now() > lastAt) throw error;
    }
  }
}
