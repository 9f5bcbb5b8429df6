import * as z from 'zod/mini';
import { refuse } from '../../../errors.ts';
import { LOOK_UP_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call, Fate, Placement, SignedOrder } from '../../port.ts';
import type { AuthenticatedRequest, SendAsAccount } from '../http/account.ts';
import type { VenueHttpResponse } from '../http/transport.ts';
import { decimalText, parseJson } from '../wire.ts';

/** Pages of trades that are looked at; there are hundreds of trades on each, all since the order was signed. */
const MAX_TRADE_PAGES = 5;
/** Between our clock, by which the order is dated, and the venue's. */
const CLOCK_MARGIN_S = 60;
/** The cursor of the CLOB after its last page. */
const END = 'LTE=';

const order = z.object({
  id: z.string(),
  status: z.string(),
  size_matched: decimalText,
  associate_trades: z.catch(z.nullable(z.array(z.string())), null),
});

const trade = z.object({
  id: z.string(),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  maker_orders: z.catch(z.array(z.object({ order_id: z.string() })), []),
});

const tradePage = z.object({ data: z.array(trade), next_cursor: z.nullish(z.string()) });

const timestamped = z.object({ timestamp: z.string().check(z.regex(/^\d{10,15}$/)) });

/**
 * The result of asking the venue for an order. `found` is this very order; not finding it proves nothing, since the
 * venue forgets filled orders; `unusable` is a venue that cannot be asked.
 */
export type LookUp = { readonly kind: 'found'; readonly fate: Fate } | { readonly kind: 'not_found' | 'unusable' };

const NOT_FOUND: LookUp = { kind: 'not_found' };
const UNUSABLE: LookUp = { kind: 'unusable' };

function placed(placement: Placement): LookUp {
  return { kind: 'found', fate: { kind: 'placed', placement } };
}

/** Reads the answer of `GET /data/order/{id}`. */
function readOrder({ status, isJson, text }: VenueHttpResponse, orderId: string): LookUp {
  if (status === 404 && isJson) return NOT_FOUND;
  if (status !== 200 || !isJson) return UNUSABLE;
  const body = parseJson(text);
  if (body === null) return NOT_FOUND;
  const parsed = order.safeParse(body);
  if (!parsed.success || parsed.data.id.toLowerCase() !== orderId.toLowerCase()) return UNUSABLE;
  const { status: state, size_matched, associate_trades } = parsed.data;
  const name = state.toUpperCase().replace(/^ORDER_STATUS_/, '');
  const placement = { orderId, transactionHashes: [], tradeIds: associate_trades ?? [] };
  if (size_matched !== '0' || name === 'MATCHED') return placed({ ...placement, status: 'matched' });
  if (name === 'LIVE' || name === 'UNMATCHED') return placed({ ...placement, status: 'live' });
  if (name === 'DELAYED') return placed({ ...placement, status: 'delayed' });
  // The whole of it, since it is quoted.
  if (!/^(CANCELE?L?ED|INVALID)[A-Z_]{0,50}$/.test(name)) return UNUSABLE;
  const error = refuse('order_rejected', { cancelled: true, venueReason: state, orderId });
  return { kind: 'found', fate: { kind: 'refused', error } };
}

/** Reads one page of `GET /data/trades`; `nextCursor` is absent on the last page. */
function readTrades(
  { status, isJson, text }: VenueHttpResponse,
  orderId: string,
): { readonly found: LookUp; readonly nextCursor?: string | undefined } {
  // A venue without this path has no trades to show.
  if (status === 404) return { found: NOT_FOUND };
  const parsed = tradePage.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return { found: UNUSABLE };
  const { data, next_cursor } = parsed.data;
  const wanted = orderId.toLowerCase();
  const fills = data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...maker_orders.map(({ order_id }) => order_id)].some((id) => id?.toLowerCase() === wanted),
  );
  if (fills.length === 0) {
    return { found: NOT_FOUND, nextCursor: next_cursor && next_cursor !== END ? next_cursor : undefined };
  }
  const transactionHashes = [...new Set(fills.flatMap(({ transaction_hash }) => transaction_hash || []))];
  return { found: placed({ orderId, status: 'matched', transactionHashes, tradeIds: fills.map(({ id }) => id) }) };
}

/** Asks the venue what it knows of an order. A venue that cannot be asked is `unusable`, never an error. */
export interface OrderFinder {
  /** `GET /data/order/{id}` (https://docs.polymarket.com/api-reference/trade/get-single-order-by-id). */
  order(orderId: string, call: Call): Promise<LookUp>;
  /**
   * `GET /data/trades` (https://docs.polymarket.com/api-reference/trade/get-trades): trades outlive the order, which the
   * venue forgets once it is filled.
   */
  fills(order: SignedOrder, call: Call): Promise<LookUp>;
}

/** Makes the look-ups of one account. */
export function createOrderFinder(send: SendAsAccount, log: Log): OrderFinder {
  async function ask(spec: Omit<AuthenticatedRequest, 'method' | 'timeLimit'>, call: Call) {
    try {
      return (await send(() => ({ ...spec, method: 'GET', timeLimit: LOOK_UP_MS }), call)).response;
    } catch (error) {
      log.debug('look-up failed', { venue_request: spec.name, error });
      return undefined;
    }
  }

  return {
    async order(orderId, call) {
      const response = await ask({ name: 'read-order', path: `/data/order/${orderId}` }, call);
      return response ? readOrder(response, orderId) : UNUSABLE;
    },

    async fills({ orderId, payload }, call) {
      const signed = timestamped.safeParse(parseJson(payload));
      const after = signed.success ? Math.floor(Number(signed.data.timestamp) / 1_000) - CLOCK_MARGIN_S : 0;
      let cursor: string | undefined;
      for (let page = 0; page < MAX_TRADE_PAGES; page += 1) {
        const query = new URLSearchParams({ after: String(after), ...(cursor && { next_cursor: cursor }) });
        const response = await ask({ name: 'read-trades', path: '/data/trades', query: `?${query}` }, call);
        if (!response) return UNUSABLE;
        const { found, nextCursor } = readTrades(response, orderId);
        if (found.kind !== 'not_found' || nextCursor === undefined) return found;
        cursor = nextCursor;
      }
      return UNUSABLE;
    },
  };
}
