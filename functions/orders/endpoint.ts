import { formatDecimal } from '../../shared/decimal.ts';
import { aboutOrder, refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import type { OrderResult } from '../../shared/orders/order-request.ts';
import type { Orders } from '../../shared/orders/orders.ts';
import { formatTime } from '../../shared/time.ts';
import type { Call, LimitOrder, Placement } from '../../shared/venue/port.ts';
import type { Endpoint, Middleware } from '../endpoint.ts';
import { ROUTES } from '../routes.ts';
import type { Wire } from '../schemas.ts';
import {
  checkMediaType,
  checkNoQuery,
  checkOrderHeaders,
  checkSize,
  claimedClient,
  PARSE_JSON,
  parseOrder,
} from './request.ts';
import type { placedOrder } from './response.ts';
import type { ClientVerification } from './verification/verification.ts';

/** Returns an order in its canonical form, in wire names. */
function orderToWire(order: LimitOrder) {
  return {
    token_id: order.tokenId,
    side: order.side,
    price: formatDecimal(order.price),
    size: formatDecimal(order.size),
    post_only: order.postOnly,
    expires_at: order.expiresAt === null ? null : formatTime(order.expiresAt),
  };
}

function toWire(
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

/**
 * Returns the capability to trade; `call` names the request in the log, if there is one. Errors: 403
 * `order_placement_disabled` without it, 503 `store_unavailable` when the key cannot be read.
 */
export type OpenOrders = (call?: Call) => Promise<Orders>;

/** Choices of the orders endpoint. */
export interface OrdersOptions {
  /** Absent where clients are not verified. */
  readonly verification?: ClientVerification | undefined;
  /** Comes before the checks of the request, where a gateway names the caller. */
  readonly callerCheck?: Middleware;
}

/** `POST /v1/orders`: places one limit order for a request that asks for exactly that. */
export function ordersEndpoint(openOrders: OpenOrders, { verification, callerCheck }: OrdersOptions = {}): Endpoint {
  const isEnabled: Middleware = { before: async ({ context: { state } }) => void (await openOrders(state.call)) };
  const clientHeaders = verification?.checkHeaders ?? [];
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    checks: [
      isEnabled,
      callerCheck ?? [],
      checkNoQuery,
      checkMediaType,
      checkSize,
      checkOrderHeaders,
      clientHeaders,
      PARSE_JSON,
    ].flat(),
    handler: async ({ body, headers, domainName, requestId, caller, logFields }, call) => {
      const orders = await openOrders(call);
      const order = parseOrder(body);
      const wireOrder = orderToWire(order);
      const signed = { headers, domainName, order: wireOrder, now: orders.now };
      const client = verification?.verify(signed) ?? claimedClient(headers);
      const trace = { order: wireOrder, ...client.trace };
      Object.assign(logFields, trace);
      if (client.kind === 'refused') throw client.error;
      const idempotencyKey = headers['idempotency-key'];
      const request = { order, idempotencyKey, client: client.client, requestId, caller };
      const result = await orders.place(request, { ...call, trace: { ...call.trace, ...trace } });
      const placement = placementOf(result, idempotencyKey);
      const { replayed } = result;
      Object.assign(logFields, { order_id: placement.orderId, order_status: placement.status, replayed });
      return {
        status: 201,
        ...(replayed && { headers: { 'idempotency-replayed': 'true' } }),
        body: toWire(wireOrder, placement, orders.walletAddress),
      };
    },
  };
}
