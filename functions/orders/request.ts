import httpJsonBodyParser from '@middy/http-json-body-parser';
import * as z from 'zod/mini';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  MAX_TEXT_LENGTH,
  PLAIN_DECIMAL,
  parseDecimal,
  readMembers,
} from '../../shared/decimal.ts';
import { type AppError, type FieldError, refuse, shownName } from '../../shared/errors.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { LimitOrder } from '../../shared/venue/port.ts';
import type { Middleware } from '../endpoint.ts';
import { parseQuery } from '../pipeline.ts';
import { tokenId } from '../schemas.ts';

/** `application/json`, with no parameter but a charset of UTF-8. */
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const MAX_ERRORS = 20;

function refuseHeaders(errors: readonly FieldError[]) {
  return refuse('invalid_request', { part: 'A header', errors: errors.slice(0, MAX_ERRORS) });
}

/** A gateway joins the values of a repeated header with a comma. */
const REPEATED_HEADER = 'must be there once, without a comma.';

/** Refuses (400 `invalid_request`) any query: `?dry_run=true` must place no order. */
export const checkNoQuery: Middleware = {
  before: ({ event: { rawQueryString } }) => {
    if (rawQueryString === '') return;
    const [parameter = rawQueryString] = parseQuery(rawQueryString).keys();
    const errors = [{ field: shownName(parameter), detail: 'is not known: an order has no query.' }];
    throw refuse('invalid_request', { part: 'The query', errors });
  },
};

/** Refuses a repeated media type (400) and 415, in this order. */
export const checkMediaType: Middleware = {
  before: ({ event: { headers } }) => {
    const mediaType = headers['content-type'] ?? '';
    if (mediaType.includes(',')) throw refuseHeaders([{ field: 'Content-Type', detail: REPEATED_HEADER }]);
    const encoding = headers['content-encoding'] ?? 'identity';
    if (!JSON_MEDIA_TYPE.test(mediaType) || encoding.toLowerCase() !== 'identity') {
      throw refuse('unsupported_media_type', {});
    }
  },
};

/** Refuses (413) a body that is too large, by its announced length or by its actual one. */
export const checkSize: Middleware = {
  before: ({ event: { headers, body = '', isBase64Encoded } }) => {
    const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    const announced = Number(headers['content-length'] ?? 0);
    // Apart: a length that is no number is larger than nothing.
    if (bytes > MAX_BODY_BYTES || announced > MAX_BODY_BYTES) throw refuse('payload_too_large', {});
  },
};

/** The headers of an order that are checked. */
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
    // So that it can be logged and stored as it is; without a comma, which a repeated header has.
    z.regex(/^[\x20-\x2b\x2d-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without a comma.'),
    z.describe(
      'Makes repeats safe: requests with the same key and the same order place one order. Kept for at least 24 hours. ' +
        'Required where the service verifies clients. Use a UUID: a key names one order of one client.',
    ),
  ),
} as const;

/** Refuses (400 `invalid_request`) order headers of another form, and repeated ones. */
export const checkOrderHeaders: Middleware = {
  before: ({ event: { headers } }) => {
    const malformed = Object.entries(ORDER_HEADERS).flatMap(([name, schema]) => {
      const value = headers[name.toLowerCase()];
      const issues = value === undefined ? [] : (schema.safeParse(value).error?.issues ?? []);
      return issues.map(({ message }) => ({ field: name, detail: message }));
    });
    // Not the address, which may hold a comma where it is a label, nor what a proxy adds, such as X-Client-IP.
    const repeated = Object.entries(headers)
      .filter(([name, value]) => name.startsWith('x-client-signature') && value?.includes(','))
      .map(([name]) => ({ field: shownName(name), detail: REPEATED_HEADER }));
    const broken = [...malformed, ...repeated];
    if (broken.length > 0) throw refuseHeaders(broken);
  },
};

/** The client of an order request, and how far its address can be believed. `trace` names it in the log. */
export type IdentifiedClient =
  | { readonly kind: 'claimed'; readonly client: OrderClient | null; readonly trace: object }
  | { readonly kind: 'verified'; readonly client: OrderClient; readonly trace: object }
  | { readonly kind: 'refused'; readonly error: AppError; readonly trace: object };

