import * as z from 'zod/mini';
import { READ_BUDGET_MS } from '../../shared/limits.ts';
import type { Market, MarketData } from '../../shared/venue/port.ts';
import type { Endpoint } from '../http.ts';
import { checkParameters, refuseQuery } from '../query.ts';
import { ROUTES } from '../routes.ts';
import type { Wire } from '../schemas.ts';
import type { marketList, market as marketSchema } from './response.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 500;
const RULE = `must be an integer from 1 to ${MAX_LIMIT}, given once.`;

/** Parses the query parameter `limit`: canonical decimal digits only. */
export const limit = z.pipe(
  z.transform((text) => (typeof text === 'string' && /^[1-9]\d*$/.test(text) ? Number(text) : undefined)),
  z
    .int(RULE)
    .check(
      z.minimum(1, RULE),
      z.maximum(MAX_LIMIT, RULE),
      z.meta({ default: DEFAULT_LIMIT, description: 'How many markets to answer, at most.' }),
    ),
);

/** Reads `limit` in canonical form; 400 `invalid_request` for anything else, misspelt parameters included. */
function parseLimit(query: URLSearchParams): number {
  checkParameters(query, 'limit');
  const values = query.getAll('limit');
  const [text = String(DEFAULT_LIMIT)] = values;
  const { data } = limit.safeParse(text);
  if (data === undefined || values.length > 1) throw refuseQuery('limit', RULE);
  return data;
}

function feesToWire({ takerRate, exponent, takerOnly }: NonNullable<Market['fees']>) {
  return { taker_rate: takerRate, exponent, taker_only: takerOnly };
}

function toWire(market: Market): Wire<typeof marketSchema> {
  return {
    id: market.id,
    condition_id: market.conditionId,
    slug: market.slug,
    question: market.question,
    end_date: market.endDate,
    tick_size: market.tickSize,
    min_order_size: market.minOrderSize,
    neg_risk: market.negRisk,
    volume_24h: market.volume24h,
    liquidity: market.liquidity,
    best_bid: market.bestBid,
    best_ask: market.bestAsk,
    event: market.event,
    fees: market.fees && feesToWire(market.fees),
    outcomes: market.outcomes.map(({ name, tokenId, price }) => ({ name, token_id: tokenId, price })),
  };
}

/** `GET /v1/markets`: markets on which an order can be placed now, most traded in the last 24 h first. */
export function marketsEndpoint(marketData: MarketData): Endpoint {
  return {
    route: ROUTES.markets,
    origins: 'any',
    budgetMs: READ_BUDGET_MS,
    handler: async ({ query }, call) => {
      const { markets, hasMore } = await marketData.listMarkets(parseLimit(query), call);
      const body: Wire<typeof marketList> = { items: markets.map(toWire), has_more: hasMore };
      return { status: 200, body };
    },
  };
}
