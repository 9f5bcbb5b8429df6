import * as z from 'zod/mini';
import { tokenId } from '../../shared/contract/schemas.ts';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  MAX_TEXT_LENGTH,
  PLAIN_DECIMAL,
  parseDecimal,
} from '../../shared/decimal.ts';
import { type FieldError, printable, refuse } from '../../shared/errors.ts';
import type { LimitOrder } from '../../shared/venue/port.ts';

/** Far above any position at the venue; keeps the arithmetic bounded. */
const MAX_SHARES: Decimal = { coefficient: 1_000_000_000n, scale: 0 };

const DECIMAL_RULE = 'must be a JSON number or a plain decimal string such as "0.51".';

/** Names a decimal comma, which many countries use. */
function decimalRule({ input }: { readonly input?: unknown }): string {
  return /^\d+,\d+$/.test(String(input)) ? 'must have a decimal point, not a comma, such as "0.51".' : DECIMAL_RULE;
}

const TIME_RULE = 'must be a time in UTC with whole seconds such as "2026-12-01T12:00:00Z".';

const time = z.pipe(
  // JavaScript writes times like this.
  z.transform((value) => (typeof value === 'string' ? value.replace(/\.\d{3}Z$/, 'Z') : value)),
  z.pipe(
    z.iso
      .datetime({ precision: 0, error: TIME_RULE })
      .check(
        z.describe(
          'The order is off the book from then on: RFC 3339 in UTC with whole seconds, at least 120 s ahead; a fraction ' +
            'of three digits is cut off. Without it the order rests until it is filled or cancelled.',
        ),
      ),
    z.transform(Date.parse),
  ),
);

/** Numbers have become strings before, unless they were too long or too large. The result is in canonical form. */
function exactDecimal(description: string, max?: Decimal) {
  const rule = { error: decimalRule, abort: true };
  const written = z.string().check(z.maxLength(MAX_TEXT_LENGTH, rule), z.regex(PLAIN_DECIMAL, rule));
  return z.pipe(
    z.union([z.number(), written], { error: decimalRule }).check(z.describe(description)),
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
      .check(z.describe('The order must rest on the book: the venue refuses one that would match at once.')),
    expires_at: z.optional(time),
  },
  'must be a JSON object.',
);

function fieldErrorsOf(issue: z.core.$ZodIssue): FieldError[] {
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
    // A misspelt field comes first: it explains the missing one.
    const isUnknown = ({ code }: z.core.$ZodIssue) => Number(code === 'unrecognized_keys');
    const issues = result.error.issues.toSorted((one, other) => isUnknown(other) - isUnknown(one));
    const errors = issues.flatMap(fieldErrorsOf).slice(0, 20);
    throw refuse('invalid_request', { part: 'The order', errors });
  }
  const { token_id, side, price, size, post_only, expires_at = null } = result.data;
  return { tokenId: token_id, side, price, size, postOnly: post_only, expiresAt: expires_at };
}
