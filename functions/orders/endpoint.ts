import { formatDecimal } from '../../shared/decimal.ts';
import { aboutOrder, refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import type { OrderResult, Orders } from '../../shared/orders/idempotent-orders.ts';
import { formatTime } from '../../shared/time.ts';
import type { Call, LimitOrder, Placement } from '../../shared/venue/port.ts';
import type { Endpoint, Middleware } from '../endpoint.ts';
import { ROUTES } from '../routes.ts';
import type { Wire } from '../schemas.ts';
import { checkMediaTypeAndSize, checkNoQuery, checkOrderHeaders, parseJsonBody, parseOrder } from './request.ts';
import type { placedOrder } from './response.ts';
import type { ClientVerification } from './verification/verification.ts';

/** Writes an order in its canonical form, in wire names. */
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

/** The edge where the fate of an order becomes a response: gives its placement, or throws the error that says the rest. */
export function placementOf({ orderId, fate }: OrderResult, idempotencyKey: string | undefined): Placement {
  if (fate.kind === 'placed') return fate.placement;
  if (fate.kind !== 'unknown') throw aboutOrder(fate.error, orderId);
  const { why, retryAfter, cause } = fate;
  const advice = idempotencyKey === undefined ? 'look_up' : 'repeat';
  throw refuse('outcome_unknown', { orderId, why, advice }, { retryAfter, cause });
}

/**
 * Gives the capability to trade; `call` names the request in the log, where there is one. Errors: 403
 * `order_placement_disabled` where there is none, 503 `store_unavailable` when the key cannot be read.
 */
export type OpenOrders = (call?: Call) => Promise<Orders>;

export interface OrdersOptions {
  /** Absent where anybody may order. */
  readonly verification?: ClientVerification | undefined;
}

/** `POST /v1/orders`: places one limit order, if somebody asked for exactly that. */
export function ordersEndpoint(openOrders: OpenOrders, { verification }: OrdersOptions = {}): Endpoint {
  const checkPlacementEnabled: Middleware = {
    before: ({ context: { state } }) => openOrders(state.call).then(() => undefined),
  };
  const clientHeaders = verification ? [verification.checkHeaders] : [];
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    checks: [
      checkPlacementEnabled,
      checkNoQuery,
      checkMediaTypeAndSize,
      checkOrderHeaders,
      ...clientHeaders,
      parseJsonBody(),
    ],
    handler: async ({ body, headers, requestContext, logFields }, call) => {
      const order = parseOrder(body);
      const wireOrder = orderToWire(order);
      const orders = await openOrders(call);
      const { domainName } = requestContext;
      const signed = { headers, domainName, order: wireOrder, now: orders.now() };
      const { client, refusal } = verification?.verify(signed) ?? {};
      // An unverified claim: logged so that an operator can match users to fills, never used to decide.
      const claimed = { client_address_unverified: headers['x-client-address'] ?? null };
      const trace = {
        order: wireOrder,
        ...(client === undefined ? claimed : { client_address: client, client_address_verified: true }),
      };
      Object.assign(logFields, trace);
      if (refusal) throw refusal;
      const key = headers['idempotency-key'];
      // A comma is in no key: each client has keys of its own.
      const storedKey = client === undefined ? key : `${client},${key}`;
      const result = await orders.place(order, storedKey, { ...call, trace: { ...call.trace, ...trace } });
      const placement = placementOf(result, key);
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
