import { z } from 'zod';
import { bestPrices, lastTrade, midpoint, wireBook } from '../exchange/book-view.ts';
import type { Floor } from '../exchange/exchange.ts';
import { BASE_FEE_BPS, hasBook, type Market, type OutcomeIndex, takesOrders } from '../exchange/market.ts';
import { toDecimal } from '../exchange/units.ts';
import { json, type PaperRequest, parsedBody, type Reply, type Route, VenueRefusal } from '../http/router.ts';
import type { VenueState } from '../state/state.ts';

/** Limit of POST /books as measured at the venue. */
const MAX_BOOKS = 500;

const booksBody = z.array(z.object({ token_id: z.string() }));

type Found = { readonly floor: Floor; readonly outcome: OutcomeIndex };

/** Finds a token with a book; refuses text that is no token id (400) and unknown or removed tokens (404, `missing`). */
function floorOf(state: VenueState, tokenId: string, missing: string): Found {
  if (!/^\d{1,78}$/.test(tokenId)) throw new VenueRefusal(400, 'Invalid token id');
  const found = state.exchange.catalogue.byToken(tokenId);
  if (!found || !hasBook(found.market)) throw new VenueRefusal(404, missing);
  return { floor: state.exchange.floor(found.market.id), outcome: found.outcome };
}

function books(state: VenueState, request: PaperRequest): Reply {
  const asked = booksBody.safeParse(parsedBody(request.body));
  if (!asked.success) throw new VenueRefusal(400, 'Invalid payload');
  if (asked.data.length > MAX_BOOKS) throw new VenueRefusal(400, 'Payload exceeds the limit');
  const found = asked.data.flatMap(({ token_id }) => {
    const token = state.exchange.catalogue.byToken(token_id);
    return token && hasBook(token.market) ? [wireBook(state.exchange.floor(token.market.id), token.outcome)] : [];
  });
  return json(found);
}

function price({ floor, outcome }: Found, side: string | null): Reply {
  if (side !== 'BUY' && side !== 'SELL') throw new VenueRefusal(400, 'Invalid side');
  const { bid, ask } = bestPrices(floor, outcome);
  // The side names the resting orders: BUY answers the best bid.
  const best = side === 'BUY' ? bid : ask;
  return json({ price: best === null ? '0' : toDecimal(best) });
}

function spread({ floor, outcome }: Found): Reply {
  const { bid, ask } = bestPrices(floor, outcome);
  return json({ spread: bid === null || ask === null ? '0' : toDecimal(ask - bid) });
}

function baseFee({ fees }: Market): number {
  return fees === null ? 0 : BASE_FEE_BPS;
}

function clobMarket(state: VenueState, conditionId: string, now: number): Reply {
  const market = state.exchange.catalogue.byCondition(conditionId);
  if (!market || !hasBook(market)) throw new VenueRefusal(404, 'market not found');
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
  const { market } = floorOf(state, tokenId, 'market not found').floor;
  const [primary_token_id, secondary_token_id] = market.tokenIds;
  return json({ condition_id: market.conditionId, primary_token_id, secondary_token_id });
}

const NO_BOOK = 'No orderbook exists for the requested token id';
const NO_MARKET = 'market not found';

/** Routes of the CLOB that need no credentials. */
export function publicRoutes(state: VenueState): readonly Route[] {
  const read = (path: string, missing: string, view: (found: Found, request: PaperRequest) => Reply): Route => [
    'GET',
    path,
    (request) => view(floorOf(state, request.query.get('token_id') ?? '', missing), request),
  ];
  return [
    ['GET', '/ok', () => json('OK')],
    ['GET', '/time', (request) => json(Math.floor(request.now / 1_000))],
    ['GET', '/version', () => json({ version: 2 })],
    read('/book', NO_BOOK, ({ floor, outcome }) => json(wireBook(floor, outcome))),
    ['POST', '/books', (request) => books(state, request)],
    read('/midpoint', NO_BOOK, ({ floor, outcome }) => json({ mid: toDecimal(midpoint(floor, outcome)) })),
    read('/price', NO_BOOK, (found, request) => price(found, request.query.get('side'))),
    read('/spread', NO_BOOK, spread),
    read('/last-trade-price', NO_BOOK, ({ floor, outcome }) => json(lastTrade(floor, outcome))),
    read('/tick-size', NO_MARKET, ({ floor }) => json({ minimum_tick_size: Number(toDecimal(floor.tick)) })),
    read('/neg-risk', NO_MARKET, ({ floor }) => json({ neg_risk: floor.market.negRisk })),
    read('/fee-rate', NO_MARKET, ({ floor }) => json({ base_fee: baseFee(floor.market) })),
    ['GET', '/markets-by-token/*', (_request, tokenId) => conditionOf(state, tokenId)],
    ['GET', '/clob-markets/*', (request, conditionId) => clobMarket(state, conditionId, request.now)],
  ];
}
