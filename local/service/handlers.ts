import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { type HealthFacts, healthEndpoint } from '../../functions/health/endpoint.ts';
import type { Endpoint, GatewayHandler } from '../../functions/http.ts';
import { marketsEndpoint } from '../../functions/markets/endpoint.ts';
import { type OrderParts, ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { unknownPathEndpoint } from '../../functions/refusing-endpoints.ts';
import type { MarketData } from '../../shared/venue/port.ts';
import type { Handlers } from '../http/app.ts';

export interface HandlersDeps extends OrderParts {
  readonly serve: (endpoint: Endpoint) => GatewayHandler;
  readonly health: HealthFacts;
  readonly marketData: MarketData;
}

/**
 * Creates the handlers of all endpoints, for one process. On Lambda each `index.ts` creates its own of the same endpoints,
 * so that no function carries the code of another.
 */
export function createHandlers({ serve, health, marketData, ...orders }: HandlersDeps): Handlers {
  return {
    health: serve(healthEndpoint(health)),
    markets: serve(marketsEndpoint(marketData)),
    book: serve(bookEndpoint(marketData)),
    orders: serve(ordersEndpoint(orders)),
    unknown: serve(unknownPathEndpoint()),
  };
}
