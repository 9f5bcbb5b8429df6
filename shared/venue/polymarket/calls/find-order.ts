import * as z from 'zod/mini';
import { LOOK_UP_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call, Fate, Placement, SignedOrder } from '../../port.ts';
import { complementOf, fillsInRecord, fillsInTrades, isWhole, NOTHING_KNOWN, type Part } from '../fills.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import { parseJson, type VenueHttpRequest, type VenueHttpResponse } from '../http/transport.ts';
import { decimalText, errorText, lenient, lenientDecimal, lenientString } from '../wire.ts';

/** Most pages of trades that are read; each has hundreds of trades. */
const MAX_TRADE_PAGES = 10;
/** A trade that is older than the order by more than this, by both clocks, belongs to another order. */
const TRADE_MARGIN_S = 3_600;
/** The cursor of the CLOB after its last page. */
const END = 'LTE=';

const order = z.object({
  id: z.string(),
  status: z.string(),
  size_matched: decimalText,
  original_size: lenientDecimal,
  associate_trades: lenient(z.array(z.unknown())),
});

const trade = z.object({
  id: z.string(),
  status: z.nullish(z.string()),
  match_time: z.nullish(z.string()),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  asset_id: lenientString,
  size: lenientDecimal,
  maker_orders: lenient(
    z.array(
      z.object({
        order_id: lenientString,
        asset_id: lenientString,
        matched_amount: lenientDecimal,
        price: lenientDecimal,
      }),
    ),
  ),
});

type Trade = z.infer<typeof trade>;

const tradePage = z.object({ data: z.array(trade), next_cursor: z.nullish(z.string()) });

/**
 * The result of asking the venue for an order. `found` is this very order; not finding it proves nothing, since the
 * venue forgets filled orders; `unusable` is a venue that cannot be asked.
 */
export type LookUp =
  | { readonly kind: 'found'; readonly fate: Extract<Fate, { readonly kind: 'placed' }> }
  | { readonly kind: 'not_found' | 'unusable' };

const NOT_FOUND: LookUp = { kind: 'not_found' };
const UNUSABLE: LookUp = { kind: 'unusable' };

function placed(placement: Placement): LookUp {
  return { kind: 'found', fate: { kind: 'placed', placement } };
}

/** Returns true for the venue's own "not found", and false for a 404 of its edge. */
function isOwn404({ status, isJson, text }: VenueHttpResponse): boolean {
  return status === 404 && isJson && errorText(text) !== undefined;
}

/** Reads the answer of `GET /data/order/{id}`. */
function readOrder(response: VenueHttpResponse, signed: SignedOrder): LookUp {
  const { orderId } = signed;
  if (isOwn404(response)) return NOT_FOUND;
  const { status, isJson, text } = response;
  if (status !== 200 || !isJson) return UNUSABLE;
  const body = parseJson(text);
  if (body === null) return NOT_FOUND;
  const parsed = order.safeParse(body);
  if (!parsed.success || !isId(parsed.data.id, orderId)) return UNUSABLE;
  const { status: state, size_matched: sizeMatched, original_size: originalSize } = parsed.data;
  const trades = parsed.data.associate_trades ?? [];
  const placement = (status: Placement['status']) => {
    const told = fillsInRecord(signed, status, { sizeMatched, originalSize });
    // Trades without amounts, as in the answer to `POST /order`.
    const fills = trades.length > 0 && told.filledSize === '0' ? NOTHING_KNOWN : told;
    const tradeIds = trades.filter((id) => typeof id === 'string');
    return placed({ orderId, status, ...fills, transactionHashes: [], tradeIds });
  };
  const name = state.toUpperCase().replace(/^ORDER_STATUS_/, '');
  // Off the book by the time of this look-up; the venue had taken it.
  if (/^(?:CANCELL?ED|INVALID)[A-Z_]*$/.test(name)) return placement('cancelled');
  if (sizeMatched !== '0' || name === 'MATCHED') return placement('matched');
  if (name === 'LIVE' || name === 'UNMATCHED') return placement('live');
  return name === 'DELAYED' ? placement('delayed') : UNUSABLE;
}

