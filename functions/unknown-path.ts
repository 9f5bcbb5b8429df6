import { AppError } from '../shared/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { ROUTES, UNKNOWN_ROUTE } from './routes.ts';

/** Milliseconds. Nothing is looked up. */
const BUDGET = 1_000;

/** Every path that is none of the service's: 404 whatever the method, OPTIONS included. */
export function unknownPathEndpoint(): Endpoint {
  const paths = Object.values(ROUTES).map(({ method, path }) => `${method} ${path}`);
  return {
    route: UNKNOWN_ROUTE,
    origins: 'any',
    budget: BUDGET,
    handler: () => {
      throw new AppError(`There is no such path. The service has ${paths.join(', ')}.`, { code: 'not_found' });
    },
  };
}
