import httpJsonBodyParser from '@middy/http-json-body-parser';
import { refuse } from '../../shared/errors.ts';
import { parseJsonExactly } from '../../shared/json.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { Middleware } from '../endpoint.ts';

/** `application/json`, with no parameter but a charset of UTF-8. */
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function decode(body: string | undefined, isBase64Encoded: boolean): Buffer {
  return Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
}

/** 415 and 413, in this order. */
const checkMediaTypeAndSize: Middleware = {
  before: ({ event: { headers, body, isBase64Encoded } }) => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (!JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') || encoding.toLowerCase() !== 'identity') {
      throw refuse('unsupported_media_type', {});
    }
    if (decode(body, isBase64Encoded).length > MAX_BODY_BYTES) throw refuse('payload_too_large', {});
  },
};

const DECIMAL_FIELDS: ReadonlySet<string> = new Set(['price', 'size']);

/**
 * Parses the body. middy's parser decides what is JSON and refuses keys that reach for a prototype, but hands its
 * reviver no source text, so the numbers are read again: `0.4100000000000000001` must not become 0.41.
 */
function jsonBody(): Middleware {
  const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { body, isBase64Encoded } = request.event;
      try {
        await parser.before?.({ ...request, event: { ...request.event } });
        const text = decode(body, isBase64Encoded).toString('utf8');
        Object.assign(request.event, { body: parseJsonExactly(text, DECIMAL_FIELDS) });
      } catch {
        throw refuse('invalid_request', {
          sentence: 'The body is not valid JSON: send one order as a JSON object.',
          errors: [{ field: 'body', detail: 'must be a JSON object.' }],
        });
      }
    },
  };
}

/** What stands between a request for an order and its handler: media type, size, `checkHeaders`, JSON. */
export function orderBodyChecks(checkHeaders: Middleware): readonly Middleware[] {
  return [checkMediaTypeAndSize, checkHeaders, jsonBody()];
}
