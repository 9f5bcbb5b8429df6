import { READ_BUDGET_MS } from '../../shared/limits.ts';
import type { Market, MarketData } from '../../shared/venue/port.ts';
import type { Endpoint } from '../endpoint.ts';
import { ROUTES } from '../routes.ts';
import type { Wire } from '../schemas.ts';
import { parseLimit } from './request.ts';
import type { marketList, market as marketSchema } from './response.ts';

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
