import * as z from 'zod/mini';
import { LOOK_UP_MS, MAX_ANSWER_BYTES, MAX_TRADES } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call, Fate, Placement, SignedOrder } from '../../port.ts';
import { fillsInRecord, NOTHING_KNOWN } from '../fills.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import type { VenueHttpRequest, VenueHttpResponse } from '../http/transport.ts';
import type { MakerOrder, OpenOrder, Trade as VenueTrade } from '../official-client.ts';
import { decimalText, epochMs, errorText, lenient, lenientString, type Members, parseJson, readBy } from '../wire.ts';

/** The most pages of trades of a look-up; each has hundreds of trades. */
const MAX_TRADE_PAGES = 10;
/** A trade that is older than the order by more than this belongs to another order. */
const TRADE_MARGIN_MS = 3_600_000;
/** The cursor of the CLOB after its last page. */
const END = 'LTE=';

const order = z.object({
  id: z.string(),
  status: z.string(),
  // Empty if the venue does not report it.
  size_matched: z.union([decimalText, z.literal('')]),
  associate_trades: lenient(z.array(z.unknown())),
} satisfies Members<OpenOrder>);

const ORDER_ID: keyof MakerOrder = 'order_id';

/** The orders of a trade's makers, `null` for one that is not named. Without a schema, which takes longer for an odd list. */
function makerIds(makers: unknown): readonly (string | null)[] | null {
  return Array.isArray(makers) ? makers.map((maker) => lenientString.parse(maker?.[ORDER_ID])) : null;
}

/** The rows of a page, if they are not more than a page has. */
const rows = readBy((value) => (Array.isArray(value) && value.length <= MAX_TRADES ? value : undefined));

const trade = z.object({
  id: z.string(),
  status: z.nullish(z.string()),
  match_time: z.nullish(z.string()),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  maker_orders: readBy(makerIds),
} satisfies Members<VenueTrade>);

type Trade = z.infer<typeof trade>;

const tradePage = z.object({ data: z.pipe(rows, z.array(trade)), next_cursor: z.nullish(z.string()) });

/**
 * The result of a look-up. `found` is this order; `not_found` proves nothing, since the venue forgets filled orders;
 * `unusable` is a look-up without a usable answer.
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
  const { status: state, size_matched: sizeMatched, associate_trades } = parsed.data;
  const trades = associate_trades ?? [];
  const found = (status: Placement['status']) => {
    const told = fillsInRecord(signed, status, sizeMatched);
    // Trades without amounts: something was executed.
    const fills = trades.length > 0 && told.filledSize === '0' ? NOTHING_KNOWN : told;
    const tradeIds = trades.filter((id) => typeof id === 'string');
    return placed({ orderId, status, ...fills, transactionHashes: [], tradeIds });
  };
  // A reason may follow: `CANCELED_MARKET_RESOLVED`, `CANCELED_order couldn't be fully filled. …`.
  const [name] = state
    .toUpperCase()
    .replace(/^ORDER_STATUS_/, '')
    .split('_');
  // The venue had taken the order; it is off the book by the time of this look-up.
  if (name === 'CANCELED' || name === 'CANCELLED' || name === 'INVALID') return found('cancelled');
  if (name === 'MATCHED' || (sizeMatched !== '0' && sizeMatched !== '')) return found('matched');
  if (name === 'LIVE') return found('live');
  return name === 'DELAYED' ? found('delayed') : UNUSABLE;
}

/** Returns true for a trade whose settlement failed on the chain, in both spellings of the venue: it is not a fill. */
function hasFailed({ status }: Trade): boolean {
  return /^(?:TRADE_STATUS_)?FAILED$/i.test(status ?? '');
}

/** Returns true for a page, newest trade first, that ends with trades from before the order: the rest is older. */
function endsBefore(trades: readonly Trade[], since: number): boolean {
  const times = trades.map(({ match_time }) => epochMs(match_time) ?? Number.NaN);
  const isSorted = times.every((time, index) => time <= (times[index - 1] ?? Number.POSITIVE_INFINITY));
  return isSorted && (times.at(-1) ?? Number.POSITIVE_INFINITY) < since;
}

/**
 * Reads the trades of an order in a page of `GET /data/trades`; `undefined` for an unusable page. `namesEveryOrder`: every
 * trade names its taker and its makers. `nextCursor`: absent on the last page. `since`: in milliseconds of the Unix epoch.
 */
