import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { type HealthFacts, healthEndpoint } from '../../functions/health/endpoint.ts';
import { marketsEndpoint } from '../../functions/markets/endpoint.ts';
import { type OpenOrders, ordersEndpoint } from '../../functions/orders/endpoint.ts';
import type { ClientVerification } from '../../functions/orders/verification/verification.ts';
import { createGatewayHandler, type PipelineDeps } from '../../functions/pipeline.ts';
import { unknownPathEndpoint } from '../../functions/refusing-endpoints.ts';
import type { MarketData } from '../../shared/venue/port.ts';
import type { Handlers } from '../http/app.ts';

/** The parts that the endpoints need. */
export interface HandlersDeps {
  readonly pipeline: PipelineDeps;
  readonly health: HealthFacts;
  readonly marketData: MarketData;
  readonly openOrders: OpenOrders;
  /** Absent where clients are not verified. */
  readonly verification?: ClientVerification | undefined;
}

/**
 * Creates the handlers of all endpoints, for one process. On Lambda each `index.ts` creates its own of the same endpoints,
 * so that no function carries the code of another.
 */
export function createHandlers({ pipeline, health, marketData, openOrders, verification }: HandlersDeps): Handlers {
  return {
    health: createGatewayHandler(healthEndpoint(health), pipeline),
    markets: createGatewayHandler(marketsEndpoint(marketData), pipeline),
    book: createGatewayHandler(bookEndpoint(marketData), pipeline),
    orders: createGatewayHandler(ordersEndpoint(openOrders, { verification }), pipeline),
    unknown: createGatewayHandler(unknownPathEndpoint(), pipeline),
  };
}
