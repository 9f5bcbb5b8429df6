import * as z from 'zod/mini';
import type { Placement } from '../port.ts';
import type { VenueHttpResponse } from './transport.ts';
import { parseJson } from './wire.ts';

const trade = z.object({
  id: z.string(),
  taker_order_id: z.nullish(z.string()),
  transaction_hash: z.nullish(z.string()),
  maker_orders: z.catch(z.array(z.object({ order_id: z.string() })), []),
});

const page = z.object({ data: z.array(trade), next_cursor: z.nullish(z.string()) });

/** The cursor of the CLOB after its last page. */
const END = 'LTE=';

export interface TradePage {
  /** The order's fills on this page, if any. */
  readonly placement: Placement | undefined;
  /** Absent on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * Looks for an order on a page of the account's trades (`GET /data/trades`; the venue's documentation: get trades): they
 * outlive the order, which the venue forgets once it is filled. `undefined` when the answer cannot be used.
 */
export function readTrades({ status, isJson, text }: VenueHttpResponse, orderId: string): TradePage | undefined {
  // A venue without this path has no trades to show.
  if (status === 404) return { placement: undefined, nextCursor: undefined };
  const parsed = page.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return undefined;
  const { data, next_cursor } = parsed.data;
  const wanted = orderId.toLowerCase();
  const fills = data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...maker_orders.map(({ order_id }) => order_id)].some((id) => id?.toLowerCase() === wanted),
  );
  const placement: Placement = {
    orderId,
    status: 'matched',
    transactionHashes: [...new Set(fills.flatMap(({ transaction_hash }) => transaction_hash || []))],
    tradeIds: fills.map(({ id }) => id),
  };
  return {
    placement: fills.length > 0 ? placement : undefined,
    nextCursor: next_cursor && next_cursor !== END ? next_cursor : undefined,
  };
}
