/** The only list of the endpoints. Paths are in the gateway's notation. */
export const ROUTES = {
  health: { name: 'health', method: 'GET', path: '/health' },
  markets: { name: 'markets', method: 'GET', path: '/v1/markets' },
  book: { name: 'book', method: 'GET', path: '/v1/book/{token_id}' },
  orders: { name: 'orders', method: 'POST', path: '/v1/orders' },
} as const;

/** One of the four endpoints. */
export type Route = (typeof ROUTES)[keyof typeof ROUTES];

/** The gateway's route for every other path. */
export const UNKNOWN_ROUTE = { name: 'unknown', method: 'ANY', path: '$default' } as const;

/** An endpoint, or the route for every other path. */
export type AnyRoute = Route | typeof UNKNOWN_ROUTE;

/**
 * Routes that a deployment has while it takes orders, besides that of orders. They lead to the function of health, go
 * before its ANY, and so tell it by their keys that orders are taken: the function itself stays as it is.
 */
export const WHILE_ORDERS_ARE_TAKEN = {
  health: 'GET /health',
  /** Allows listed pages to send tokens; only where the gateway checks them. */
  preflight: 'OPTIONS /v1/orders',
  /** Headers that the gateway writes into the request for health, over anything that a client sent under the name. */
  headers: { walletAddress: 'x-deployed-wallet-address', funderAddress: 'x-deployed-funder-address' },
} as const;
