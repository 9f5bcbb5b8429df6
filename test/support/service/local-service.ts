import { afterEach } from '@jest/globals';
import { bookEndpoint } from '../../../functions/book/endpoint.ts';
import { healthEndpoint } from '../../../functions/health/endpoint.ts';
import { marketsEndpoint } from '../../../functions/markets/endpoint.ts';
import { ordersEndpoint } from '../../../functions/orders/endpoint.ts';
import { createGatewayHandler, type PipelineDeps } from '../../../functions/pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../../../functions/refusing-endpoints.ts';
import type { Handlers } from '../../../local/app.ts';
import { type RunningServer, type ServerLimits, startServer } from '../../../local/server.ts';
import type { Orders } from '../../../shared/orders/idempotent-orders.ts';
import type { MarketData } from '../../../shared/venue/port.ts';
import { fakeMarketData, fakeOrders } from '../venue/fake-venue.ts';
import { type CollectedLog, collectLog } from './collected-log.ts';

export const DISABLED = 'The service is read-only: SERVICE_PRIVATE_KEY is not set.';
export const LISTED_ORIGIN = 'https://app.example';

export interface Setup {
  /** `null` for a service that cannot trade. */
  readonly orders?: Orders | null;
  readonly marketData?: MarketData;
  readonly host?: string;
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
}

/** The handlers of all endpoints around fakes. */
export function createTestHandlers({ orders, marketData = fakeMarketData() }: Setup, pipeline: PipelineDeps): Handlers {
  const health = healthEndpoint({ mode: 'read-only', walletAddress: null, funderAddress: undefined });
  const trade =
    orders === null ? disabledOrdersEndpoint(['SERVICE_PRIVATE_KEY']) : ordersEndpoint(orders ?? fakeOrders());
  return {
    health: createGatewayHandler(health, pipeline),
    markets: createGatewayHandler(marketsEndpoint(marketData), pipeline),
    book: createGatewayHandler(bookEndpoint(marketData), pipeline),
    orders: createGatewayHandler(trade, pipeline),
    unknown: createGatewayHandler(unknownPathEndpoint(), pipeline),
  };
}

const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Starts the local server around fakes on a free port; it is closed after the test. */
export async function startTestServer(setup: Setup = {}): Promise<RunningServer & CollectedLog> {
  const { log, lines } = collectLog();
  const { host = '127.0.0.1', port = 0, allowedHosts = [], limits = {} } = setup;
  const handlers = createTestHandlers(setup, { log, corsOrigins: [LISTED_ORIGIN] });
  const server = await startServer({ handlers, config: { host, port, allowedHosts }, log, limits });
  running.push(server);
  return { ...server, log, lines };
}
