import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import type { Market } from '../../../contract/markets.ts';
import { refuse } from '../../../errors.ts';
import { MAX_ANSWER_BYTES } from '../../../limits.ts';
import { isTokenId } from '../../../token-id.ts';
import { readWithRetry, refuseRead } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';
import {
  anything,
  isInside,
  lenient,
  lenientConditionId,
  lenientDecimal,
  lenientPrice,
  lenientString,
  parseExactly,
  parseJson,
  priceOrNull,
  protocolOf,
  readBy,
} from '../wire.ts';

const strings = z.array(z.string());

/**
 * Gamma writes lists as JSON inside a string; the official client takes both forms. `null` for anything else,
 * also for numbers: an id or a price that was a JavaScript number cannot be trusted.
 */
const list = readBy((value) => strings.safeParse(typeof value === 'string' ? parseJson(value) : value).data ?? null);

const dateTime = lenient(
  z.string().check(
    z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/),
    z.refine((text) => !Number.isNaN(Date.parse(text))),
  ),
);

/** A tick between 0 and 1, which in canonical form begins with `0.`; no price is on the grid of any other. */
const lenientTick = z.pipe(
  lenientDecimal,
  z.transform((tick) => (tick !== null && isInside(tick) ? tick : null)),
);

/** The first event, `null` for one without an id: nothing could be grouped by it, and another one is not the first. */
const firstEvent = z.pipe(
  readBy((events) => (Array.isArray(events) ? events[0] : null)),
  lenient(z.object({ id: z.string().check(z.minLength(1)), slug: lenientString, title: lenientString })),
);

/** The fee curve of a market (https://docs.polymarket.com/market-data/market-details, "Trading fees"). */
const feeSchedule = lenient(
  z.object({ rate: lenientDecimal, exponent: lenientDecimal, takerOnly: lenient(z.boolean()) }),
);

/** Strict about the members that identify a token and its protocol; lenient about the rest. */
const record = z.object({
  id: z.string().check(z.minLength(1)),
  version: z.nullish(z.enum(['v1', 'v2'])),
  clobTokenIds: list,
  positionIds: list,
  outcomes: list,
  outcomePrices: list,
  conditionId: lenientConditionId,
  slug: lenientString,
  question: lenientString,
  endDate: dateTime,
  orderPriceMinTickSize: lenientTick,
  orderMinSize: lenientDecimal,
  negRisk: lenient(z.boolean()),
  volume24hr: lenientDecimal,
  liquidity: lenientDecimal,
  liquidityNum: lenientDecimal,
  bestBid: lenientPrice,
  bestAsk: lenientPrice,
  events: firstEvent,
  feesEnabled: anything,
  feeSchedule,
});

type MarketRecord = z.infer<typeof record>;

/** The venue may also not have published the ids yet. */
const WITHOUT_IDS = 'it does not have exactly two token ids';

/** The two token ids of a market, chosen by its version, or why they cannot be trusted. */
function tokenIds({ version, clobTokenIds, positionIds }: MarketRecord): readonly string[] | { reason: string } {
  const protocol = version ?? 'v1';
  const ids = protocol === 'v2' ? positionIds : clobTokenIds;
  if (ids?.length !== 2 || ids[0] === ids[1]) return { reason: WITHOUT_IDS };
  if (!ids.every(isTokenId)) return { reason: 'a token id is not a decimal uint256' };
  if (!ids.every((id) => protocolOf(id) === protocol))
    return { reason: `a token id is not one of protocol ${protocol}` };
  return ids;
}

/** The fees that the venue states; `null` where it does not say how much they are. */
function feesOf({ feesEnabled, feeSchedule }: MarketRecord): Market['fees'] {
  const { rate = null, exponent = null, takerOnly = null } = feeSchedule ?? {};
  const takerRate = feesEnabled === false ? '0' : rate;
  return takerRate === null ? null : { taker_rate: takerRate, exponent, taker_only: takerOnly };
}

/** The members that say which market it is and whether it is open. */
const identity = z.object({
  id: lenientString,
  active: anything,
  closed: anything,
  archived: anything,
  enableOrderBook: anything,
  acceptingOrders: anything,
});

function isOpen(market: z.infer<typeof identity>): boolean {
  const { active, closed, archived, enableOrderBook, acceptingOrders } = market;
  return (
    active === true && closed === false && archived !== true && enableOrderBook === true && acceptingOrders === true
  );
}

/** A row of the catalogue: a market, or why it cannot be traded safely, or neither. */
export interface CatalogueRow {
  readonly market?: Market;
  readonly leftOut?: { readonly id: string; readonly reason: string };
}

