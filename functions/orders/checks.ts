import * as z from 'zod/mini';
import { type FieldError, printable, refuse } from '../../shared/errors.ts';
import { GATEWAY_LIMIT_MS, MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { GatewayEvent, Middleware } from '../http.ts';
import { parseQuery } from '../pipeline.ts';
import { checkParameters } from '../query.ts';

/** `application/json` with any parameters, empty ones too, but no charset other than UTF-8. */
const JSON_MEDIA_TYPE =
  /^application\/json\s*(?:;\s*(?:(?:charset\s*=\s*"?utf-8"?|(?!charset\b)[^\s;=,"]+(?:=(?:"[^"]*"|[^\s;,"]*))?)\s*)?)*$/i;

function refuseHeaders(errors: readonly FieldError[]) {
  return refuse('invalid_request', { part: 'A header', errors: errors.slice(0, 20) });
}

/** A gateway joins the values of a repeated header with a comma. */
const REPEATED_HEADER = 'must be given once, without a comma.';

/** Refuses a repeated media type (400), another one (415) and a body that is too large (413), in this order. */
function checkMedia({ headers, body, isBase64Encoded }: GatewayEvent): void {
  const mediaType = headers['content-type'] ?? '';
  const isJson = JSON_MEDIA_TYPE.test(mediaType);
  if (!isJson && mediaType.includes(',')) throw refuseHeaders([{ field: 'Content-Type', detail: REPEATED_HEADER }]);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!isJson || encoding.toLowerCase() !== 'identity') throw refuse('unsupported_media_type', {});
  const bytes = typeof body === 'string' ? Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') : 0;
  if (bytes > MAX_BODY_BYTES) throw refuse('payload_too_large', {});
}

export const ORDER_HEADERS = {
  'X-Client-Address': z
    .string()
    .check(
      z.describe(
        "The user's address in the client's own chain, so that the operator can match users to fills. Logged and recorded " +
          'as unverified, cut to 512 characters, and never a reason to refuse an order. Where the service verifies ' +
          'clients it is required: the EVM or Solana address that signs the order.',
      ),
    ),
  'Idempotency-Key': z.string().check(
    // Printable, so that logs and the store take it unchanged. A comma would mean a repeated header.
    z.regex(/^[\x20-\x2b\x2d-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without a comma.'),
    z.describe(
      'Makes repeats safe: requests with the same key and the same order place one order. Kept for at least 24 hours. ' +
        'Required where the service verifies clients. Use a UUID: a key names one order of one client.',
    ),
  ),
} as const;

/** Refuses (400 `invalid_request`) order headers of another form, and misnamed ones. */
function checkHeaders({ headers }: GatewayEvent): void {
  const malformed = Object.entries(ORDER_HEADERS).flatMap(([name, schema]) => {
    const value = headers[name.toLowerCase()];
    const issues = value === undefined ? [] : (schema.safeParse(value).error?.issues ?? []);
    return issues.map(({ message }) => ({ field: name, detail: message }));
  });
  // Such as X-Idempotency-Key: the service would ignore it, and a repeat would place a second order.
  const misnamed = Object.keys(headers)
    .filter((name) => name !== 'idempotency-key' && name.replace(/[-_]/g, '').includes('idempotency'))
    .map((name) => ({ field: printable(name), detail: 'is not known: the header is Idempotency-Key.' }));
  const broken = [...malformed, ...misnamed];
  if (broken.length > 0) throw refuseHeaders(broken);
}

/** Checks what a request has besides its body: age, query, media type, size, headers. */
export const checkRequest: Middleware = {
  before: ({ event }) => {
    // After the gateway's time-out its caller has already got an error.
    if (Date.now() - event.requestContext.timeEpoch > GATEWAY_LIMIT_MS) throw refuse('request_timeout', {});
    if (event.rawQueryString !== '') checkParameters(parseQuery(event.rawQueryString));
    checkMedia(event);
    checkHeaders(event);
  },
};