/** Returns true for a trade whose settlement failed on the chain, in both spellings of the venue: it is not a fill. */
function hasFailed({ status }: Trade): boolean {
  return /^(?:TRADE_STATUS_)?FAILED$/i.test(status ?? '');
}

/** Returns true for a page, newest trade first, that ends with trades from before the order: the rest is older. */
function endsBefore(trades: readonly Trade[], since: number): boolean {
  const times = trades.map(({ match_time }) => Number(match_time || Number.NaN));
  const isSorted = times.every((time, index) => time <= (times[index - 1] ?? Number.POSITIVE_INFINITY));
  return isSorted && (times.at(-1) ?? Number.POSITIVE_INFINITY) < since;
}

/**
 * Reads the trades of an order in a page of `GET /data/trades`; `undefined` for an unusable one. `isTold`: every trade
 * shows which part of it is the order's. `nextCursor`: absent on the last page. `since`: in seconds of the epoch.
 */
function readTrades(response: VenueHttpResponse, orderId: string, since: number) {
  if (isOwn404(response)) return { own: [], isTold: true, nextCursor: undefined };
  const { status, isJson, text } = response;
  const parsed = tradePage.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return undefined;
  const { data, next_cursor } = parsed.data;
  const own = data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...(maker_orders ?? []).map(({ order_id }) => order_id)].some((id) => isId(id, orderId)),
  );
  // A taker that is not named may be our order, and so may a maker whose part cannot be read.
  const isTold = data.every(
    ({ taker_order_id, maker_orders }) =>
      isId(taker_order_id, orderId) || (taker_order_id && maker_orders?.every(({ order_id }) => order_id)),
  );
  const isLast = !next_cursor || next_cursor === END || endsBefore(data, since);
  return { own, isTold, nextCursor: isLast ? undefined : next_cursor };
}

function isId(id: string | null | undefined, orderId: string): boolean {
  return id?.toLowerCase() === orderId.toLowerCase();
}

/** Returns the parts of a trade that are the order's: a maker's own, all of a taker's. */
function partsOf({ taker_order_id, asset_id, size, maker_orders }: Trade, orderId: string): readonly Part[] {
  const makers = maker_orders ?? [];
  if (!isId(taker_order_id, orderId)) {
    return makers
      .filter(({ order_id }) => isId(order_id, orderId))
      .map(({ matched_amount, price }) => ({ shares: matched_amount, price }));
  }
  // A trade's own price is the taker's limit. A maker on the other token sells the complement of its price.
  const parts = makers.map(({ asset_id: token, matched_amount: shares, price }) => {
    if (token === null || asset_id === null || price === null) return { shares, price: null };
    return { shares, price: token === asset_id ? price : complementOf(price) };
  });
  return isWhole(parts, size) ? parts : [{ shares: size, price: null }];
}

/** What the trades of an order tell; `hasFailed`: the settlement of one has failed, so the order's record may count too much. */
type Traded = LookUp & { readonly hasFailed?: boolean };

/** Derives an order's placement from its trades; `isAll`: none of them can be missing. */
function placementIn(trades: readonly Trade[], order: SignedOrder, isAll: boolean): Traded {
  const { orderId } = order;
  const unique = [...new Map(trades.map((trade) => [trade.id, trade])).values()];
  const fills = unique.filter((trade) => !hasFailed(trade));
  // Only failed trades: the order was accepted once, and nothing else is known.
  if (fills.length === 0) return unique.length > 0 ? { ...UNUSABLE, hasFailed: true } : NOT_FOUND;
  const executed = fillsInTrades(
    order,
    fills.flatMap((trade) => partsOf(trade, orderId)),
  );
  const found = placed({
    orderId,
    status: 'matched',
    ...(isAll || executed.remainingSize === '0' ? executed : NOTHING_KNOWN),
    transactionHashes: [...new Set(fills.flatMap(({ transaction_hash }) => transaction_hash || []))],
    tradeIds: fills.map(({ id }) => id),
  });
  return { ...found, hasFailed: fills.length < unique.length };
}

