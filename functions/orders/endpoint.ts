import { ORDER_BUDGET_MS } from '../../shared/limits.ts';
import type { Orders } from '../../shared/orders/orders.ts';
import type { Call } from '../../shared/venue/port.ts';
import type { Endpoint, Middleware } from '../endpoint.ts';
import { ROUTES } from '../routes.ts';
import { PARSE_JSON, parseOrder } from './body.ts';
import { checkMediaType, checkNoQuery, checkOrderHeaders, checkSize, claimedClient, clientTrace } from './checks.ts';
import { orderToWire, placementOf, toWire } from './placement.ts';
import type { ClientVerification } from './verification/verification.ts';

/**
 * Returns the capability to trade; `call` names the request in the log, if there is one. Errors: 403
 * `order_placement_disabled` without it, 503 `store_unavailable` when the key cannot be read.
 */
export type OpenOrders = (call?: Call) => Promise<Orders>;

/** The parts of the orders endpoint. */
export interface OrdersDeps {
  readonly openOrders: OpenOrders;
  /** Absent where clients are not verified. */
  readonly verification?: ClientVerification | undefined;
  /** Refuses callers whom the gateway has not identified; absent without a gateway. */
  readonly checkCaller?: Middleware;
}

/** Creates `POST /v1/orders`: places one limit order for a request that asks for exactly that. */
export function ordersEndpoint({ openOrders, verification, checkCaller }: OrdersDeps): Endpoint {
  const checkEnabled: Middleware = { before: async ({ context: { state } }) => void (await openOrders(state.call)) };
  const checkRequest = [checkNoQuery, checkMediaType, checkSize, checkOrderHeaders];
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    checks: [checkCaller ?? [], checkEnabled, checkRequest, verification?.checkHeaders ?? [], PARSE_JSON].flat(2),
    handler: async ({ body, headers, domainName, requestId, caller, note }, call) => {
      const orders = await openOrders(call);
      const order = parseOrder(body);
      const asked = orderToWire(order);
      const claimed = claimedClient(headers);
      note({ order: asked, ...clientTrace(claimed) });
      const signed = { headers, domainName, order: asked, now: orders.now() };
      const client = verification ? verification.verify(signed) : claimed;
      note(clientTrace(client));
      const idempotencyKey = headers['idempotency-key'];
      const result = await orders.place({ order, idempotencyKey, client, requestId, caller }, call);
      const placement = placementOf(result, idempotencyKey);
      note({ order_id: placement.orderId, order_status: placement.status, replayed: result.replayed });
      return {
        status: 201,
        ...(result.replayed && { headers: { 'idempotency-replayed': 'true' } }),
        body: toWire(asked, placement, orders.walletAddress),
      };
    },
  };
}
