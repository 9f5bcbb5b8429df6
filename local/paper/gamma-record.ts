import { mirrored } from './book.ts';
import { bestPrices, midpoint } from './book-view.ts';
import type { Floor } from './exchange.ts';
import { hasBook, takesOrders } from './market.ts';
import { ONE, toDecimal } from './units.ts';

function number(millionths: bigint): number {
  return Number(toDecimal(millionths));
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Best prices as Gamma has them: without bids there is no `bestBid` at all, without asks `bestAsk` is 1. */
function quotes(floor: Floor) {
  const { bid, ask } = bestPrices(floor, 0);
  const best = bid === null ? {} : { bestBid: number(bid) };
  return { ...best, bestAsk: number(ask ?? ONE), spread: number((ask ?? ONE) - (bid ?? 0n)) };
}

function ids({ market }: Floor) {
  const encoded = JSON.stringify(market.tokenIds);
  if (!market.idsPublished) return { version: market.version, clobTokenIds: null };
  return market.version === 'v1'
    ? { version: 'v1', clobTokenIds: encoded }
    : { version: 'v2', clobTokenIds: null, positionIds: market.tokenIds };
}

function volumes({ market }: Floor) {
  const day = number(market.volume24h);
  const week = number(market.volume24h * 5n);
  const month = number(market.volume24h * 17n);
  const total = market.volume24h * 40n;
  return {
    volume: toDecimal(total),
    volumeNum: number(total),
    volumeClob: number(total),
    volume24hr: day,
    volume24hrClob: day,
    volume1wk: week,
    volume1wkClob: week,
    volume1mo: month,
    volume1moClob: month,
    volume1yr: number(total),
    volume1yrClob: number(total),
    liquidity: toDecimal(market.liquidity),
    liquidityNum: number(market.liquidity),
    liquidityClob: number(market.liquidity),
  };
}

function eventOf({ market }: Floor) {
  const { id, slug, title } = market.event;
  const flags = { active: true, closed: market.closed, archived: false, restricted: true, negRisk: market.negRisk };
  return { id, ticker: slug, slug, title, endDate: iso(market.endsAt), ...flags };
}

/**
 * A market as Gamma lists it (epoch ms in): outcomes, prices and v1 ids are JSON inside strings, v2 ids a real array,
 * `volume` and `liquidity` decimal strings beside numbers, `restricted` always true.
 */
export function gammaRecord(floor: Floor, now: number) {
  const { market, lastPrice } = floor;
  const middle = hasBook(market) ? midpoint(floor, 0) : (lastPrice ?? market.mid);
  const prices = [middle, mirrored(1, middle)].map(toDecimal);
  return {
    id: market.id,
    question: market.question,
    conditionId: market.gammaConditionId,
    slug: market.slug,
    resolutionSource: '',
    endDate: iso(market.endsAt),
    startDate: iso(market.startsAt),
    image: '',
    icon: '',
    description: `An invented market of the paper venue: ${market.question}`,
    outcomes: JSON.stringify(market.outcomes),
    outcomePrices: JSON.stringify(prices),
    active: true,
    closed: market.closed,
    marketMakerAddress: '',
    createdAt: iso(market.startsAt),
    updatedAt: iso(floor.changedAt),
    new: false,
    featured: false,
    archived: false,
    restricted: true,
    groupItemTitle: market.groupItemTitle,
    questionID: market.questionId,
    enableOrderBook: market.bookEnabled,
    orderPriceMinTickSize: number(floor.tick),
    orderMinSize: number(market.minSize),
    endDateIso: iso(market.endsAt).slice(0, 10),
    startDateIso: iso(market.startsAt).slice(0, 10),
    hasReviewedDates: true,
    ...volumes(floor),
    ...ids(floor),
    acceptingOrders: market.closed ? market.accepting : takesOrders(market, now),
    acceptingOrdersTimestamp: iso(market.startsAt),
    negRisk: market.negRisk,
    ...(market.negRiskMarketId === null ? {} : { negRiskMarketID: market.negRiskMarketId }),
    events: [eventOf(floor)],
    ready: false,
    funded: false,
    cyom: false,
    competitive: 0.9,
    rewardsMinSize: 0,
    rewardsMaxSpread: 0,
    ...quotes(floor),
    lastTradePrice: number(lastPrice ?? 0n),
    automaticallyActive: true,
    clearBookOnStart: true,
    feesEnabled: false,
    holdingRewardsEnabled: false,
    rfqEnabled: false,
  };
}

export type GammaRecord = ReturnType<typeof gammaRecord>;
