import httpJsonBodyParser from '@middy/http-json-body-parser';
import * as z from 'zod/mini';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  MAX_TEXT_LENGTH,
  PLAIN_DECIMAL,
  parseDecimal,
  parseNumber,
} from '../../shared/decimal.ts';
import { type FieldError, printable, refuse } from '../../shared/errors.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { LimitOrder } from '../../shared/venue/port.ts';
import type { Check, Middleware } from '../endpoint.ts';
import { parseQuery } from '../pipeline.ts';
import { tokenId } from '../schemas.ts';

/** An empty name is none. */
const name = z.string().check(z.minLength(1));

/** The parts of an event that name its caller, by the gateway's check: the ARN of IAM, the subject of a token. */
const CALLER = {
  iam: z.object({ authorizer: z.object({ iam: z.object({ userArn: name }) }) }),
  jwt: z.object({ authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: name }) }) }) }),
} as const;

function callerOf(access: OrderAccess, requestContext: unknown): string | undefined {
  if (access === 'iam') return CALLER.iam.safeParse(requestContext).data?.authorizer.iam.userArn;
  return CALLER.jwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub;
}

/**
 * Creates the check of the access: 403 `caller_not_identified` for an event without the caller that it asks for, whatever
 * route led here. All later log lines name the caller.
 */
export function createCallerCheck(access: OrderAccess): Middleware {
  return {
    before: ({ event: { requestContext }, context: { state } }) => {
      if (access === 'public') return;
      const caller = callerOf(access, requestContext);
      if (caller === undefined) throw refuse('caller_not_identified', {});
      state.caller = caller;
      state.trace['gateway_caller'] = caller;
    },
  };
}

/** `application/json`, with no parameter but a charset of UTF-8; a parameter may be empty. */
const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*(?:charset\s*=\s*"?utf-8"?\s*)?)*$/i;

function refuseHeaders(errors: readonly FieldError[]) {
  return refuse('invalid_request', { part: 'A header', errors: errors.slice(0, 20) });
}

/** A gateway joins the values of a repeated header with a comma. */
const REPEATED_HEADER = 'must be there once, without a comma.';

type Event = Parameters<NonNullable<Middleware['before']>>[0]['event'];

/** Refuses (400 `invalid_request`) any query: `?dry_run=true` must place no order. */
function checkQuery({ rawQueryString }: Event): void {
  if (rawQueryString === '') return;
  const [parameter = rawQueryString] = parseQuery(rawQueryString).keys();
  const errors = [{ field: printable(parameter), detail: 'is not known: an order has no query.' }];
  throw refuse('invalid_request', { part: 'The query', errors });
}

/** Refuses a repeated media type (400), another one (415) and a body that is too large (413), in this order. */
function checkMedia({ headers, body = '', isBase64Encoded }: Event): void {
  const mediaType = headers['content-type'] ?? '';
  if (mediaType.includes(',')) throw refuseHeaders([{ field: 'Content-Type', detail: REPEATED_HEADER }]);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!JSON_MEDIA_TYPE.test(mediaType) || encoding.toLowerCase() !== 'identity') {
    throw refuse('unsupported_media_type', {});
  }
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > MAX_BODY_BYTES) throw refuse('payload_too_large', {});
}

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
function checkHeaders({ headers }: Event): void {
  const malformed = Object.entries(ORDER_HEADERS).flatMap(([name, schema]) => {
    const value = headers[name.toLowerCase()];
    const issues = value === undefined ? [] : (schema.safeParse(value).error?.issues ?? []);
    return issues.map(({ message }) => ({ field: name, detail: message }));
  });
  // Not the address, which may hold a comma where it is a label, nor headers of a proxy, such as X-Client-IP.
  const repeated = Object.entries(headers)
    .filter(([name, value]) => name.startsWith('x-client-signature') && value?.includes(','))
    .map(([name]) => ({ field: printable(name), detail: REPEATED_HEADER }));
  const broken = [...malformed, ...repeated];
  if (broken.length > 0) throw refuseHeaders(broken);
}

