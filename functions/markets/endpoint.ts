import * as z from 'zod/mini';
import { tokenId } from '../../shared/contract/schemas.ts';
import { READ_BUDGET_MS } from '../../shared/limits.ts';
import { TOKEN_ID_RULE } from '../../shared/token-id.ts';
import type { MarketData, MarketQuery } from '../../shared/venue/port.ts';
import { type Endpoint, SHARED_FOR_A_SECOND } from '../http.ts';
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

/** The venue takes URLs of up to 8 KB. */
const MAX_TOKEN_IDS = 20;

/** Parses the query parameter `token_id`, which may be repeated. */
export const tokenIds = z
  .array(tokenId)
  .check(
    z.maxLength(MAX_TOKEN_IDS, `must be given ${MAX_TOKEN_IDS} times at most.`),
    z.describe('Only the markets of these outcome tokens. A token of no open market is left out.'),
  );

/** Parses the query; 400 `invalid_request` for anything but canonical values, misspelt parameters included. */
function parseMarketQuery(query: URLSearchParams): MarketQuery {
  checkParameters(query, 'limit', 'token_id');
  const values = query.getAll('limit');
  const [text = String(DEFAULT_LIMIT)] = values;
  const { data } = limit.safeParse(text);
  if (data === undefined || values.length > 1) throw refuseQuery('limit', RULE);
  if (!query.has('token_id')) return { limit: data };
  const tokens = tokenIds.safeParse(query.getAll('token_id'));
  if (!tokens.success) throw refuseQuery('token_id', tokens.error.issues[0]?.message ?? TOKEN_ID_RULE);
  return { limit: data, tokenIds: tokens.data };
}

/** `GET /v1/markets`: markets on which an order can be placed now, all or those of some tokens, most traded first. */
export function marketsEndpoint(marketData: MarketData): Endpoint {
  return {
    route: ROUTES.markets,
    origins: 'any',
    budgetMs: READ_BUDGET_MS,
    handler: async ({ query }, call) => ({
      status: 200,
      headers: SHARED_FOR_A_SECOND,
      body: await marketData.listMarkets(parseMarketQuery(query), call),
    }),
  };
}
