import { mirrored } from '../exchange/book.ts';
import { bestPrices, midpoint } from '../exchange/book-view.ts';
import type { Floor } from '../exchange/exchange.ts';
import { BASE_FEE_BPS, hasBook, type Market, takesOrders } from '../exchange/market.ts';
import { ONE, toDecimal } from '../exchange/millionths.ts';
import { json, type PaperRequest, type Reply, type Route } from '../http/router.ts';
import type { VenueState } from '../state/state.ts';

function number(millionths: bigint): number {
  return Number(toDecimal(millionths));
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Best prices as Gamma writes them: without bids there is no `bestBid` at all, without asks `bestAsk` is 1. */
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

/** Volumes with what was traded since the start; of a day it is the last 24 hours, the longer ones never run out here. */
function volumes({ market, turnover }: Floor, now: number) {
  const day = number(market.volume24h + turnover.ofDay(now));
  const week = number(market.volume24h * 5n + turnover.total);
  const month = number(market.volume24h * 17n + turnover.total);
  const total = market.volume24h * 40n + turnover.total;
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

function words({ market }: Floor) {
  return {
    question: market.question,
    conditionId: market.gammaConditionId,
    slug: market.slug,
    questionID: market.questionId,
    groupItemTitle: market.groupItemTitle,
    description: `An invented market of the paper venue: ${market.question}`,
    resolutionSource: '',
    image: '',
    icon: '',
    marketMakerAddress: '',
  };
}

function dates({ market, changedAt }: Floor) {
  const [startDate, endDate] = [iso(market.startsAt), iso(market.endsAt)];
  return {
    startDate,
    endDate,
    startDateIso: startDate.slice(0, 10),
    endDateIso: endDate.slice(0, 10),
    createdAt: startDate,
    updatedAt: iso(changedAt),
    acceptingOrdersTimestamp: startDate,
  };
}

/** Fees as Gamma writes them: a market that is free has no schedule. The base fees say nothing of what is charged. */
function fees({ market }: Floor) {
  if (market.fees === null) return { feesEnabled: false, feeType: null, feeSchedule: null };
  const { type, rate, rebateRate } = market.fees;
  const feeSchedule = { exponent: 1, rate: number(rate), takerOnly: true, rebateRate };
  return { feesEnabled: true, feeType: type, makerBaseFee: BASE_FEE_BPS, takerBaseFee: BASE_FEE_BPS, feeSchedule };
}

/** Flags that say nothing about trading: `restricted` is true on every market of the venue. */
const FLAGS = {
  active: true,
  archived: false,
  restricted: true,
  new: false,
  featured: false,
  hasReviewedDates: true,
  ready: false,
  funded: false,
  cyom: false,
  automaticallyActive: true,
  clearBookOnStart: true,
  holdingRewardsEnabled: false,
  rfqEnabled: false,
};

/**
 * Market as Gamma lists it at `now` (epoch milliseconds): outcomes, prices and v1 ids are JSON inside strings, v2 ids a
 * real array, `volume` and `liquidity` decimal strings beside numbers.
 */
function gammaRecord(floor: Floor, now: number) {
  const { market, lastPrice, tick } = floor;
  const middle = hasBook(market) ? midpoint(floor, 0) : (lastPrice ?? market.mid);
  return {
    id: market.id,
    ...words(floor),
    ...dates(floor),
    outcomes: JSON.stringify(market.outcomes),
    outcomePrices: JSON.stringify([middle, mirrored(1, middle)].map(toDecimal)),
    ...FLAGS,
    closed: market.closed,
    enableOrderBook: market.bookEnabled,
    acceptingOrders: market.closed ? market.accepting : takesOrders(market, now),
    orderPriceMinTickSize: number(tick),
    orderMinSize: number(market.minSize),
    ...volumes(floor, now),
    ...ids(floor),
    ...fees(floor),
    negRisk: market.negRisk,
    ...(market.negRiskMarketId === null ? {} : { negRiskMarketID: market.negRiskMarketId }),
    events: [eventOf(floor)],
    competitive: 0.9,
    rewardsMinSize: 0,
    rewardsMaxSpread: 0,
    ...quotes(floor),
    lastTradePrice: number(lastPrice ?? 0n),
  };
}

/** A market as the catalogue shows it. */
type GammaRecord = ReturnType<typeof gammaRecord>;

const DEFAULT_LIMIT = 20;
/** Largest page; the venue clamps larger limits silently. */
const MAX_LIMIT = 100;

/** Fields that `order` may name; the venue knows them in camelCase only. */
const SORTABLE: Readonly<Record<string, (record: GammaRecord) => number | string>> = {
  id: (record) => Number(record.id),
  slug: (record) => record.slug,
  startDate: (record) => record.startDate,
  endDate: (record) => record.endDate,
  createdAt: (record) => record.createdAt,
  liquidityNum: (record) => record.liquidityNum,
  volumeNum: (record) => record.volumeNum,
  volume24hr: (record) => record.volume24hr,
  volume1wk: (record) => record.volume1wk,
  volume1mo: (record) => record.volume1mo,
  volume1yr: (record) => record.volume1yr,
};

function invalid(text: string): Reply {
  return json({ type: 'validation error', error: text }, 422);
}

function wanted(market: Market, query: URLSearchParams): boolean {
  const among = (name: string, values: readonly string[]) => {
    const asked = query.getAll(name);
    return asked.length === 0 || asked.some((value) => values.includes(value));
  };
  const published = market.idsPublished ? market.tokenIds : [];
  const [v1, v2] = market.version === 'v1' ? [published, []] : [[], published];
  // Closed markets are left out unless they are asked for, even when looked up by id.
  return (
    market.closed === (query.get('closed') === 'true') &&
    among('clob_token_ids', v1) &&
    among('position_ids', v2) &&
    among('condition_ids', [market.gammaConditionId, market.conditionId]) &&
    among('id', [market.id]) &&
    among('slug', [market.slug])
  );
}

function compare(left: number | string, right: number | string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function sorted(records: readonly GammaRecord[], query: URLSearchParams): readonly GammaRecord[] {
  const keys = (query.get('order') ?? 'id').split(',').map((field) => SORTABLE[field]);
  const sign = query.get('ascending') === 'true' || !query.has('order') ? 1 : -1;
  const by = (left: GammaRecord, right: GammaRecord) =>
    keys.reduce((order, key) => order || (key ? sign * compare(key(left), key(right)) : 0), 0);
  return records.toSorted((left, right) => by(left, right) || Number(left.id) - Number(right.id));
}

/** Finds the first mistake in a query; undefined when there is none. */
function mistake(query: URLSearchParams): string | undefined {
  const limit = query.get('limit');
  if (limit !== null && !/^\d{1,9}$/.test(limit)) return 'limit must be a number';
  if (query.has('offset')) return 'offset is not supported, use after_cursor';
  for (const flag of ['closed', 'ascending']) {
    if (query.has(flag) && !/^(?:true|false)$/.test(query.get(flag) ?? '')) return `${flag} must be a boolean`;
  }
  const unknown = query
    .get('order')
    ?.split(',')
    .find((field) => !Object.hasOwn(SORTABLE, field));
  if (unknown !== undefined) return `order fields are not valid: ${unknown}`;
  const cursor = query.get('after_cursor');
  return cursor !== null && !/^\d{1,9}$/.test(decoded(cursor)) ? 'after_cursor is not valid' : undefined;
}

function decoded(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}

function keyset(state: VenueState, { query, now }: PaperRequest): Reply {
  const wrong = mistake(query);
  if (wrong !== undefined) return invalid(wrong);
  const { exchange } = state;
  const markets = exchange.catalogue.markets.filter((market) => wanted(market, query));
  const records = sorted(
    markets.map((market) => gammaRecord(exchange.floor(market.id), now)),
    query,
  );
  const limit = Math.min(Number(query.get('limit') ?? DEFAULT_LIMIT), MAX_LIMIT);
  const cursor = query.get('after_cursor');
  const end = (cursor === null ? 0 : Number(decoded(cursor))) + limit;
  const next = limit > 0 && end < records.length ? { next_cursor: Buffer.from(String(end)).toString('base64url') } : {};
  return json({ markets: records.slice(end - limit, end), ...next });
}

/** Route of Gamma, the venue's list of markets. */
export function gammaRoutes(state: VenueState): readonly Route[] {
  return [['GET', '/markets/keyset', (request) => keyset(state, request)]];
}
