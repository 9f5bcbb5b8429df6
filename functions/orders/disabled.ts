import { AppError } from '../../shared/errors.ts';
import type { Endpoint } from '../http.ts';
import { ORDER_BUDGET } from '../limits.ts';
import { ROUTES } from '../routes.ts';

/**
 * `POST /v1/orders` of a service that cannot trade; `reason` says what is missing. Apart from the endpoint that can, so
 * that a process without orders loads nothing of it.
 */
export function disabledOrdersEndpoint(reason: string): Endpoint {
  return {
    route: ROUTES.orders,
    origins: 'listed-only',
    budget: ORDER_BUDGET,
    handler: () => {
      throw new AppError(reason, { code: 'order_placement_disabled' });
    },
  };
}
