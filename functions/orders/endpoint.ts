import type { Call } from '../../shared/call.ts';
import type { Wire } from '../../shared/contract/schemas.ts';
import { aboutOrder, refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import type { Orders } from '../../shared/orders/orders.ts';
import type { OrderResult } from '../../shared/orders/turn.ts';
import { formatTime } from '../../shared/time.ts';
import type { LimitOrder, Placement } from '../../shared/venue/port.ts';
import type { Endpoint, Middleware } from '../http.ts';
import { ROUTES } from '../routes.ts';
import { claimedClient, clientTrace } from './caller.ts';
import { checkRequest } from './checks.ts';
import { PARSE_JSON } from './json.ts';
import { parseOrder } from './order.ts';
import type { placedOrder } from './response.ts';
import type { ClientVerification } from './verification.ts';

/** Returns the capability to trade. Errors: 403 `order_placement_disabled`, 503 `store_unavailable` when the key cannot be read. */
export type OpenOrders = (call?: Call) => Promise<Orders>;

export function openOnce(open: () => Promise<Orders>): OpenOrders {
  let opened: Promise<Orders> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

export interface OrderParts {
  readonly openOrders: OpenOrders;
  /** Absent where clients are not verified. */
  readonly verification?: ClientVerification | undefined;
  /** Refuses callers whom the gateway has not identified; absent without a gateway. */
  readonly checkCaller?: Middleware;
}

function orderToWire({ tokenId, side, price, size, postOnly, expiresAt }: LimitOrder) {
  const expires_at = expiresAt === null ? null : formatTime(expiresAt);
  return { token_id: tokenId, side, price, size, post_only: postOnly, expires_at };
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

/** Returns the placement of an order, or throws the error of any other fate. */
export function placementOf({ orderId, fate }: OrderResult, idempotencyKey: string | undefined): Placement {
  if (fate.kind === 'placed') return fate.placement;
  if (fate.kind !== 'unknown') throw aboutOrder(fate.error, orderId);
  const { why, venueReason, cause } = fate;
  // Without a key a repeat is a new order.
  const advice = idempotencyKey === undefined ? 'look_up' : 'repeat';
  const retryAfter = advice === 'repeat' ? fate.retryAfter : undefined;
  if (why === 'firewall') {
    throw aboutOrder(refuse('venue_refused_service', { reason: why, advice }, { cause }), orderId);
  }
  const facts = { orderId, why, ...(venueReason !== undefined && { venueReason }) };
  throw refuse('outcome_unknown', { ...facts, advice }, { retryAfter, cause });
}

/** Creates `POST /v1/orders`: places one limit order for a request that asks for exactly that. */
export function ordersEndpoint({ openOrders, verification, checkCaller }: OrderParts): Endpoint {
  const checkEnabled: Middleware = { before: async ({ context: { state } }) => void (await openOrders(state.call)) };
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    checks: [checkCaller ?? [], checkEnabled, checkRequest, verification?.checkHeaders ?? [], PARSE_JSON].flat(),
    handler: async ({ body, headers, domainName, requestId, caller, trace }, call) => {
      const orders = await openOrders(call);
      const order = parseOrder(body);
      const asked = orderToWire(order);
      const claimed = claimedClient(headers);
      Object.assign(trace, { order: asked, ...clientTrace(claimed) });
      const client = verification
        ? await verification.verify({
            headers,
            domainName,
            order: asked,
            now: Date.now(),
            checkClock: () => orders.checkClock(call),
          })
        : claimed;
      if (verification) Object.assign(trace, clientTrace(client));
      const idempotencyKey = headers['idempotency-key'];
      const result = await orders.place({ order, idempotencyKey, client, requestId, caller }, call);
      const placement = placementOf(result, idempotencyKey);
      const { orderId: order_id, status: order_status } = placement;
      Object.assign(trace, { order_id, order_status, replayed: result.replayed });
      return {
        status: 201,
        ...(result.replayed && { headers: { 'idempotency-replayed': 'true' } }),
        body: toWire(asked, placement, orders.walletAddress),
      };
    },
  };
}
