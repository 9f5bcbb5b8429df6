import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import type { Book, PriceLevel } from '../../../contract/book.ts';
import { refuse } from '../../../errors.ts';
import { readWithRetry, refuseRead } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';
import type { OrderBookSummary } from '../official-client.ts';
import {
  bookSide,
  decimalText,
  errorText,
  isInside,
  lenient,
  lenientConditionId,
  lenientPrice,
  lenientString,
  type Members,
  parseExactly,
  parseJson,
} from '../wire.ts';

const venueBook = z.object({
  asset_id: z.string(),
  market: lenientConditionId,
  bids: bookSide,
  asks: bookSide,
  tick_size: decimalText,
  min_order_size: decimalText,
  neg_risk: z.boolean(),
  last_trade_price: lenientPrice,
  timestamp: lenientString,
  hash: lenient(z.string().check(z.regex(/^[A-Za-z0-9_-]{1,128}$/))),
  /** Undocumented, on books of protocol v2 only. */
  version: z.nullish(z.string()),
} satisfies Members<OrderBookSummary & { readonly version: unknown }>);

/** Epoch milliseconds as ISO 8601. */
function toIsoTime(milliseconds: string | null): string | null {
  return milliseconds !== null && /^\d{1,15}$/.test(milliseconds) ? new Date(Number(milliseconds)).toISOString() : null;
}

/**
 * Sorts best first, whatever order the venue sends. Compares canonical decimals inside (0, 1) by their texts: comparing
 * decimals would double the time of parsing a book of 300 levels, from 0.17 to 0.36 ms.
 */
function sortSide(levels: readonly PriceLevel[], direction: 1 | -1): readonly PriceLevel[] {
  const compare = (a: string, b: string) => (a < b ? -direction : a > b ? direction : 0);
  return levels.toSorted((a, b) => compare(a.price, b.price));
}

/** Parses the venue's book; throws `venue_error` for an unusable one. */
function parseBook(text: string, tokenId: string) {
  const plain = venueBook.safeParse(parseJson(text));
  // The documented form has strings.
  const result = plain.success ? plain : venueBook.safeParse(parseExactly(text));
  if (!result.success || result.data.asset_id !== tokenId || !isInside(result.data.tick_size)) {
    const cause = result.success ? new Error('the book is of another token, or its tick out of range') : result.error;
    throw refuse('venue_error', { why: 'unusable' }, { cause });
  }
  const { data } = result;
  const book: Book = {
    token_id: tokenId,
    condition_id: data.market,
    bids: sortSide(data.bids, -1),
    asks: sortSide(data.asks, 1),
    tick_size: data.tick_size,
    min_order_size: data.min_order_size,
    neg_risk: data.neg_risk,
    last_trade_price: data.last_trade_price,
    timestamp: toIsoTime(data.timestamp),
    hash: data.hash,
  };
  /** `version`: that of the protocol, where the book itself states it. */
  return { book, version: data.version ?? undefined };
}

/** `GET /book` of the CLOB: returns the levels and the rules of a token. Errors: see `MarketData`. */
export async function readBook(clob: Transport, tokenId: string, call: Call) {
  const spec = { name: 'read-book', method: 'GET', path: `/book?token_id=${tokenId}` } as const;
  const response = await readWithRetry(clob, spec, call);
  const { status, isJson, text } = response;
  if (status === 200 && isJson) return parseBook(text, tokenId);
  const sentence = isJson ? errorText(text) : undefined;
  if (sentence !== undefined && (status === 404 || (status === 400 && /invalid token id/i.test(sentence)))) {
    throw refuse('unknown_token', {});
  }
  throw refuseRead(response);
}
