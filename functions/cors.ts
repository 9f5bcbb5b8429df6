import { refuse } from '../shared/errors.ts';
import type { Endpoint, Middleware, OriginPolicy } from './http.ts';

const ALLOWED_HEADERS = [
  // The page's user may have a token that the gateway or a proxy checks.
  'Authorization, Content-Type, Idempotency-Key, If-None-Match',
  'X-Client-Address, X-Client-Signature, X-Client-Signature-Expires, X-Request-Id',
].join(', ');
const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';
/** How long a browser may keep the response to a preflight. */
const PREFLIGHT_MAX_AGE_S = 600;

/** Returns the CORS headers of every response of an endpoint, problems included. */
function originHeaders(
  policy: OriginPolicy,
  origin: string | undefined,
  listed: readonly string[],
): Record<string, string> {
  if (policy === 'any') return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS };
  if (origin === undefined || !listed.includes(origin)) return { vary: 'Origin' };
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS };
}

/** The names of a preflight's `Access-Control-Request-Headers`. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/;

/**
 * Returns the headers of a response to a preflight. Reads allow every name that a page asks for, since libraries for
 * tracing add theirs to each request.
 */
export function preflightHeaders(allow: string, { origins }: Endpoint, asked = ''): Record<string, string> {
  const allowsAny = origins !== 'listed-only' && HEADER_NAMES.test(asked);
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowsAny ? asked : ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}

/** Refuses (403 `origin_not_allowed`) a request from a page that may not send it, and puts the CORS headers on every response. */
export function crossOrigin({ origins }: Endpoint, listed: readonly string[]): Middleware {
  const addHeaders: NonNullable<Middleware['after']> = ({ event, response }) => {
    if (!response) return;
    response.headers = { ...response.headers, ...originHeaders(origins, event.headers['origin'], listed) };
  };
  const checkOrigin: Middleware['before'] = ({ event }) => {
    const { origin } = event.headers;
    if (origin !== undefined && !listed.includes(origin)) throw refuse('origin_not_allowed', { origin });
  };
  const check = origins === 'listed-only' && { before: checkOrigin };
  return { ...check, after: addHeaders, onError: addHeaders };
}
