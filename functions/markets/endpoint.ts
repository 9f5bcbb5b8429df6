import { AppError } from '../../shared/errors.ts';
import type { Market, MarketData } from '../../shared/venue/port.ts';
import type { Endpoint } from '../http.ts';
import { READ_BUDGET } from '../limits.ts';
import { ROUTES } from '../routes.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 500;

function refuse(field: string, detail: string): AppError {
  return new AppError(`The query is not valid: ${field} ${detail}`, {
    code: 'invalid_request',
    facts: { errors: [{ field, detail }] },
  });
}

/** Reads `limit` in canonical form; 400 `invalid_request` for anything else, misspelt parameters included. */
function parseLimit(query: URLSearchParams): number {
  const unknown = [...query.keys()].find((name) => name !== 'limit');
  if (unknown !== undefined) throw refuse(unknown.slice(0, 64), 'is not a parameter of this endpoint; use limit.');
  const values = query.getAll('limit');
  const [text = String(DEFAULT_LIMIT)] = values;
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  if (values.length > 1 || !(limit <= MAX_LIMIT)) throw refuse('limit', 'must be one integer from 1 to 500.');
  return limit;
}

function toWire(market: Market) {
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
    outcomes: market.outcomes.map(({ name, tokenId, price }) => ({ name, token_id: tokenId, price })),
  };
}

/** `GET /v1/markets`: markets on which an order can be placed now, most traded in the last 24 h first. */
export function marketsEndpoint(marketData: MarketData): Endpoint {
  return {
    route: ROUTES.markets,
    origins: 'any',
    budget: READ_BUDGET,
    handler: async ({ query }, call) => {
      const { markets, hasMore } = await marketData.listMarkets(parseLimit(query), call);
      return { status: 200, body: { items: markets.map(toWire), has_more: hasMore } };
    },
  };
}
