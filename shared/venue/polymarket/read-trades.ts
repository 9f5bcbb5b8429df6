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

const page = z.object({ data: z.array(trade) });

/**
 * The fills of an order among the account's latest trades (`GET /data/trades`, `venue.md` 7): they outlive the order,
 * which the venue forgets once it is filled. `undefined` when the answer cannot be used.
 */
export function findFills({ status, isJson, text }: VenueHttpResponse, orderId: string): Placement | null | undefined {
  // A venue without this path has no trades to show.
  if (status === 404) return null;
  const parsed = page.safeParse(status === 200 && isJson ? parseJson(text) : undefined);
  if (!parsed.success) return undefined;
  const fills = parsed.data.data.filter(({ taker_order_id, maker_orders }) =>
    [taker_order_id, ...maker_orders.map(({ order_id }) => order_id)].includes(orderId),
  );
  if (fills.length === 0) return null;
  return {
    orderId,
    status: 'matched',
    transactionHashes: fills.flatMap(({ transaction_hash }) => (transaction_hash ? [transaction_hash] : [])),
    tradeIds: fills.map(({ id }) => id),
  };
}
