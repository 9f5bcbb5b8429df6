import httpJsonBodyParser from '@middy/http-json-body-parser';
import * as z from 'zod/mini';
import { formatDecimal, parseNumber } from '../../shared/decimal.ts';
import { printable, refuse } from '../../shared/errors.ts';
import type { Check, GatewayEvent, Middleware } from '../http.ts';

/** The numbers of `price` and `size`. No string holds this text: a quote in a string has a backslash. */
const NUMBERS = /("(?:price|size)"\s*:\s*)([-+.\deE]+)/g;

/**
 * Writes the numbers of `price` and `size` as strings. `JSON.parse` would round them, and middy's reviver is not given their
 * source: `0.4100000000000000001` must not become 0.41. The schema refuses a number that stays one.
 */
function keepDigits(text: string): string {
  return text.replace(NUMBERS, (written, name: string, source: string) => {
    const digits = parseNumber(source);
    return digits ? `${name}"${formatDecimal(digits)}"` : written;
  });
}

/** Returns a body's text without the byte order mark that some programs write; `undefined` without a text. */
function textOf({ body, isBase64Encoded }: GatewayEvent): string {
  if (typeof body !== 'string') return '';
  return (isBase64Encoded ? Buffer.from(body, 'base64').toString() : body).replace(/^\ufeff/, '');
}

const PARSER = '@middy/http-json-body-parser';

/** An error of middy's parser, which has no code: about a text that is no JSON, or about a key that reaches for a prototype. */
const parserError = z.object({
  cause: z.object({ package: z.literal(PARSER), data: z.string(), message: z.optional(z.string()) }),
});

const prepare: Middleware = {
  before: ({ event }) => {
    event.body = keepDigits(textOf(event));
    event.isBase64Encoded = false;
  },
  onError: (request) => {
    const { cause } = parserError.safeParse(request.error).data ?? {};
    if (!cause) return;
    const isKey = cause.message === undefined;
    const field = isKey ? printable(cause.data) : 'body';
    const detail = isKey ? 'is not a field of an order.' : 'must be a JSON object.';
    request.error = refuse('invalid_request', { part: 'The order', errors: [{ field, detail }] });
  },
};

export const PARSE_JSON: readonly Check[] = [prepare, httpJsonBodyParser({ disableContentTypeCheck: true })];
