import { wireBook } from '../exchange/book-view.ts';
import type { Floor } from '../exchange/exchange.ts';
import { BASE_FEE_BPS, hasBook, type Market, type OutcomeIndex, takesOrders } from '../exchange/market.ts';
import { toDecimal } from '../exchange/millionths.ts';
import { json, type Reply, type Route, VenueRefusal } from '../http/router.ts';
import type { VenueState } from '../state/state.ts';

const NO_BOOK = 'No orderbook exists for the requested token id';
const NO_MARKET = 'market not found';

type Found = { readonly floor: Floor; readonly outcome: OutcomeIndex };

/** Finds a token with a book; refuses text that is no token id (400) and unknown or removed tokens (404, `missing`). */
function floorOf(state: VenueState, tokenId: string, missing: string): Found {
  if (!/^\d{1,78}$/.test(tokenId)) throw new VenueRefusal(400, 'Invalid token id');
  const found = state.exchange.catalogue.byToken(tokenId);
  if (!found || !hasBook(found.market)) throw new VenueRefusal(404, missing);
  return { floor: state.exchange.floor(found.market.id), outcome: found.outcome };
}

function baseFee({ fees }: Market): number {
  return fees === null ? 0 : BASE_FEE_BPS;
}

function clobMarket(state: VenueState, conditionId: string, now: number): Reply {
  const market = state.exchange.catalogue.byCondition(conditionId);
  if (!market || !hasBook(market)) throw new VenueRefusal(404, NO_MARKET);
  return json({
    r: null,
    t: market.tokenIds.map((t, index) => ({ t, o: market.outcomes[index] })),
    c: market.conditionId,
    mos: Number(toDecimal(market.minSize)),
    mts: Number(toDecimal(state.exchange.floor(market.id).tick)),
    ...(market.negRisk ? { nr: true } : {}),
    mbf: baseFee(market),
    tbf: baseFee(market),
    ao: takesOrders(market, now),
    aot: new Date(market.startsAt).toISOString(),
    ...(market.fees && { fd: { r: Number(toDecimal(market.fees.rate)), e: 1, to: true } }),
    v: market.version,
  });
}

function conditionOf(state: VenueState, tokenId: string): Reply {
  const { market } = floorOf(state, tokenId, NO_MARKET).floor;
  const [primary_token_id, secondary_token_id] = market.tokenIds;
  return json({ condition_id: market.conditionId, primary_token_id, secondary_token_id });
}

/** The website's answer in Ireland, whose pages may not trade while the API may. */
const GEOBLOCK = { blocked: true, ip: '203.0.113.7', country: 'IE', region: 'L' };

/** Routes without credentials: the rules and the book of a market, and the visitor's country. */
export function publicRoutes(state: VenueState): readonly Route[] {
  const read = (path: string, missing: string, view: (found: Found) => unknown): Route => [
    'GET',
    path,
    ({ query }) => json(view(floorOf(state, query.get('token_id') ?? '', missing))),
  ];
  return [
    ['GET', '/ok', () => json('OK')],
    ['GET', '/api/geoblock', () => json(GEOBLOCK)],
    ['GET', '/time', ({ now }) => json(Math.floor(now / 1_000))],
    ['GET', '/version', () => json({ version: 2 })],
    read('/book', NO_BOOK, ({ floor, outcome }) => wireBook(floor, outcome)),
    read('/tick-size', NO_MARKET, ({ floor }) => ({ minimum_tick_size: Number(toDecimal(floor.tick)) })),
    read('/neg-risk', NO_MARKET, ({ floor }) => ({ neg_risk: floor.market.negRisk })),
    ['GET', '/markets-by-token/*', (_request, tokenId) => conditionOf(state, tokenId)],
    ['GET', '/fees/builder-fees/*', () => json({ builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: 0 })],
    ['GET', '/clob-markets/*', ({ now }, conditionId) => clobMarket(state, conditionId, now)],
  ];
}
