import { afterEach } from '@jest/globals';
import { createGatewayHandler } from '../../../functions/pipeline.ts';
import type { Handlers } from '../../../local/http/app.ts';
import { type ServerDeps, startServer } from '../../../local/http/server.ts';
import { createHandlers } from '../../../local/service/handlers.ts';
import type { Orders } from '../../../shared/orders/orders.ts';
import type { MarketData } from '../../../shared/venue/port.ts';
import { fakeMarketData, fakeOrders } from '../venue/fake-venue.ts';
import { type CollectedLog, collectLog } from './collected-log.ts';

/** The only origin in the `SERVICE_CORS_ORIGINS` of these services. */
export const LISTED_ORIGIN = 'https://app.example';

/** The parts of a local server that a test states. */
interface Setup {
  readonly orders?: Orders;
  readonly marketData?: MarketData;
  readonly limits?: ServerDeps['limits'];
  /** In the place of those around fakes. */
  readonly handlers?: Partial<Handlers>;
}

type RunningServer = Awaited<ReturnType<typeof startServer>>;

const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Starts the local server around fakes on a free port; it is closed after the test. */
export async function startTestServer(setup: Setup = {}): Promise<RunningServer & CollectedLog> {
  const { orders = fakeOrders(), marketData = fakeMarketData(), limits = {} } = setup;
  const { log, lines } = collectLog();
  const handlers = createHandlers({
    serve: (endpoint) => createGatewayHandler(endpoint, { log, corsOrigins: [LISTED_ORIGIN] }),
    health: { mode: 'read-only', walletAddress: null, funderAddress: undefined, clientVerification: 'off' },
    marketData,
    openOrders: async () => orders,
  });
  const config = { host: '127.0.0.1', port: 0, allowedHosts: [] };
  const server = await startServer({ handlers: { ...handlers, ...setup.handlers }, config, log, limits });
  running.push(server);
  return { ...server, log, lines };
}