/** Checks what a request has besides its body: query, media type, size, headers. */
export const checkRequest: Middleware = {
  before: ({ event }) => {
    checkQuery(event);
    checkMedia(event);
    checkHeaders(event);
  },
};

/** Returns the client that a request names: a claim, by which an operator can match users to fills. */
export function claimedClient(headers: Readonly<Record<string, string | undefined>>): OrderClient | null {
  // Printable ASCII, everything else escaped as in JSON.
  const label = (headers['x-client-address'] ?? '')
    .trim()
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // Longer than an address of any chain.
  return label === '' ? null : { address: label.slice(0, 512), isVerified: false };
}

/** Returns the members by which log lines name a client. */
export function clientTrace(client: OrderClient | null) {
  return { client_address: client?.address ?? null, client_address_verified: client?.isVerified ?? null };
}

/** An error of middy's parser. */
const parserError = z.object({ cause: z.object({ package: z.literal('@middy/http-json-body-parser') }) });

/** Keeps the text of the body, which middy's parser replaces, and translates the errors of that. */
const keepText: Middleware = {
  before: ({ event: { body = '', isBase64Encoded }, context: { state } }) => {
    state.text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  },
  onError: (request) => {
    if (!parserError.safeParse(request.error).success) return;
    request.error = refuse('invalid_request', {
      part: 'The order',
      errors: [{ field: 'body', detail: 'must be a JSON object.' }],
    });
  },
};

/** Replaces the numbers `price` and `size`, which `JSON.parse` has rounded, by their digits. */
const keepDigits: Middleware = {
  before: ({ event, context: { state } }) => {
    const body: unknown = JSON.parse(state.text ?? '', (key, value: unknown, { source = '' }) => {
      const isRounded = typeof value === 'number' && (key === 'price' || key === 'size');
      const digits = isRounded ? parseNumber(source) : undefined;
      return digits ? formatDecimal(digits) : value;
    });
    Object.assign(event, { body });
  },
};

/**
 * Parses the body, or refuses it (400 `invalid_request`). middy's parser decides what is JSON and refuses keys that reach
 * for a prototype; a second parse is given the digits of numbers: `0.4100000000000000001` must not become 0.41.
 */
export const PARSE_JSON: readonly Check[] = [
  keepText,
  httpJsonBodyParser({ disableContentTypeCheck: true }),
  keepDigits,
];

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

/** Numbers have become strings before, unless they were too long or too large. The result is in canonical form. */
function exactDecimal(description: string, max?: Decimal) {
  const rule = { error: DECIMAL_RULE, abort: true };
  const written = z.string().check(z.maxLength(MAX_TEXT_LENGTH, rule), z.regex(PLAIN_DECIMAL, rule));
  return z.pipe(
    z.union([z.number(), written], DECIMAL_RULE).check(z.describe(description)),
    z.transform((value, context): string => {
      const parsed = typeof value === 'string' ? parseDecimal(value) : undefined;
      const tooLarge = parsed && max && compareDecimals(parsed, max) > 0;
      if (parsed && !tooLarge) return formatDecimal(parsed);
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
    return issue.keys.map((key) => ({ field: printable(key), detail: 'is not a field of an order.' }));
  }
  const missing = issue.input === undefined && issue.path.length > 0;
  return [{ field: String(issue.path[0] ?? 'body'), detail: missing ? 'is required.' : issue.message }];
}

/** Parses the body of an order; 400 `invalid_request` names every wrong field. */
export function parseOrder(body: unknown): LimitOrder {
  const result = orderBody.safeParse(body, { reportInput: true });
  if (!result.success) {
    // A misspelt field comes first: it is why another one is missing.
    const isUnknown = ({ code }: z.core.$ZodIssue) => Number(code === 'unrecognized_keys');
    const issues = result.error.issues.toSorted((one, other) => isUnknown(other) - isUnknown(one));
    const errors = issues.flatMap(describe).slice(0, 20);
    throw refuse('invalid_request', { part: 'The order', errors });
  }
  const { token_id, side, price, size, post_only, expires_at = null } = result.data;
  return { tokenId: token_id, side, price, size, postOnly: post_only, expiresAt: expires_at };
}
