import { refuse } from '../shared/errors.ts';
import { LOCAL_BUDGET_MS } from '../shared/limits.ts';
import type { Endpoint } from './endpoint.ts';
import { ROUTES, UNKNOWN_ROUTE } from './routes.ts';

/** Every path that is none of the service's: 404 whatever the method, OPTIONS included. */
export function unknownPathEndpoint(): Endpoint {
  const paths = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
  return {
    route: UNKNOWN_ROUTE,
    origins: 'any',
    budget: LOCAL_BUDGET_MS,
    handler: () => {
      throw refuse('not_found', { paths });
    },
  };
}
