import { refuse } from '../shared/errors.ts';
import { FOREIGN_PAGES_PER_S } from '../shared/limits.ts';
import type { RequestHead } from './request-head.ts';

/**
 * Makes the limit of requests from web pages whose origin is not listed, all of them together, whatever they ask for:
 * any page that is open on the operator's machine can send them, and each may use up some of what the venue allows the
 * operator. Throws 429 `rate_limited`. `now`: a monotonic clock in milliseconds.
 */
export function createForeignPageLimit(
  listed: readonly string[],
  now: () => number = () => performance.now(),
): (head: Pick<RequestHead, 'headers'>) => void {
  let [left, countedAt] = [FOREIGN_PAGES_PER_S, now()];
  return ({ headers }) => {
    const isForeign = headers.some(([name, value]) => name === 'origin' && !listed.includes(value));
    if (!isForeign) return;
    const time = now();
    left = Math.min(left + ((time - countedAt) / 1_000) * FOREIGN_PAGES_PER_S, FOREIGN_PAGES_PER_S);
    countedAt = time;
    if (left < 1) throw refuse('rate_limited', { rateOf: 'pages' });
    left -= 1;
  };
}
