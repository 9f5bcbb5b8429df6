import type { Config } from '../shared/config.ts';
import { type FactsOf, refuse } from '../shared/errors.ts';
import { LOCAL_BUDGET_MS, ORDER_BUDGET_MS } from '../shared/limits.ts';
import type { Endpoint } from './endpoint.ts';
import { ROUTES, UNKNOWN_ROUTE } from './routes.ts';

/** Answers every path that the service does not have: 404 whatever the method, OPTIONS included. */
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

type Why = FactsOf<'order_placement_disabled'>['why'];

/** Names the settings that are missing for orders to be placed; `undefined` when none is. */
export function whyDisabled({ placeOrder, privateKey }: Config): Why | undefined {
  const missing = [...(privateKey ? [] : ['SERVICE_PRIVATE_KEY']), ...(placeOrder ? [] : ['SERVICE_PLACE_ORDER=1'])];
  return missing.length === 0 ? undefined : missing;
}

/**
 * `POST /v1/orders` of a service that cannot trade; `why` says what is missing. Apart from the endpoint that can, so
 * that a process without orders loads nothing of it.
 */
export function disabledOrdersEndpoint(why: Why): Endpoint {
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budgetMs: ORDER_BUDGET_MS,
    handler: () => {
      throw refuse('order_placement_disabled', { why });
    },
  };
}
