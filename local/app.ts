import { createMarketData } from '#venue/market-data';
import { bookEndpoint } from '../functions/book/endpoint.ts';
import { type HealthFacts, healthEndpoint } from '../functions/health/endpoint.ts';
import { marketsEndpoint } from '../functions/markets/endpoint.ts';
import { ordersEndpoint } from '../functions/orders/endpoint.ts';
import { createGatewayHandler, type GatewayHandler, type PipelineDeps } from '../functions/pipeline.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint, whyDisabled } from '../functions/refusing-endpoints.ts';
import type { AnyRoute } from '../functions/routes.ts';
import type { Config } from '../shared/config.ts';
import type { Log } from '../shared/log.ts';
import type { Orders } from '../shared/orders/idempotent-orders.ts';

export type Handlers = Readonly<Record<AnyRoute['name'], GatewayHandler>>;

export interface AppDeps {
  readonly config: Config;
  readonly log: Log;
  readonly pipeline: PipelineDeps;
  /** Makes the capability to trade; called only when the key and the opt-in are both there. */
  readonly openOrders: () => Promise<Orders>;
}

async function addresses({
  privateKey,
  ...config
}: Config): Promise<Pick<HealthFacts, 'walletAddress' | 'funderAddress'>> {
  if (!privateKey) return { walletAddress: null, funderAddress: config.funderAddress };
  // Loaded only where a key is: a reader needs no cryptography.
  const { openAccount } = await import('#venue/order-entry');
  const { wallet, funderAddress } = openAccount({ ...config, privateKey });
  return { walletAddress: wallet.address, funderAddress: config.funderAddress && funderAddress };
}

/** The handlers of all four endpoints in one process. Throws `ConfigError` where the key and the funder disagree. */
export async function createHandlers({ config, log, pipeline, openOrders }: AppDeps): Promise<Handlers> {
  const marketData = createMarketData(config, log);
  const disabled = whyDisabled(config);
  const health = healthEndpoint({
    mode: disabled === undefined ? 'order-placing' : 'read-only',
    ...(await addresses(config)),
  });
  const orders = disabled === undefined ? ordersEndpoint(await openOrders()) : disabledOrdersEndpoint(disabled);
  return {
    health: createGatewayHandler(health, pipeline),
    markets: createGatewayHandler(marketsEndpoint(marketData), pipeline),
    book: createGatewayHandler(bookEndpoint(marketData), pipeline),
    orders: createGatewayHandler(orders, pipeline),
    unknown: createGatewayHandler(unknownPathEndpoint(), pipeline),
  };
}
