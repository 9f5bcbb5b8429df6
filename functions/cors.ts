import { refuse } from '../shared/errors.ts';
import type { Endpoint, GatewayEvent, HttpResponse, Middleware, OriginPolicy } from './http.ts';
import type { AnyRoute } from './routes.ts';

/** The methods of a route. */
export function allowedMethods(route: AnyRoute): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [route.method, 'OPTIONS'];
}

const ALLOWED_HEADERS = [
  // A token of the page's user, where the gateway or a proxy checks one.
  'Authorization, Content-Type, Idempotency-Key, If-None-Match',
  'X-Client-Address, X-Client-Signature, X-Client-Signature-Expires, X-Request-Id',
].join(', ');
const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';
/** How long a browser may keep the response to a preflight. */
const PREFLIGHT_MAX_AGE_S = 600;

/** Refuses (403 `origin_not_allowed`) a request from an origin that is not listed. */
function checkOrigin(origin: string | undefined, listed: readonly string[]): void {
  if (origin !== undefined && !listed.includes(origin)) throw refuse('origin_not_allowed', { origin });
}

/** Returns the CORS headers of every response of an endpoint, problems included. */
function originHeaders(
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

/** The names of a preflight's `Access-Control-Request-Headers`. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~, -]+$/;

/**
 * Returns the headers that a response to OPTIONS adds for a preflight. Reads allow every name that a page asks for, since
 * libraries for tracing add theirs to each request.
 */
function preflightHeaders(allow: string, { origins }: Endpoint, asked = ''): Record<string, string> {
  const allowsAny = origins !== 'listed-only' && HEADER_NAMES.test(asked);
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowsAny ? asked : ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}

/** Checks method and origin, and puts the CORS headers on every response. */
export function crossOrigin({ route, origins }: Endpoint, listed: readonly string[]): Middleware {
  const addHeaders: NonNullable<Middleware['after']> = ({ event, response }) => {
    if (!response) return;
    response.headers = { ...response.headers, ...originHeaders(origins, event.headers['origin'], listed) };
  };
  return {
    before: ({ event }) => {
      if (route.method !== 'ANY' && !allowedMethods(route).includes(event.requestContext.http.method)) {
        throw refuse('method_not_allowed', { methods: allowedMethods(route), path: route.path });
      }
      if (origins === 'listed-only') checkOrigin(event.headers['origin'], listed);
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

/** Answers OPTIONS, a preflight of a browser among them. */
export function answerOptions(endpoint: Endpoint, { headers }: GatewayEvent): HttpResponse {
  const allow = allowedMethods(endpoint.route).join(', ');
  const preflight = headers['origin'] !== undefined;
  const asked = headers['access-control-request-headers'];
  return { status: 204, headers: { allow, ...(preflight && preflightHeaders(allow, endpoint, asked)) } };
}
