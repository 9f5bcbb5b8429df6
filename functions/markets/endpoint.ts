import * as z from 'zod/mini';
import { READ_BUDGET_MS } from '../../shared/limits.ts';
import type { MarketData } from '../../shared/venue/port.ts';
import type { Endpoint } from '../http.ts';
import { checkParameters, refuseQuery } from '../query.ts';
import { ROUTES } from '../routes.ts';

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

/** `GET /v1/markets`: markets on which an order can be placed now, most traded in the last 24 h first. */
export function marketsEndpoint(marketData: MarketData): Endpoint {
  return {
    route: ROUTES.markets,
    origins: 'any',
    budgetMs: READ_BUDGET_MS,
    handler: async ({ query }, call) => ({ status: 200, body: await marketData.listMarkets(parseLimit(query), call) }),
  };
}
