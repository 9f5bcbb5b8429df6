import { formatDecimal, parseNumber } from '../../shared/decimal.ts';
import { refuse } from '../../shared/errors.ts';
import type { Middleware } from '../http.ts';

/** Keeps the digits of `price` and `size`, which `JSON.parse` rounds: `0.4100000000000000001` must not become 0.41. */
function keepDigits(key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  const isRounded = typeof value === 'number' && (key === 'price' || key === 'size');
  const digits = isRounded ? parseNumber(source) : undefined;
  return digits ? formatDecimal(digits) : value;
}

/** Parses the body, or refuses it (400 `invalid_request`). */
export const parseJson: Middleware = {
  before: ({ event }) => {
    const { body = '', isBase64Encoded } = event;
    try {
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
      Object.assign(event, { body: JSON.parse(text, keepDigits) });
    } catch {
      const errors = [{ field: 'body', detail: 'must be a JSON object.' }];
      throw refuse('invalid_request', { part: 'The order', errors });
    }
  },
};
