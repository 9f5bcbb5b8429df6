/** The only list of the endpoints. Paths are in the gateway's notation. */
export const ROUTES = {
  health: { name: 'health', method: 'GET', path: '/health' },
  markets: { name: 'markets', method: 'GET', path: '/v1/markets' },
  book: { name: 'book', method: 'GET', path: '/v1/book/{token_id}' },
  orders: { name: 'orders', method: 'POST', path: '/v1/orders' },
} as const;

export type Route = (typeof ROUTES)[keyof typeof ROUTES];

/** The gateway's route for every other path. */
export const UNKNOWN_ROUTE = { name: 'unknown', method: 'ANY', path: '$default' } as const;

export type AnyRoute = Route | typeof UNKNOWN_ROUTE;
