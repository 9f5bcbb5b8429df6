import { refuse } from '../shared/errors.ts';
import { LOCAL_BUDGET_MS, ORDER_BUDGET_MS } from '../shared/limits.ts';
import type { Endpoint } from './http.ts';
import { ROUTES, UNKNOWN_ROUTE } from './routes.ts';

/** Answers unknown paths: 404 for every method, OPTIONS included. */
export function unknownPathEndpoint(): Endpoint {
  const paths = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
  return {
    route: UNKNOWN_ROUTE,
    origins: 'any',
    budgetMs: LOCAL_BUDGET_MS,
    handler: () => {
      throw refuse('not_found', { paths });
    },
  };
}

/**
 * `POST /v1/orders` where no function takes orders. Kept apart from the endpoint that can trade, so that the function
 * that answers instead carries none of its code.
 */
export function disabledOrdersEndpoint(why: string): Endpoint {
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    handler: () => {
      throw refuse('order_placement_disabled', { why });
    },
  };
}
