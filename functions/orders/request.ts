import * as z from 'zod/mini';
import { compareDecimals, type Decimal, parseDecimal } from '../../shared/decimal.ts';
import { AppError } from '../../shared/errors.ts';
import { isTokenId, TOKEN_ID_RULE } from '../../shared/token-id.ts';
import type { LimitOrder } from '../../shared/venue/port.ts';
import type { Middleware } from '../http.ts';

/** Shares. Far above any position at the venue; keeps the arithmetic bounded. */
const MAX_SIZE: Decimal = { coefficient: 1_000_000_000n, scale: 0 };

const DECIMAL_RULE = 'must be a JSON number or a plain decimal string such as "0.51".';

/** A JSON number has become a decimal string before this point, unless it was too long or too large to be one. */
const decimal = z.pipe(
  z.union([z.string().check(z.maxLength(100)), z.number()], DECIMAL_RULE),
  z.transform((value, context): Decimal => {
    const parsed = typeof value === 'string' ? parseDecimal(value) : undefined;
    if (parsed) return parsed;
    context.issues.push({ code: 'custom', message: DECIMAL_RULE, input: value });
    return z.NEVER;
  }),
);

/** The body of `POST /v1/orders`. A member that is not listed is refused: a misspelt `post_only` must not take. */
export const orderBody = z.strictObject({
  token_id: z.string('must be a string.').check(z.refine(isTokenId, TOKEN_ID_RULE)),
  side: z.pipe(
    z.pipe(
      z.string('must be "buy" or "sell".'),
      z.transform((side) => side.toLowerCase()),
    ),
    z.enum(['buy', 'sell'], 'must be "buy" or "sell".'),
  ),
  price: decimal,
  size: decimal.check(z.refine((size) => compareDecimals(size, MAX_SIZE) <= 0, 'must be at most 1000000000.')),
  post_only: z._default(z.boolean('must be true or false.'), false),
});

function describe(issue: z.core.$ZodIssue): { field: string; detail: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: key.slice(0, 64), detail: 'is not a member of an order.' }));
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ field: String(issue.path[0] ?? 'body'), detail: missing ? 'is required.' : issue.message }];
}

function refuse(what: string, errors: readonly { field: string; detail: string }[]): AppError {
  const [first] = errors;
  return new AppError(`${what} is not valid: ${first?.field} ${first?.detail}`, {
    code: 'invalid_request',
    facts: { errors },
  });
}

/** Parses the body of an order; 400 `invalid_request` names every wrong field. */
export function parseOrder(body: unknown): LimitOrder {
  const result = orderBody.safeParse(body, { reportInput: true });
  if (!result.success) throw refuse('The order', result.error.issues.flatMap(describe).slice(0, 20));
  const { token_id, side, price, size, post_only } = result.data;
  return { tokenId: token_id, side, price, size, postOnly: post_only };
}

/** The headers of an order with what they may hold: printable ASCII, so that they can be logged and stored as they are. */
const HEADER_RULES = [
  { name: 'X-Client-Address', pattern: /^[\x20-\x7e]{1,128}$/, detail: 'must be 1 to 128 printable ASCII characters.' },
  { name: 'Idempotency-Key', pattern: /^[\x20-\x7e]{1,255}$/, detail: 'must be 1 to 255 printable ASCII characters.' },
] as const;

/** Refuses (400 `invalid_request`) order headers of another form. */
export const checkOrderHeaders: Middleware = {
  before: ({ event: { headers } }) => {
    const broken = HEADER_RULES.filter(({ name, pattern }) => {
      const value = headers[name.toLowerCase()];
      return value !== undefined && !pattern.test(value);
    });
    if (broken.length === 0) return;
    throw refuse(
      'A header',
      broken.map(({ name, detail }) => ({ field: name, detail })),
    );
  },
};
