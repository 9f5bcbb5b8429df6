import * as z from 'zod/mini';
import { conditionId, decimal, text, tokenId, type Wire } from './schemas.ts';

export const outcome = z.object({
  name: z.nullable(text('What the outcome is called, such as `Yes`.')),
  token_id: tokenId,
  price: z.nullable(decimal("The venue's indicative price, in collateral per share; not one to trade at.")),
});

export const marketEvent = z
  .object({
    id: text("The venue's id of the event."),
    slug: z.nullable(text("Name of the event in the venue's web addresses.")),
    title: z.nullable(text('What the event is called.')),
  })
  .check(
    z.describe(
      'The first event that the venue names for a market, `null` where it names none or one without an id. Markets of ' +
        'one event have the same; those with `neg_risk` exclude each other.',
    ),
  );

export const marketFees = z
  .object({
    taker_rate: decimal('Rate of the fee, a fraction; `0` where the venue says that it charges none.'),
    exponent: z.nullable(decimal('Exponent of price × (1 − price) in the formula.')),
    taker_only: z.nullable(z.boolean().check(z.describe('Whether makers pay nothing.'))),
  })
  .check(
    z.describe(
      'What an order pays in collateral for what it matches at once, besides the price: size × `taker_rate` × (price × ' +
        '(1 − price)) ^ `exponent`, with 5 decimals. It comes on top of a purchase and off the proceeds of a sale. A ' +
        'member that the venue leaves out is `null`; all of it is `null` where the venue states no fees, or that ' +
        'there are some but not how much.',
    ),
  );

/** A market on which an order can be placed now. */
export const market = z.object({
  id: text("The venue's id of the market."),
  condition_id: z.nullable(conditionId),
  slug: z.nullable(text("Name of the market in the venue's web addresses.")),
  question: z.nullable(text('What is traded: each outcome is an answer to this question.')),
  end_date: z.nullable(text('ISO 8601; when the question is expected to be decided.')),
  tick_size: z.nullable(decimal('Step of prices, in collateral per share; an order reads it from the book.')),
  min_order_size: z.nullable(decimal('Smallest size of an order, in shares.')),
  neg_risk: z.nullable(z.boolean().check(z.describe('Whether it is one of several exclusive outcomes of an event.'))),
  volume_24h: z.nullable(decimal('Traded in the last 24 hours, in collateral.')),
  liquidity: z.nullable(decimal('Value of the resting orders, in collateral.')),
  best_bid: z.nullable(decimal('Highest bid for the first outcome, in collateral per share.')),
  best_ask: z.nullable(decimal('Lowest ask for the first outcome, in collateral per share.')),
  event: z.nullable(marketEvent),
  fees: z.nullable(marketFees),
  outcomes: z.array(outcome).check(z.minLength(2), z.maxLength(2)),
});

/** The body of `GET /v1/markets`. */
export const marketList = z.object({
  items: z.array(market).check(z.describe('Most traded in the last 24 hours first; equal volumes by `id`.')),
  has_more: z.boolean().check(z.describe('Whether the venue has, or may have, further markets.')),
});

export type Market = Wire<typeof market>;

/** A part of the catalogue, most traded markets first. */
export type MarketList = Wire<typeof marketList>;
