import { formatDecimal } from '../../shared/decimal.ts';
import { aboutOrder, refuse } from '../../shared/errors.ts';
import type { OrderResult } from '../../shared/orders/order-request.ts';
import { formatTime } from '../../shared/time.ts';
import type { LimitOrder, Placement } from '../../shared/venue/port.ts';
import type { Wire } from '../schemas.ts';
import type { placedOrder } from './response.ts';

/** Returns an order in its canonical form, in wire names. */
export function orderToWire(order: LimitOrder) {
  return {
    token_id: order.tokenId,
    side: order.side,
    price: formatDecimal(order.price),
    size: formatDecimal(order.size),
    post_only: order.postOnly,
    expires_at: order.expiresAt === null ? null : formatTime(order.expiresAt),
  };
}

/** Returns the body of a 201. */
export function toWire(
  order: ReturnType<typeof orderToWire>,
  placement: Placement,
  walletAddress: string,
): Wire<typeof placedOrder> {
  return {
    order_id: placement.orderId,
    status: placement.status,
    ...order,
    filled_size: placement.filledSize,
    remaining_size: placement.remainingSize,
    filled_value: placement.filledValue,
    wallet_address: walletAddress,
    transaction_hashes: placement.transactionHashes,
    trade_ids: placement.tradeIds,
  };
}

/** The edge where the fate of an order becomes a response: returns its placement, or throws the error of any other fate. */
export function placementOf({ orderId, fate }: OrderResult, idempotencyKey: string | undefined): Placement {
  if (fate.kind === 'placed') return fate.placement;
  if (fate.kind !== 'unknown') throw aboutOrder(fate.error, orderId);
  const { why, venueReason, retryAfter, cause } = fate;
  const facts = { orderId, why, ...(venueReason !== undefined && { venueReason }) };
  // Without a key a repeat is a new order.
  if (idempotencyKey === undefined) throw refuse('outcome_unknown', { ...facts, advice: 'look_up' }, { cause });
  throw refuse('outcome_unknown', { ...facts, advice: 'repeat' }, { retryAfter, cause });
}
