import { STATUS_CODES } from 'node:http';
import { SHARED_FOR_A_SECOND } from '../../functions/http.ts';
import type { Route } from '../../functions/routes.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, errorSpec, FINAL_CODES } from '../../shared/errors.ts';
import { problemExample } from './examples.ts';
import { problemName, schemaRef } from './schemas.ts';

const text = { type: 'string' } as const;

/** The response headers by name, as `components.headers` has them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: "The caller's request id, or a new one.", schema: text },
  'Retry-After': { description: 'Seconds until a repeat makes sense.', schema: { type: 'integer', minimum: 0 } },
  'Cache-Control': {
    description: 'A cache in front may answer with it for one second. Every other answer is `no-store`.',
    schema: { type: 'string', const: SHARED_FOR_A_SECOND['cache-control'] },
  },
  ETag: { description: 'Changes with the book; for `If-None-Match`.', schema: text },
  'Idempotency-Replayed': {
    description: 'This is the answer to an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  Allow: { description: 'The methods of this path.', schema: text },
  'WWW-Authenticate': {
    description:
      'A wallet must sign the order. The gateway of a deployment calls this header `x-amzn-remapped-www-authenticate`.',
    schema: { type: 'string', const: 'Wallet-Signature' },
  },
} as const;

/** Returns references to response headers, the request id among them. */
export function headerRefs(...names: readonly (keyof typeof RESPONSE_HEADERS)[]) {
  const all = new Set(['X-Request-Id', ...names]);
  return Object.fromEntries([...all].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

type Place = Route['name'] | 'everywhere';

const VENUE_CALLS = ['markets', 'book', 'orders'] as const;

/** Where a code can be answered; by default by orders alone. */
const PLACES: Readonly<Partial<Record<ErrorCode, readonly Place[]>>> = {
  invalid_request: ['everywhere'],
  host_not_allowed: ['everywhere'],
  not_found: ['book'],
  unknown_token: ['book', 'orders'],
  method_not_allowed: ['everywhere'],
  request_timeout: ['everywhere'],
  uri_too_long: ['everywhere'],
  rate_limited: VENUE_CALLS,
  headers_too_large: ['everywhere'],
  internal_error: ['everywhere'],
  venue_error: VENUE_CALLS,
  venue_refused_service: VENUE_CALLS,
  venue_unavailable: VENUE_CALLS,
  venue_timeout: VENUE_CALLS,
};

/** Lists the codes that an endpoint can answer with. */
export function codesOf(where: Place): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => (PLACES[code] ?? ['orders']).some((at) => at === 'everywhere' || at === where));
}

function headersOf(code: ErrorCode) {
  const { status, retryAfterS } = errorSpec(code);
  if (status === 401) return ['WWW-Authenticate'] as const;
  if (status === 405) return ['Allow'] as const;
  const waits = retryAfterS !== undefined || code === 'order_in_progress' || code === 'outcome_unknown';
  return waits ? (['Retry-After'] as const) : [];
}

function problemResponse(status: number, codes: readonly ErrorCode[]) {
  const refs = codes.map((code) => schemaRef(problemName(code)));
  const [only] = refs;
  const mapping = Object.fromEntries(codes.map((code) => [code, schemaRef(problemName(code)).$ref]));
  const schema = refs.length === 1 ? only : { oneOf: refs, discriminator: { propertyName: 'code', mapping } };
  const examples = Object.fromEntries(codes.map((code) => [code, problemExample(code)]));
  const headers = codes.flatMap(headersOf);
  const lines = codes.map((code) => `- \`${code}\`: ${errorSpec(code).when}.`);
  return {
    description: [`${STATUS_CODES[status]}:`, '', ...lines].join('\n'),
    headers: headerRefs(
      ...headers,
      ...(codes.some((code) => FINAL_CODES.includes(code)) ? (['Idempotency-Replayed'] as const) : []),
    ),
    content: { 'application/problem+json': { schema, examples } },
  };
}

/** Groups codes by status: each status with its codes, in ascending order. */
function byStatus(codes: readonly ErrorCode[]) {
  return [...Map.groupBy(codes, (code): number => ERRORS[code].status)].sort(([a], [b]) => a - b);
}

/** Makes the answers to errors by status. One with a single code is a shared response. */
export function problemResponses(codes: readonly ErrorCode[]) {
  const responses = byStatus(codes).map(([status, these]) => {
    const [only, ...others] = these;
    const isShared = only !== undefined && others.length === 0;
    const response = isShared
      ? { $ref: `#/components/responses/${problemName(only)}` }
      : problemResponse(status, these);
    return [String(status), response] as const;
  });
  return Object.fromEntries(responses);
}

/** Makes the shared responses of some lists of codes, by name. */
export function sharedResponses(lists: readonly (readonly ErrorCode[])[]) {
  const single = lists
    .flatMap(byStatus)
    .flatMap(([status, [only, ...others]]) =>
      only !== undefined && others.length === 0 ? [[problemName(only), problemResponse(status, [only])] as const] : [],
    );
  return Object.fromEntries(single);
}

/**
 * Describes the answers of a gateway. In an extension: they are no answers of the service, and a generated client
 * would have to distinguish them from its answers before it may read a `code`.
 */
export const GATEWAY_ANSWER = {
  description:
    'What the gateway in front of a deployed service answers by itself, on any path and with a status from 400 on. It has ' +
    'no `code`. Before any function ran: 401 or 403 to an order of a caller that it cannot identify, 429 above its rate. ' +
    'After a 5xx a function may have run without an answer, and an order may be live. The local server has no such answers.',
  content: {
    'application/json': {
      schema: { type: 'object', properties: { message: { type: 'string' } } },
      example: { message: 'Too Many Requests' },
    },
  },
} as const;
