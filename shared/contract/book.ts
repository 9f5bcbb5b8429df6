import * as z from 'zod/mini';
import { conditionId, decimal, text, tokenId, type Wire } from './schemas.ts';

export const priceLevel = z.object({ price: decimal('Collateral per share.'), size: decimal('Shares.') });

/** The body of `GET /v1/book/{token_id}`. */
export const book = z.object({
  token_id: tokenId,
  condition_id: z.nullable(conditionId),
  bids: z.array(priceLevel).check(z.describe('Offers to buy, highest price first.')),
  asks: z.array(priceLevel).check(z.describe('Offers to sell, lowest price first.')),
  tick_size: decimal("Step of prices, in collateral per share. An order's price is a multiple of it."),
  min_order_size: decimal('Smallest size of an order, in shares.'),
  neg_risk: z.boolean().check(z.describe('Whether the market is one of several exclusive outcomes of an event.')),
  last_trade_price: z.nullable(decimal('Price of the last trade, in collateral per share.')),
  timestamp: z.nullable(text("ISO 8601, UTC; the venue's time of the last change.")),
  hash: z.nullable(text("Changes with the book; the response's `ETag`.")),
});

/** Shares (`size`) that are offered at a price. */
export type PriceLevel = Wire<typeof priceLevel>;

/** An order book, best price first on both sides. */
export type Book = Wire<typeof book>;
