import httpJsonBodyParser from '@middy/http-json-body-parser';
import * as z from 'zod/mini';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  MAX_TEXT_LENGTH,
  PLAIN_DECIMAL,
  parseDecimal,
  quoteDecimals,
} from '../../shared/decimal.ts';
import { type FieldError, refuse } from '../../shared/errors.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { LimitOrder } from '../../shared/venue/port.ts';
import type { Middleware } from '../endpoint.ts';
import { tokenId } from '../schemas.ts';

/** `application/json`, with no parameter but a charset of UTF-8. */
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Refuses 415 and 413, in this order. */
export const checkMediaTypeAndSize: Middleware = {
  before: ({ event: { headers, body = '', isBase64Encoded } }) => {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (!JSON_MEDIA_TYPE.test(headers['content-type'] ?? '') || encoding.toLowerCase() !== 'identity') {
      throw refuse('unsupported_media_type', {});
    }
    if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > MAX_BODY_BYTES) {
      throw refuse('payload_too_large', {});
    }
  },
};

/** Printable ASCII, so that it can be logged and stored as it is. */
function printable(maxLength: number, description: string) {
  const rule = `must be 1 to ${maxLength} printable ASCII characters.`;
  return z.string().check(z.regex(new RegExp(`^[\\x20-\\x7e]{1,${maxLength}}$`), rule), z.describe(description));
}

/** The headers of an order that are checked. */
export const ORDER_HEADERS = {
  'X-Client-Address': printable(
    128,
    "The user's public key in the client's own chain. Only logged, marked as unverified; never used to decide.",
  ),
  'Idempotency-Key': printable(
    255,
    'Makes repeats safe: requests with the same key and the same order place one order. Kept for at least 24 hours.',
  ),
} as const;

/** Refuses (400 `invalid_request`) order headers of another form. */
export const checkOrderHeaders: Middleware = {
  before: ({ event: { headers } }) => {
    const broken = Object.entries(ORDER_HEADERS).flatMap(([name, schema]) => {
      const value = headers[name.toLowerCase()];
      const issues = value === undefined ? [] : (schema.safeParse(value).error?.issues ?? []);
      return issues.map(({ message }) => ({ field: name, detail: message }));
    });
    if (broken.length > 0) throw refuse('invalid_request', { part: 'A header', errors: broken });
  },
};

const DECIMAL_FIELDS: ReadonlySet<string> = new Set(['price', 'size']);

/**
 * Parses the body, or refuses it (400 `invalid_request`). middy's parser decides what is JSON and refuses keys that reach
 * for a prototype, but its numbers are rounded, so the digits are put into quotes before: `0.4100000000000000001` must not
 * become 0.41.
 */
export function parseJsonBody(): Middleware {
  const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { body = '', isBase64Encoded } = request.event;
      try {
        const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
        Object.assign(request.event, { body: quoteDecimals(text, DECIMAL_FIELDS), isBase64Encoded: false });
        await parser.before?.(request);
      } catch {
        throw refuse('invalid_request', {
          sentence: 'The body is not valid JSON: send one order as a JSON object.',
          errors: [{ field: 'body', detail: 'must be a JSON object.' }],
        });
      }
    },
  };
}

/** Far above any position at the venue; keeps the arithmetic bounded. */
const MAX_SHARES: Decimal = { coefficient: 1_000_000_000n, scale: 0 };

const DECIMAL_RULE = 'must be a JSON number or a plain decimal string such as "0.51".';

/** A JSON number has become a decimal string before this point, unless it was too long or too large to be one. */
function exactDecimal(description: string, max?: Decimal) {
  const rule = { error: DECIMAL_RULE, abort: true };
  const written = z.string().check(z.maxLength(MAX_TEXT_LENGTH, rule), z.regex(PLAIN_DECIMAL, rule));
  return z.pipe(
    z.union([z.number(), written], DECIMAL_RULE).check(z.describe(description)),
    z.transform((value, context): Decimal => {
      const parsed = typeof value === 'string' ? parseDecimal(value) : undefined;
      const tooLarge = parsed && max && compareDecimals(parsed, max) > 0;
      if (parsed && !tooLarge) return parsed;
      const message = tooLarge ? `must be at most ${formatDecimal(max)}.` : DECIMAL_RULE;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }),
  );
}

const side = z
  .enum(['buy', 'sell'], 'must be "buy" or "sell".')
  .check(z.describe('Upper-case letters are accepted too.'));

/**
 * The body of `POST /v1/orders`. Unknown members are refused: a misspelt `post_only` would otherwise turn a maker order
 * into a taker.
 */
export const orderBody = z.strictObject(
  {
    token_id: tokenId,
    side: z.pipe(
      z.transform((value) => (typeof value === 'string' ? value.toLowerCase() : value)),
      side,
    ),
    price: exactDecimal(
      "Limit price, in collateral per share: a multiple of the market's `tick_size`, from one tick to 1 minus one tick. " +
        'The digits as written count; nothing is rounded.',
    ),
    size: exactDecimal(
      "Shares: at most 2 decimals, at least the market's `min_order_size`, at most 1000000000.",
      MAX_SHARES,
    ),
    post_only: z
      ._default(z.boolean('must be true or false.'), false)
      .check(z.describe('Only rest on the book: an order that would match at once is refused.')),
  },
  'must be a JSON object.',
);

function describe(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: key.slice(0, 64), detail: 'is not a member of an order.' }));
  }
  const missing = issue.input === undefined && issue.path.length > 0;
  return [{ field: String(issue.path[0] ?? 'body'), detail: missing ? 'is required.' : issue.message }];
}

/** Parses the body of an order; 400 `invalid_request` names every wrong field. */
export function parseOrder(body: unknown): LimitOrder {
  const result = orderBody.safeParse(body, { reportInput: true });
  if (!result.success) {
    const errors = result.error.issues.flatMap(describe).slice(0, 20);
    throw refuse('invalid_request', { part: 'The order', errors });
  }
  const { token_id, side, price, size, post_only } = result.data;
  return { tokenId: token_id, side, price, size, postOnly: post_only };
}
