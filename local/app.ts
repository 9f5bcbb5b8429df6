import { createMarketData } from '#venue/market-data';
import { bookEndpoint } from '../functions/book/endpoint.ts';
import { healthEndpoint } from '../functions/health/endpoint.ts';
import { createGatewayHandler, type GatewayHandler, type PipelineDeps } from '../functions/http.ts';
import { marketsEndpoint } from '../functions/markets/endpoint.ts';
import { disabledOrdersEndpoint, whyDisabled } from '../functions/orders/disabled.ts';
import { ordersEndpoint } from '../functions/orders/endpoint.ts';
import type { ROUTES } from '../functions/routes.ts';
import type { Config } from '../shared/config.ts';
import type { Log } from '../shared/log.ts';
import type { Orders } from '../shared/orders/orders.ts';

export type Handlers = Readonly<Record<keyof typeof ROUTES, GatewayHandler>>;

export interface AppDeps {
  readonly config: Config;
  readonly log: Log;
  readonly pipeline: PipelineDeps;
  /** Makes the capability to trade; called only when the key and the opt-in are both there. */
  readonly openOrders: () => Promise<Orders>;
}

async function walletAddress({ privateKey }: Config): Promise<string | null> {
  if (!privateKey) return null;
  // Loaded only where a key is: a reader needs no cryptography.
  const { walletAddressOf } = await import('#venue/order-entry');
  return walletAddressOf(privateKey);
}

/** The handlers of all four endpoints in one process. Throws `ConfigError` where the key and the funder disagree. */
export async function createHandlers({ config, log, pipeline, openOrders }: AppDeps): Promise<Handlers> {
  const marketData = createMarketData(config, log);
  const disabled = whyDisabled(config);
  const health = healthEndpoint({
    mode: disabled === undefined ? 'order-placing' : 'read-only',
    walletAddress: await walletAddress(config),
    funderAddress: config.funderAddress,
  });
  const orders = disabled === undefined ? ordersEndpoint(await openOrders()) : disabledOrdersEndpoint(disabled);
  return {
    health: createGatewayHandler(health, pipeline),
    markets: createGatewayHandler(marketsEndpoint(marketData), pipeline),
    book: createGatewayHandler(bookEndpoint(marketData), pipeline),
    orders: createGatewayHandler(orders, pipeline),
  };
}
