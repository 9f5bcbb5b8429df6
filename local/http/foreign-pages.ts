import { refuse } from '../../shared/errors.ts';
import { FOREIGN_PAGES_PER_S } from '../../shared/limits.ts';
import { type RequestHead, valuesOf } from './request-head.ts';

/**
 * Tells a request from a web page whose origin is not listed. A picture or a `no-cors` read comes without an origin:
 * then the browser says whether the page is one of our own (Fetch Metadata).
 */
function isForeign({ headers }: Pick<RequestHead, 'headers'>, listed: readonly string[]): boolean {
  const origins = valuesOf(headers, 'origin');
  if (origins.length > 0) return origins.some((origin) => !listed.includes(origin));
  return valuesOf(headers, 'sec-fetch-site').some((site) => site !== 'same-origin' && site !== 'none');
}

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
  return (head) => {
    if (!isForeign(head, listed)) return;
    const time = now();
    left = Math.min(left + ((time - countedAt) / 1_000) * FOREIGN_PAGES_PER_S, FOREIGN_PAGES_PER_S);
    countedAt = time;
    if (left < 1) throw refuse('rate_limited', { rateOf: 'pages' });
    left -= 1;
  };
}
