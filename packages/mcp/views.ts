import { type Book, formatUnits, type Market, type OrderRequest, parseUnits } from '../client/client.ts';

/** Rows and levels of one answer: a model reads some 15 KB at once, and asks again where it needs more. */
export const ROWS = 10;
const MAX_TEXT = 200;

/**
 * Returns a stranger's text as data: one line without control, format and bidirectional characters, truncated. Anybody can
 * name a market, and may address the model.
 */
export function quoted(text: string | null | undefined): string | null {
  const characters = [...(text ?? '').replace(/[\s\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()];
  if (characters.length === 0) return null;
  return characters.slice(0, MAX_TEXT).join('') + (characters.length > MAX_TEXT ? '…' : '');
}

/** Keeps the markets with all words in question, slug or event, whatever the case. */
export function search(markets: readonly Market[], words: string): readonly Market[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return markets.filter(({ question, slug, event }) => {
    const text = [question, slug, event?.title].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Returns the columns of a market by which an outcome is chosen and an order is written. */
export function marketRow({ question, outcomes, end_date, best_bid, best_ask, ...market }: Market) {
  const named = outcomes.map(({ name, token_id, price }) => ({ name: quoted(name), token_id, price }));
  const { tick_size, min_order_size } = market;
  return { question: quoted(question), outcomes: named, end_date, best_bid, best_ask, tick_size, min_order_size };
}

/** Returns the best levels of a book, with the number of levels that are left out. */
export function bookView({ bids, asks, token_id, tick_size, min_order_size, timestamp }: Book) {
  const left_out = Math.max(bids.length - ROWS, 0) + Math.max(asks.length - ROWS, 0);
  const [best_bids, best_asks] = [bids.slice(0, ROWS), asks.slice(0, ROWS)];
  return { token_id, bids: best_bids, asks: best_asks, left_out, tick_size, min_order_size, timestamp };
}

interface NamedOrder extends Omit<OrderRequest, 'expires_at'> {
  readonly expires_at: string | null;
  readonly question: string | null;
  readonly outcome: string | null;
}

/** Returns the question by which a person agrees to an order; `bound` is its highest cost or lowest proceeds. */
export function questionOf(order: NamedOrder, bound: string | null, where: string): string {
  const { side, size, price, post_only, expires_at, question, outcome, token_id } = order;
  const isBuy = side === 'buy';
  const value = formatUnits(parseUnits(price) * parseUnits(size), 36);
  const sum = bound === null ? `${value} pUSD ${isBuy ? 'and' : 'less'} a fee that is not published` : `${bound} pUSD`;
  return [
    `Place this order on ${where}?`,
    `Market: ${question ?? 'not among those that the service lists'}`,
    `Outcome: ${outcome ?? 'without a name of its own'} (token ${token_id})`,
    `Order: ${side} ${size} shares at ${price}`,
    `${isBuy ? 'Cost at most' : 'Brings at least'}: ${sum}, before the fee of a builder code`,
    `Post-only: ${post_only ? 'yes' : 'no'}`,
    `Ends: ${expires_at ?? 'never, until it is filled or cancelled'}`,
  ].join('\n');
}
