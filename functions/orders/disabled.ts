import type { Config } from '../../shared/config.ts';
import { AppError } from '../../shared/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { ORDER_BUDGET } from '../limits.ts';
import { ROUTES } from '../routes.ts';

/** Why orders are not placed, naming the setting that is missing and never a value; `undefined` when nothing is. */
export function whyDisabled({ placeOrder, privateKey }: Config): string | undefined {
  const missing = [...(privateKey ? [] : ['SERVICE_PRIVATE_KEY']), ...(placeOrder ? [] : ['SERVICE_PLACE_ORDER=1'])];
  if (missing.length === 0) return undefined;
  return `The service is read-only: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`;
}

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
