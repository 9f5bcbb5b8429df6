import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { LOOK_UP_MS, MAX_ANSWER_BYTES } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Fate, Placement, SignedOrder } from '../../port.ts';
import { fillsInRecord, NOTHING_KNOWN } from '../fills.ts';
import { isOwn404 } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import type { MakerOrder, Trade as VenueTrade } from '../official-client.ts';
import { epochMs, lenientString, type Members, parseJson, readBy } from '../wire.ts';
import { order, stateOf } from './account-orders.ts';
import { readPages, TRADES } from './pages.ts';

/** The most pages of trades of a look-up; each has hundreds of trades. */
const MAX_TRADE_PAGES = 10;
/** A trade that is older than the order by more than this belongs to another order. */
const TRADE_MARGIN_MS = 3_600_000;
const ORDER_ID: keyof MakerOrder = 'order_id';

/**
 * The orders of a trade's makers, `null` for one without an id. Read without a schema, which is slow for a malformed list.
 */
function makerIds(makers: unknown): readonly (string | null)[] | null {
  return Array.isArray(makers) ? makers.map((maker) => lenientString.parse(maker?.[ORDER_ID])) : null;
}

/** The parties of a trade. Amounts are not parsed, so that a malformed one hides no order. */
const trade = z.object({
  id: z.string(),
  status: z.nullish(z.string()),
  match_time: z.nullish(z.string()),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  maker_orders: readBy(makerIds),
} satisfies Members<VenueTrade>);

type Trade = z.infer<typeof trade>;

const trades = z.array(trade);

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

function readOrder(response: HttpResponse, signed: SignedOrder): LookUp {
  const { orderId } = signed;
  if (isOwn404(response)) return NOT_FOUND;
  const { status, isJson, text } = response;
  if (status !== 200 || !isJson) return UNUSABLE;
  const body = parseJson(text);
  if (body === null) return NOT_FOUND;
  const { id, status: state, size_matched: sizeMatched, associate_trades } = order.safeParse(body).data ?? {};
  if (!isId(id, orderId) || state == null || sizeMatched == null) return UNUSABLE;
  const trades = associate_trades ?? [];
  const found = (status: Placement['status']) => {
    const told = fillsInRecord(signed, status, sizeMatched);
    // Trades without amounts: something was executed.
    const fills = trades.length > 0 && told.filledSize === '0' ? NOTHING_KNOWN : told;
    const tradeIds = trades.filter((id) => typeof id === 'string');
    return placed({ orderId, status, ...fills, transactionHashes: [], tradeIds });
  };
  const known = stateOf(state);
  // The venue had taken the order; it is off the book by the time of this look-up.
  if (known === 'cancelled') return found('cancelled');
  if (sizeMatched !== '0' && sizeMatched !== '') return found('matched');
  return known ? found(known) : UNUSABLE;
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

/** Returns true where every trade names its taker and its makers, or is the order's own: none is overlooked. */
function nameEveryOrder(trades: readonly Trade[], orderId: string): boolean {
  return trades.every(
    ({ taker_order_id, maker_orders }) =>
      isId(taker_order_id, orderId) || (taker_order_id && maker_orders?.every(Boolean)),
  );
}

function isId(id: string | null | undefined, orderId: string): boolean {
  return id?.toLowerCase() === orderId.toLowerCase();
}

function idsIn({ taker_order_id, maker_orders }: Trade) {
  return [taker_order_id, ...(maker_orders ?? [])];
}

function idsOf(trades: readonly Trade[]) {
  return {
    transactionHashes: [...new Set(trades.flatMap(({ transaction_hash }) => transaction_hash || []))],
    tradeIds: [...new Set(trades.map(({ id }) => id))],
  };
}

/** Creates the look-ups of one account, whose funds `maker` holds. A failed request is `unusable`, never an error. */
export function createOrderFinder(send: SendAsAccount, maker: string, log: Log) {
  function fail(name: string, error: unknown, call: Call): void {
    log.debug('look-up failed', { venue_request: name, ...call.trace, error });
  }

  /** Lists an order's trades; `isAll` is false if a page, or the orders of a trade, could not be read. */
  async function listTrades(filter: Readonly<Record<string, string>>, signed: SignedOrder, call: Call) {
    const { orderId, signedAt, postOnly } = signed;
    const own: Trade[] = [];
    let isAll = true;
    let pages = 0;
    try {
      for await (const page of readPages(send, { ...TRADES, filter, maker, timeLimit: LOOK_UP_MS }, call)) {
        const listed = trades.parse(page.rows);
        own.push(...listed.filter((each) => idsIn(each).some((id) => isId(id, orderId))));
        isAll &&= nameEveryOrder(listed, orderId) && (postOnly || !page.isOfMaker);
        if (page.isLast || endsBefore(listed, signedAt - TRADE_MARGIN_MS)) return { own, isAll };
        pages += 1;
        if (pages === MAX_TRADE_PAGES) break;
      }
    } catch (error) {
      fail(TRADES.name, error, call);
    }
    return { own, isAll: false };
  }

  return {
    /** `GET /data/order/{id}` (https://docs.polymarket.com/api-reference/trade/get-single-order-by-id). */
    async order(signed: SignedOrder, call: Call): Promise<LookUp> {
      const path = `/data/order/${signed.orderId}`;
      const spec = { name: 'read-order', method: 'GET', path, timeLimit: LOOK_UP_MS } as const;
      try {
        const { response } = await send({ ...spec, maxBytes: MAX_ANSWER_BYTES.order }, call);
        return readOrder(response, signed);
      } catch (error) {
        fail(spec.name, error, call);
        return UNUSABLE;
      }
    },

    /**
     * `GET /data/trades` (https://docs.polymarket.com/api-reference/trade/get-trades): trades outlive the order, which the
     * venue forgets once it is filled. A resting order can match one on the other token, and the trade is then listed
     * under that token: the market finds it.
     */
    async trades(signed: SignedOrder, call: Call): Promise<LookUp> {
      const { orderId, tokenId, conditionId } = signed;
      for (const filter of [{ asset_id: tokenId }, ...(conditionId === null ? [] : [{ market: conditionId }])]) {
        const { own, isAll } = await listTrades(filter, signed, call);
        const fills = own.filter((trade) => !hasFailed(trade));
        if (fills.length > 0) return placed({ orderId, status: 'matched', ...NOTHING_KNOWN, ...idsOf(fills) });
        // Failed trades: the venue had accepted the order. Its state is not known.
        if (!isAll || own.length > 0) return UNUSABLE;
      }
      return conditionId === null ? UNUSABLE : NOT_FOUND;
    },
  };
}