/**
 * Parses one market of the catalogue; never throws. Returns a market, why one cannot be traded safely, or neither for one on
 * which no order can be placed now.
 */
export function parseMarket(value: unknown): CatalogueRow {
  const described = identity.safeParse(value).data;
  if (described && !isOpen(described)) return {};
  const { data, error } = record.safeParse(value);
  if (!data) {
    const field = String(error.issues[0]?.path[0] ?? 'the record');
    return { leftOut: { id: described?.id?.slice(0, 64) || 'without id', reason: `${field} is not usable` } };
  }
  const ids = tokenIds(data);
  if ('reason' in ids) return { leftOut: { id: data.id, reason: ids.reason } };
  const { outcomes, outcomePrices } = data;
  if (outcomes !== null && outcomes.length !== ids.length) {
    return { leftOut: { id: data.id, reason: 'its outcomes do not match its token ids' } };
  }
  // A client that picks an outcome by its name must not buy the other one.
  const names = outcomes?.map((name) => name.trim());
  const areNamed = names?.every(Boolean) && names[0] !== names[1];
  const prices = outcomePrices?.length === ids.length ? outcomePrices : [];
  return {
    market: {
      id: data.id,
      condition_id: data.conditionId,
      slug: data.slug,
      question: data.question,
      end_date: data.endDate,
      tick_size: data.orderPriceMinTickSize,
      min_order_size: data.orderMinSize,
      neg_risk: data.negRisk,
      volume_24h: data.volume24hr,
      liquidity: data.liquidity ?? data.liquidityNum,
      best_bid: data.bestBid,
      best_ask: data.bestAsk,
      event: data.events,
      fees: feesOf(data),
      outcomes: ids.map((token_id, index) => ({
        name: (areNamed && outcomes?.[index]) || null,
        token_id,
        price: priceOrNull(prices[index]),
      })),
    },
  };
}

/** The venue clamps larger pages silently (https://docs.polymarket.com/changelog). */
export const MAX_PAGE_SIZE = 100;

const page = z.object({ markets: z.array(z.unknown()), next_cursor: z.nullish(z.string()) });

/** A page of the catalogue; `filter`: further parameters, each with its value. */
interface PageQuery {
  readonly size: number;
  readonly filter?: readonly (readonly [name: string, value: string])[];
}

/**
 * `GET /markets/keyset` of Gamma: one page of open markets, most traded first, and the cursor of the next one unless it is
 * the last (https://docs.polymarket.com/api-reference/markets/list-markets). Errors: see `MarketData`.
 */
export async function listMarketPage(gamma: Transport, { size, filter = [] }: PageQuery, call: Call) {
  const query = new URLSearchParams({ closed: 'false', order: 'volume24hr', ascending: 'false', limit: String(size) });
  for (const [name, value] of filter) query.append(name, value);
  const spec = {
    name: 'list-markets',
    method: 'GET',
    path: `/markets/keyset?${query}`,
    maxBytes: MAX_ANSWER_BYTES.page,
  } as const;
  const response = await readWithRetry(gamma, spec, call);
  if (response.status !== 200 || !response.isJson) throw refuseRead(response);
  // Takes 4 ms a page more than `JSON.parse`, which would round.
  const { data, error } = page.safeParse(parseExactly(response.text));
  if (!data) throw refuse('venue_error', { why: 'unusable' }, { cause: error });
  return { markets: data.markets.slice(0, size).map(parseMarket), nextCursor: data.next_cursor || undefined };
}

/**
 * Lists the open markets of some tokens: one page for each protocol, read side by side (`clob_token_ids` and `position_ids` of
 * the same call). Errors: see `MarketData`; where a page cannot be read, there is no list.
 */
export async function listMarketsOf(
  gamma: Transport,
  tokenIds: readonly string[],
  call: Call,
): Promise<readonly CatalogueRow[]> {
  const { v1 = [], v2 = [] } = Object.groupBy(new Set(tokenIds), protocolOf);
  const filters = [v1.map((id) => ['clob_token_ids', id] as const), v2.map((id) => ['position_ids', id] as const)];
  const asked = filters.filter(({ length }) => length > 0);
  const pages = await Promise.all(asked.map((filter) => listMarketPage(gamma, { size: MAX_PAGE_SIZE, filter }, call)));
  // The venue ignores a parameter that it does not know, and lists all markets.
  const isOf = ({ outcomes }: Market) => outcomes.some(({ token_id }) => tokenIds.includes(token_id));
  return pages.flatMap(({ markets }) => markets).filter(({ market }) => !market || isOf(market));
}
