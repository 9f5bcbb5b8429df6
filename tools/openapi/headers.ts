import * as z from 'zod/mini';
import { ORDER_HEADERS } from '../../functions/orders/request.ts';
import { REQUEST_ID } from '../../functions/pipeline.ts';
import { type ErrorCode, errorSpec } from '../../shared/errors.ts';
import { WHOLE_SECONDS } from './problems.ts';
import { inlineSchema, type JsonSchema } from './schemas.ts';

/** A header parameter of the document. */
export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A parameter whose description is that of its schema. */
export function parameter(place: Parameter['in'], name: string, schema: z.ZodMiniType): Parameter {
  const { description = '', ...rest } = inlineSchema(schema);
  return { name, in: place, ...(place === 'path' && { required: true }), description, schema: rest };
}

function text(description: string) {
  return z.string().check(z.describe(description));
}

/** The parameter `X-Request-Id`. */
export const REQUEST_ID_PARAMETER = parameter(
  'header',
  'X-Request-Id',
  z.string().check(
    z.meta({
      pattern: REQUEST_ID.source,
      description:
        'Comes back in the answer, and is in every log line of the request. One of another form is replaced, not refused.',
    }),
  ),
);

/** The parameter `If-None-Match`. */
export const IF_NONE_MATCH_PARAMETER = parameter(
  'header',
  'If-None-Match',
  text('The `ETag` of a book that the caller has: while it is current, the answer is 304 without a body.'),
);

/** The header parameters of an order. */
export const ORDER_HEADER_PARAMETERS: readonly Parameter[] = Object.entries(ORDER_HEADERS).map(([name, schema]) =>
  parameter('header', name, schema),
);

/** The headers of a verified client; `X-Client-Signature` is a security scheme. */
export const SIGNATURE_PARAMETER = parameter(
  'header',
  'X-Client-Signature-Expires',
  z.string().check(
    z.meta({
      pattern: WHOLE_SECONDS.source,
      description:
        'The end of the validity of `X-Client-Signature`, where the service verifies clients: at most 600 seconds ahead.',
    }),
  ),
);

/** The headers of a preflight. */
export const PREFLIGHT_PARAMETERS: readonly Parameter[] = [
  parameter('header', 'Origin', text('The origin of the page that asks. Without it only `Allow` is answered.')),
  parameter('header', 'Access-Control-Request-Method', text('The method that the page wants to use.')),
  parameter('header', 'Access-Control-Request-Headers', text('The headers that the page wants to send.')),
];

/** The response headers by name, as `components.headers` has them. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': { description: "The caller's request id, or a new one.", schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds until a repeat makes sense.', schema: { type: 'integer', minimum: 0 } },
  ETag: { description: 'Changes with the book; for `If-None-Match`.', schema: { type: 'string' } },
  'Idempotency-Replayed': {
    description: 'This is the answer to an earlier request with the same `Idempotency-Key`. Absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  Age: {
    description: 'Seconds since a cache took this answer from the service. Absent where there is none.',
    schema: { type: 'integer', minimum: 0 },
  },
  Allow: { description: 'The methods of this path.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'The order wants the signature of a wallet.',
    schema: { type: 'string', const: 'Wallet-Signature' },
  },
  'Access-Control-Allow-Origin': {
    description: 'The origins whose pages may read the answer: `*`, or the one that asked. Absent for others.',
    schema: { type: 'string' },
  },
  'Access-Control-Allow-Methods': { description: 'What a page may use.', schema: { type: 'string' } },
  'Access-Control-Allow-Headers': { description: 'What a page may send.', schema: { type: 'string' } },
  'Access-Control-Max-Age': { description: 'Seconds that the answer may be kept.', schema: { type: 'integer' } },
} as const;

/** The name of a response header. */
export type HeaderName = keyof typeof RESPONSE_HEADERS;

/** Returns references to response headers. */
export function headerRefs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that come with a code besides the request id. */
export function headersOf(code: ErrorCode): HeaderName[] {
  const { headers = [], retryAfterS } = errorSpec(code);
  return retryAfterS === undefined ? [...headers] : ['Retry-After', ...headers];
}
