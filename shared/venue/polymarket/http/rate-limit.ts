import type { IncomingHttpHeaders } from 'node:http';
import type { RateLimit } from '../../port.ts';

/** The rate limit as an answer of the venue tells it. */
export interface ToldRateLimit extends RateLimit {
  /** The venue would have refused the request if it enforced its limits. */
  readonly warning: boolean;
}

/** No limit of orders a second asks for a longer wait: a larger value is in another unit, or by another clock. */
const MAX_RESET_S = 3_600;

/** Epoch times in seconds stay below this number for 900 years. */
const MAX_EPOCH_S = 34_000_000_000;

/**
 * Reads a time as seconds from now, rounded up; `null` where no unit makes it plausible. The venue documents a Unix
 * timestamp in seconds; milliseconds and a wait are understood too. `now` is its clock in epoch milliseconds.
 */
function parseReset(text: string, now: number): number | null {
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return null;
  const value = Number(text);
  if (value <= MAX_RESET_S) return Math.ceil(value);
  const wait = Math.ceil(((value < MAX_EPOCH_S ? value * 1_000 : value) - now) / 1_000);
  if (wait < 0 || wait > MAX_RESET_S) return null;
  // Rounding up gives a minus zero too.
  return wait || 0;
}

/**
 * Reads the headers `Poly-RateLimit-*` that the venue's limits by signer address put on answers to orders; `undefined`
 * where there are none. `now` is the venue's clock in epoch milliseconds. Source:
 * https://docs.polymarket.com/api-reference/trading-rate-limits.
 */
export function parseRateLimit(headers: IncomingHttpHeaders, now: number): ToldRateLimit | undefined {
  const told = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value.trim() : '';
  };
  const remaining = told('poly-ratelimit-remaining');
  const reset = told('poly-ratelimit-reset');
  const tier = told('poly-ratelimit-tier');
  const warning = told('poly-ratelimit-warning');
  if (!remaining && !reset && !tier && !warning) return undefined;
  return {
    remaining: /^-?\d{1,9}(?:\.\d{1,9})?$/.test(remaining) ? Number(remaining) : null,
    reset: parseReset(reset, now),
    tier: /^[\w .-]{1,32}$/.exec(tier)?.[0] ?? null,
    warning: /^true$/i.test(warning),
  };
}