/** The headers of a request, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** Returns what a header says in printable ASCII, everything else escaped as in JSON. */
function labelOf(value: string): string {
  return value.trim().replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The longest address that is kept; longer than any chain has. */
const MAX_CLIENT_ADDRESS_LENGTH = 512;

/** Returns the client that a request names: a claim, logged so that an operator can match users to fills. */
export function claimedClient(headers: Headers): Extract<IdentifiedClient, { kind: 'claimed' }> {
  const address = labelOf(headers['x-client-address'] ?? '').slice(0, MAX_CLIENT_ADDRESS_LENGTH) || null;
  const client = address === null ? null : { address, isVerified: false };
  return { kind: 'claimed', client, trace: { client_address_unverified: address } };
}

const DECIMAL_FIELDS: ReadonlySet<string> = new Set(['price', 'size']);

/** Refuses (400) an order with a repeated member: a proxy that checked it may have read the other value. */
function checkRepeatedMembers(repeated: ReadonlySet<string>, body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  // A name that is only in nested objects is not the order's: they are refused for what they are.
  const errors = [...repeated]
    .filter((name) => Object.hasOwn(body, name))
    .map((name) => ({ field: shownName(name), detail: 'must be there once.' }));
  if (errors.length > 0) throw refuse('invalid_request', { part: 'The order', errors: errors.slice(0, MAX_ERRORS) });
}

const UNKNOWN_MEMBER = 'is not a field of an order.';

/** What middy's parser throws for a member that reaches for a prototype; `data` names it. */
const forbiddenMember = z.object({
  message: z.literal('Forbidden key in JSON body'),
  cause: z.object({ data: z.string() }),
});

/**
 * Parses the body, or refuses it (400 `invalid_request`). middy's parser decides what is JSON and refuses keys that
 * reach for a prototype, but keeps the last of repeated members, and rounds numbers: their digits are put into quotes
 * before, since `0.4100000000000000001` must not become 0.41.
 */
export function parseJsonBody(): Middleware {
  const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { body = '', isBase64Encoded } = request.event;
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
      let repeated: ReadonlySet<string>;
      try {
        const members = readMembers(text, DECIMAL_FIELDS);
        repeated = members.repeated;
        Object.assign(request.event, { body: members.text, isBase64Encoded: false });
        await parser.before?.(request);
      } catch (error) {
        const { data: forbidden } = forbiddenMember.safeParse(error);
        if (forbidden) {
          const errors = [{ field: forbidden.cause.data, detail: UNKNOWN_MEMBER }];
          throw refuse('invalid_request', { part: 'The order', errors });
        }
        throw refuse('invalid_request', {
          sentence: 'The body is not valid JSON: send one order as a JSON object.',
          errors: [{ field: 'body', detail: 'must be a JSON object.' }],
        });
      }
      checkRepeatedMembers(repeated, request.event.body);
    },
  };
}

/** Far above any position at the venue; keeps the arithmetic bounded. */
const MAX_SHARES: Decimal = { coefficient: 1_000_000_000n, scale: 0 };

const DECIMAL_RULE = 'must be a JSON number or a plain decimal string such as "0.51".';

const TIME_RULE = 'must be a time in UTC with whole seconds such as "2026-12-01T12:00:00Z".';

const time = z.pipe(
  z.iso
    .datetime({ precision: 0, error: TIME_RULE })
    .check(
      z.describe(
        "The order is off the book from then on, by the venue's clock: RFC 3339 in UTC with whole seconds, at least 120 s " +
          'ahead. Without it the order rests until it is filled or cancelled.',
      ),
    ),
  z.transform(Date.parse),
);

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
    expires_at: z.optional(time),
  },
  'must be a JSON object.',
);

function describe(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: shownName(key), detail: UNKNOWN_MEMBER }));
  }
  const missing = issue.input === undefined && issue.path.length > 0;
  return [{ field: String(issue.path[0] ?? 'body'), detail: missing ? 'is required.' : issue.message }];
}

/** Parses the body of an order; 400 `invalid_request` names every wrong field. */
export function parseOrder(body: unknown): LimitOrder {
  const result = orderBody.safeParse(body, { reportInput: true });
  if (!result.success) {
    // First what is misspelt: it is why another field is missing.
    const isUnknown = ({ code }: z.core.$ZodIssue) => Number(code === 'unrecognized_keys');
    const issues = result.error.issues.toSorted((one, other) => isUnknown(other) - isUnknown(one));
    const errors = issues.flatMap(describe).slice(0, MAX_ERRORS);
    throw refuse('invalid_request', { part: 'The order', errors });
  }
  const { token_id, side, price, size, post_only, expires_at = null } = result.data;
  return { tokenId: token_id, side, price, size, postOnly: post_only, expiresAt: expires_at };
}
