import { refuse } from '../../shared/errors.ts';
import { READ_BUDGET_MS } from '../../shared/limits.ts';
import { isTokenId, TOKEN_ID_RULE } from '../../shared/token-id.ts';
import type { MarketData } from '../../shared/venue/port.ts';
import { type Endpoint, SHARED_FOR_A_SECOND } from '../http.ts';
import { checkParameters } from '../query.ts';
import { ROUTES } from '../routes.ts';

/** Parses the token id of a path; 400 `invalid_request` for anything else. */
function parseTokenId(text = ''): string {
  if (isTokenId(text)) return text;
  throw refuse('invalid_request', { part: 'The path', errors: [{ field: 'token_id', detail: TOKEN_ID_RULE }] });
}

/** Finds the entity tag in an `If-None-Match` header; weak and strong tags compare alike (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** `GET /v1/book/{token_id}`: the order book of an outcome token, best price first. */
export function bookEndpoint(marketData: MarketData): Endpoint {
  return {
    route: ROUTES.book,
    origins: 'any',
    budgetMs: READ_BUDGET_MS,
    handler: async ({ pathParameters, query, headers }, call) => {
      checkParameters(query);
      const book = await marketData.readBook(parseTokenId(pathParameters['token_id']), call);
      const etag = book.hash === null ? undefined : `"${book.hash}"`;
      const caching = { ...SHARED_FOR_A_SECOND, ...(etag !== undefined && { etag }) };
      const isKnown = etag !== undefined && matches(headers['if-none-match'], etag);
      return { headers: caching, ...(isKnown ? { status: 304 } : { status: 200, body: book }) };
    },
  };
}