function readTrades(response: VenueHttpResponse, orderId: string, since: number) {
  const { status, isJson, text } = response;
  const parsed = tradePage.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return undefined;
  const { data, next_cursor } = parsed.data;
  const own = data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...(maker_orders ?? [])].some((id) => isId(id, orderId)),
  );
  // A taker or a maker without a name may be our order.
  const namesEveryOrder = data.every(
    ({ taker_order_id, maker_orders }) =>
      isId(taker_order_id, orderId) || (taker_order_id && maker_orders?.every(Boolean)),
  );
  const isLast = !next_cursor || next_cursor === END || endsBefore(data, since);
  return { own, namesEveryOrder, nextCursor: isLast ? undefined : next_cursor };
}

function isId(id: string | null | undefined, orderId: string): boolean {
  return id?.toLowerCase() === orderId.toLowerCase();
}

function idsOf(trades: readonly Trade[]) {
  return {
    transactionHashes: [...new Set(trades.flatMap(({ transaction_hash }) => transaction_hash || []))],
    tradeIds: [...new Set(trades.map(({ id }) => id))],
  };
}

/** Creates the look-ups of one account. A failed request is `unusable`, never an error. */
export function createOrderFinder(send: SendAsAccount, log: Log) {
  async function ask(spec: Pick<VenueHttpRequest, 'name' | 'path' | 'maxBytes'>, call: Call) {
    try {
      return (await send(() => ({ ...spec, method: 'GET', timeLimit: LOOK_UP_MS }), call)).response;
    } catch (error) {
      log.debug('look-up failed', { venue_request: spec.name, ...call.trace, error });
      return undefined;
    }
  }

  /** Lists an order's trades; `isAll` is false if a page, or the orders of a trade, could not be read. */
  async function readPages(filter: Readonly<Record<string, string>>, { orderId, signedAt }: SignedOrder, call: Call) {
    const since = signedAt - TRADE_MARGIN_MS;
    const trades: Trade[] = [];
    let namesEveryOrder = true;
    let cursor: string | undefined;
    for (let page = 0; page < MAX_TRADE_PAGES; page += 1) {
      const query = new URLSearchParams({ ...filter, ...(cursor && { next_cursor: cursor }) });
      const response = await ask(
        { name: 'read-trades', path: `/data/trades?${query}`, maxBytes: MAX_ANSWER_BYTES.page },
        call,
      );
      const read = response && readTrades(response, orderId, since);
      if (!read) break;
      trades.push(...read.own);
      namesEveryOrder &&= read.namesEveryOrder;
      if (read.nextCursor === undefined) return { trades, isAll: namesEveryOrder };
      if (read.nextCursor === cursor) break;
      cursor = read.nextCursor;
    }
    return { trades, isAll: false };
  }

  return {
    /** `GET /data/order/{id}` (https://docs.polymarket.com/api-reference/trade/get-single-order-by-id). */
    async order(order: SignedOrder, call: Call): Promise<LookUp> {
      const response = await ask(
        { name: 'read-order', path: `/data/order/${order.orderId}`, maxBytes: MAX_ANSWER_BYTES.order },
        call,
      );
      return response ? readOrder(response, order) : UNUSABLE;
    },

    /**
     * `GET /data/trades` (https://docs.polymarket.com/api-reference/trade/get-trades): trades outlive the order, which the
     * venue forgets once it is filled. A resting order can match one on the other token, and the trade is then listed
     * under that token: the market finds it.
     */
    async trades(order: SignedOrder, call: Call): Promise<LookUp> {
      const { orderId, tokenId, conditionId } = order;
      for (const filter of [{ asset_id: tokenId }, ...(conditionId === null ? [] : [{ market: conditionId }])]) {
        const { trades, isAll } = await readPages(filter, order, call);
        const fills = trades.filter((trade) => !hasFailed(trade));
        if (fills.length > 0) return placed({ orderId, status: 'matched', ...NOTHING_KNOWN, ...idsOf(fills) });
        // Failed trades: the venue had accepted the order. Its state is not known.
        if (!isAll || trades.length > 0) return UNUSABLE;
      }
      return conditionId === null ? UNUSABLE : NOT_FOUND;
    },
  };
}
