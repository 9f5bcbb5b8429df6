import * as z from 'zod/mini';
import { LOOK_UP_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call, Fate, Placement, SignedOrder } from '../../port.ts';
import type { AuthenticatedRequest, SendAsAccount } from '../http/account.ts';
import type { VenueHttpResponse } from '../http/transport.ts';
import { decimalText, errorText, parseJson } from '../wire.ts';

/** Pages of trades that are looked at; there are hundreds of trades on each. */
const MAX_TRADE_PAGES = 10;
/** Trades so much older than an order are none of it, whatever the clocks of the venue's parts. */
const TRADE_MARGIN_S = 3_600;
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
  status: z.nullish(z.string()),
  match_time: z.nullish(z.string()),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  maker_orders: z.catch(z.array(z.object({ order_id: z.string() })), []),
});

type Trade = z.infer<typeof trade>;

const tradePage = z.nullable(z.object({ data: z.array(trade), next_cursor: z.nullish(z.string()) }));

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

/** Tells the venue's own "not found" from a 404 of what stands before it. */
function isOwn404({ status, isJson, text }: VenueHttpResponse): boolean {
  return status === 404 && isJson && errorText(text) !== undefined;
}

/** Reads the answer of `GET /data/order/{id}`. */
function readOrder(response: VenueHttpResponse, orderId: string): LookUp {
  if (isOwn404(response)) return NOT_FOUND;
  const { status, isJson, text } = response;
  if (status !== 200 || !isJson) return UNUSABLE;
  const body = parseJson(text);
  if (body === null) return NOT_FOUND;
  const parsed = order.safeParse(body);
  if (!parsed.success || parsed.data.id.toLowerCase() !== orderId.toLowerCase()) return UNUSABLE;
  const { status: state, size_matched, associate_trades } = parsed.data;
  const name = state.toUpperCase().replace(/^ORDER_STATUS_/, '');
  const placement = { orderId, transactionHashes: [], tradeIds: associate_trades ?? [] };
  // Off the book by the time of this look-up; the venue had taken it.
  if (/^(?:CANCELL?ED|INVALID)[A-Z_]*$/.test(name)) return placed({ ...placement, status: 'cancelled' });
  if (size_matched !== '0' || name === 'MATCHED') return placed({ ...placement, status: 'matched' });
  if (name === 'LIVE' || name === 'UNMATCHED') return placed({ ...placement, status: 'live' });
  return name === 'DELAYED' ? placed({ ...placement, status: 'delayed' }) : UNUSABLE;
}

/** Tells a trade whose settlement failed on the chain, in both spellings of the venue: it is no fill. */
function hasFailed({ status }: Trade): boolean {
  return /^(?:TRADE_STATUS_)?FAILED$/i.test(status ?? '');
}

/** Tells a page, newest trade first, that ends with trades from before the order: none of it can follow. */
function endsBefore(trades: readonly Trade[], since: number): boolean {
  const times = trades.map(({ match_time }) => Number(match_time ?? Number.NaN));
  const isSorted = times.every((time, index) => time <= (times[index - 1] ?? Number.POSITIVE_INFINITY));
  return isSorted && (times.at(-1) ?? Number.POSITIVE_INFINITY) < since;
}

/** Reads one page of `GET /data/trades`; `nextCursor` is absent on the last page. `since`: in seconds of the epoch. */
function readTrades(
  response: VenueHttpResponse,
  orderId: string,
  since: number,
): { readonly found: LookUp; readonly nextCursor?: string | undefined } {
  if (isOwn404(response)) return { found: NOT_FOUND };
  const { status, isJson, text } = response;
  const parsed = tradePage.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return { found: UNUSABLE };
  const { data = [], next_cursor } = parsed.data ?? {};
  const wanted = orderId.toLowerCase();
  const own = data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...maker_orders.map(({ order_id }) => order_id)].some((id) => id?.toLowerCase() === wanted),
  );
  const fills = own.filter((trade) => !hasFailed(trade));
  if (fills.length > 0) {
    const transactionHashes = [...new Set(fills.flatMap(({ transaction_hash }) => transaction_hash || []))];
    return { found: placed({ orderId, status: 'matched', transactionHashes, tradeIds: fills.map(({ id }) => id) }) };
  }
  // Known by failed trades alone: accepted once, and nobody says what became of the rest.
  if (own.length > 0) return { found: UNUSABLE };
  const isLast = !next_cursor || next_cursor === END || endsBefore(data, since);
  return { found: NOT_FOUND, nextCursor: isLast ? undefined : next_cursor };
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

  async function readPages(
    filter: Readonly<Record<string, string>>,
    orderId: string,
    since: number,
    call: Call,
  ): Promise<LookUp> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_TRADE_PAGES; page += 1) {
      const query = new URLSearchParams({ ...filter, ...(cursor && { next_cursor: cursor }) });
      const response = await ask({ name: 'read-trades', path: '/data/trades', query: `?${query}` }, call);
      if (!response) return UNUSABLE;
      const { found, nextCursor } = readTrades(response, orderId, since);
      if (found.kind !== 'not_found' || nextCursor === undefined) return found;
      cursor = nextCursor;
    }
    return UNUSABLE;
  }

  return {
    async order(orderId, call) {
      const response = await ask({ name: 'read-order', path: `/data/order/${orderId}` }, call);
      return response ? readOrder(response, orderId) : UNUSABLE;
    },

    async fills({ orderId, tokenId, conditionId, payload }, call) {
      const signed = timestamped.safeParse(parseJson(payload));
      const since = signed.success ? Number(signed.data.timestamp) / 1_000 - TRADE_MARGIN_S : 0;
      const inToken = await readPages({ asset_id: tokenId }, orderId, since, call);
      // A resting order can be matched by one on the other token, under whose name the trade then stands.
      if (inToken.kind !== 'not_found' || conditionId === null) return inToken;
      return readPages({ market: conditionId }, orderId, since, call);
    },
  };
}