/** Creates the look-ups of one account. A venue that cannot be asked is `unusable`, never an error. */
export function createOrderFinder(send: SendAsAccount, log: Log) {
  async function ask(spec: Pick<VenueHttpRequest, 'name' | 'path'>, call: Call) {
    try {
      return (await send(() => ({ ...spec, method: 'GET', timeLimit: LOOK_UP_MS }), call)).response;
    } catch (error) {
      log.debug('look-up failed', { venue_request: spec.name, ...call.trace, error });
      return undefined;
    }
  }

  /** Lists an order's trades; `isAll` is false if a page, or the orders that met in a trade, could not be read. */
  async function readPages(filter: Readonly<Record<string, string>>, { orderId, signedAt }: SignedOrder, call: Call) {
    const since = Math.min(signedAt.venue, signedAt.own) / 1_000 - TRADE_MARGIN_S;
    const trades: Trade[] = [];
    let isTold = true;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_TRADE_PAGES; page += 1) {
      const query = new URLSearchParams({ ...filter, ...(cursor && { next_cursor: cursor }) });
      const response = await ask({ name: 'read-trades', path: `/data/trades?${query}` }, call);
      const read = response && readTrades(response, orderId, since);
      if (!read) break;
      trades.push(...read.own);
      isTold &&= read.isTold;
      if (read.nextCursor === undefined) return { trades, isAll: isTold };
      cursor = read.nextCursor;
    }
    return { trades, isAll: false };
  }

  /**
   * `GET /data/trades` (https://docs.polymarket.com/api-reference/trade/get-trades): trades outlive the order, which the
   * venue forgets once it is filled.
   */
  async function fills(order: SignedOrder, call: Call): Promise<Traded> {
    const { tokenId, conditionId } = order;
    const inToken = await readPages({ asset_id: tokenId }, order, call);
    if (!inToken.isAll && inToken.trades.length === 0) return UNUSABLE;
    const found = placementIn(inToken.trades, order, false);
    if (found.kind === 'found' && found.fate.placement.remainingSize === '0') return found;
    // A resting order can match one on the other token, and the trade is then listed under that token: it is found by
    // the market, if that is known.
    const inMarket =
      conditionId === null ? { trades: [], isAll: false } : await readPages({ market: conditionId }, order, call);
    const isAll = inToken.isAll && inMarket.isAll;
    const all = placementIn([...inToken.trades, ...inMarket.trades], order, isAll);
    return all.kind === 'not_found' && !isAll ? UNUSABLE : all;
  }

  /**
   * Adds the value of the fills if the trades sum to exactly the filled shares of the order's record. Where they do not,
   * and one of them has failed, nothing is known of the fills.
   */
  async function withValue(placement: Placement, order: SignedOrder, call: Call): Promise<Placement> {
    if (placement.filledSize === null || placement.filledValue !== null) return placement;
    const traded = await fills(order, call);
    if (traded.kind === 'found' && traded.fate.placement.filledSize === placement.filledSize) {
      return { ...placement, filledValue: traded.fate.placement.filledValue };
    }
    return traded.hasFailed ? { ...placement, ...NOTHING_KNOWN } : placement;
  }

  return {
    /**
     * `GET /data/order/{id}` (https://docs.polymarket.com/api-reference/trade/get-single-order-by-id), and its trades for
     * the value of what was executed.
     */
    async order(order: SignedOrder, call: Call): Promise<LookUp> {
      const response = await ask({ name: 'read-order', path: `/data/order/${order.orderId}` }, call);
      const found = response ? readOrder(response, order) : UNUSABLE;
      return found.kind === 'found' ? placed(await withValue(found.fate.placement, order, call)) : found;
    },
    fills,
  };
}
