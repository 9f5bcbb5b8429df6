import { refuse } from '../shared/errors.ts';

/**
 * Rules on reading the responses of an endpoint from a browser.
 * - `any`: every origin;
 * - `listed`: only the operator's origins can read the response;
 * - `listed-only`: requests from other origins are refused as well, so that no web page can trade with the wallet.
 */
export type OriginPolicy = 'any' | 'listed' | 'listed-only';

const ALLOWED_HEADERS = [
  // A token of the page's user, where the gateway or a proxy checks one.
  'Authorization, Content-Type, Idempotency-Key, If-None-Match',
  'X-Client-Address, X-Client-Signature, X-Client-Signature-Expires, X-Request-Id',
].join(', ');
const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, Age, WWW-Authenticate';
/** How long a browser may keep the response to a preflight. */
const PREFLIGHT_MAX_AGE_S = 600;

/** Refuses (403 `origin_not_allowed`) a request from an origin that is not listed. */
export function checkOrigin(origin: string | undefined, listed: readonly string[]): void {
  if (origin !== undefined && !listed.includes(origin)) throw refuse('origin_not_allowed', { origin });
}

/** Returns the CORS headers of every response of an endpoint, problems included. */
export function originHeaders(
  policy: OriginPolicy,
  origin: string | undefined,
  listed: readonly string[],
): Record<string, string> {
  if (policy === 'any') {
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS };
  }
  if (origin === undefined || !listed.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
  };
}

/** Returns the headers that a response to OPTIONS adds for a preflight. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}
