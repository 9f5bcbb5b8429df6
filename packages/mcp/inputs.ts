import * as z from 'zod';

/** A float keeps every decimal of so many digits; of a longer one it may have other digits than the caller wrote. */
const EXACT_DIGITS = 15;
const PLAIN_DECIMAL = /^\d{1,12}(?:\.\d{1,18})?$/;
const DECIMAL_RULE = `must be a decimal such as "0.51", or a number of at most ${EXACT_DIGITS} digits`;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;
const TIME_RULE = 'must be a time in UTC such as "2026-12-01T12:00:00Z", or null for no end';
const WORDS_RULE = 'must be text of at most 200 characters';
const PREVIEW_ID_RULE = 'must be the preview_id of preview_order';
const SKIP_RULE = 'must be a whole number from 0 to 500';

/** Returns the digits of a JSON number as it was written, or a text that is no decimal. */
function digitsOf(value: number): string {
  const text = String(value);
  return text.replace(/^0\.0*|\D/g, '').length > EXACT_DIGITS ? '' : text;
}

const decimal = z
  .union([z.string(), z.number()], DECIMAL_RULE)
  .transform((value) => (typeof value === 'number' ? digitsOf(value) : value))
  .refine((text) => PLAIN_DECIMAL.test(text), DECIMAL_RULE);

/** Truncates a time to whole seconds; `undefined` for a date that no calendar has, such as 30 February. */
function wholeSeconds(text: string): string | undefined {
  const written = text.slice(0, '2026-12-01T12:00:00'.length);
  const ms = TIME.test(text) ? Date.parse(`${written}Z`) : Number.NaN;
  const isOne = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(written);
  return isOne ? `${written}Z` : undefined;
}

const time = z.string(TIME_RULE).transform((text, { issues }) => {
  const seconds = wholeSeconds(text);
  if (seconds === undefined) issues.push({ code: 'custom', message: TIME_RULE, input: text });
  return seconds;
});

export const tokenId = z
  .string('must be a token id as text, from list_markets')
  .regex(/^(?:0|[1-9]\d{0,77})$/, 'must be a token id: digits, from list_markets');

/** Arguments of a tool. One that is not listed is refused: a misspelt `post_only` must not become a taker order. */
function argumentsOf<const T extends z.ZodRawShape>(shape: T) {
  const listed = Object.keys(shape).join(', ') || 'none';
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `no argument of this tool: ${issue.keys.join(', ')}; it takes ${listed}`
        : 'must be an object',
  });
}

// `null` is an absent option: some programs send every argument.
export const NO_ARGUMENTS = argumentsOf({});

export const LIST = argumentsOf({
  words: z.string(WORDS_RULE).max(200, WORDS_RULE).nullish().describe('Words of the question, the slug or the event.'),
  skip: z
    .int(SKIP_RULE)
    .min(0, SKIP_RULE)
    .max(500, SKIP_RULE)
    .nullish()
    .describe('Rows to leave out: next_skip of the answer before.'),
});

export const BOOK = argumentsOf({ token_id: tokenId });

export const ORDER = argumentsOf({
  token_id: tokenId,
  side: z.preprocess(
    (value) => (typeof value === 'string' ? value.toLowerCase() : value),
    z.enum(['buy', 'sell'], 'must be "buy" or "sell"'),
  ),
  price: decimal.describe('In collateral per share, such as "0.51".'),
  size: decimal.describe('In shares.'),
  post_only: z
    .boolean('must be true or false, not text')
    .nullish()
    .describe('Only rest: an order that would match at once is refused.'),
  expires_at: time.nullish().describe('RFC 3339, UTC, whole seconds, at least 120 s ahead.'),
});

export const PREVIEW_ID = argumentsOf({ preview_id: z.string(PREVIEW_ID_RULE).max(64, PREVIEW_ID_RULE) });
