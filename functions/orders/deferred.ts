import type { Endpoint, Middleware } from '../endpoint.ts';
import { ordersEndpoint } from './endpoint.ts';
import type { Trading } from './trading.ts';

/**
 * The endpoint of orders where the capability to trade is opened when a request needs it. Whether it can be is the
 * check "placement enabled", which comes before the body is looked at.
 */
export function deferredOrdersEndpoint(trading: Trading, walletAddress: string): Endpoint {
  const endpoint = ordersEndpoint({
    walletAddress,
    place: async (order, key, call) => (await trading.open()).place(order, key, call),
  });
  const placementEnabled: Middleware = { before: () => trading.open().then(() => undefined) };
  return { ...endpoint, checks: [placementEnabled, ...(endpoint.checks ?? [])] };
}
