import { afterEach } from '@jest/globals';
import type { Endpoint } from '../../../functions/http.ts';
import { createGatewayHandler, type PipelineDeps } from '../../../functions/pipeline.ts';
import type { Handlers } from '../../../local/http/app.ts';
import { type ServerDeps, startServer } from '../../../local/http/server.ts';
import { createHandlers } from '../../../local/service/handlers.ts';
import { refuse } from '../../../shared/errors.ts';
import type { Orders } from '../../../shared/orders/orders.ts';
import type { MarketData } from '../../../shared/venue/port.ts';
import { fakeMarketData, fakeOrders } from '../venue/fake-venue.ts';
import { type CollectedLog, collectLog } from './collected-log.ts';

/** The detail of `order_placement_disabled` without a key. */
export const DISABLED = 'The service is read-only: SERVICE_PRIVATE_KEY is not set.';
/** The only origin in the `SERVICE_CORS_ORIGINS` of these services. */
export const LISTED_ORIGIN = 'https://app.example';

/** The parts of a local server that a test states. */
export interface Setup {
  /** `null` for a service that cannot trade. */
  readonly orders?: Orders | null;
  readonly marketData?: MarketData;
  readonly host?: string;
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  readonly limits?: ServerDeps['limits'];
  /** In the place of those around fakes. */
  readonly handlers?: Partial<Handlers>;
}

/** The handlers of all endpoints around fakes. */
export function createTestHandlers({ orders, marketData = fakeMarketData() }: Setup, pipeline: PipelineDeps): Handlers {
  const opened = orders === undefined ? fakeOrders() : orders;
  const openOrders = async () => {
    if (opened === null) throw refuse('order_placement_disabled', { why: DISABLED });
    return opened;
  };
  const health = {
    mode: 'read-only',
    walletAddress: null,
    funderAddress: undefined,
    clientVerification: 'off',
  } as const;
  const serve = (endpoint: Endpoint) => createGatewayHandler(endpoint, pipeline);
  return createHandlers({ serve, health, marketData, openOrders });
}

type RunningServer = Awaited<ReturnType<typeof startServer>>;

const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

/** Starts the local server around fakes on a free port; it is closed after the test. */
export async function startTestServer(setup: Setup = {}): Promise<RunningServer & CollectedLog> {
  const { log, lines } = collectLog();
  const { host = '127.0.0.1', port = 0, allowedHosts = [], limits = {} } = setup;
  const corsOrigins = [LISTED_ORIGIN];
  const handlers = { ...createTestHandlers(setup, { log, corsOrigins }), ...setup.handlers };
  const server = await startServer({ handlers, config: { host, port, allowedHosts }, log, limits });
  running.push(server);
  return { ...server, log, lines };
}
