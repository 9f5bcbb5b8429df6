import { openContainer } from '../../functions/container.ts';
import { type OpenOrders, openOnce } from '../../functions/orders/endpoint.ts';
import { openVerification } from '../../functions/orders/verification.ts';
import { type Decimal, formatDecimal } from '../../shared/decimal.ts';
import { refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { type LocalConfig, parseLocalConfig } from '../../shared/settings/config.ts';
import { ConfigError, sentencesOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { openStore, type Store } from './open-store.ts';

export interface Service {
  /** Base address to connect to, without trailing slash. */
  readonly url: string;
  readonly log: Log;
  /** Resolves when the requests in flight are answered. */
  stop(): Promise<void>;
}

export interface Listening {
  readonly url: string;
  readonly walletAddress: string | null;
}

/** Opens the account of the settings. Returns it, and sentences for the log. Throws as `openAccount`. */
export async function openConfigured(config: LocalConfig) {
  if (!config.key) return { account: undefined, warnings: [] };
  // Loaded only with a key: a reader needs no cryptography.
  const { EOA_WARNING, openAccount } = await import('#venue/open-account');
  const account = await openAccount(config);
  const isEoa = config.mode === 'order-placing' && account.signatureType === 'eoa';
  return { account, warnings: sentencesOf([account.warning, isEoa && EOA_WARNING]) };
}

/**
 * Opens the verification of clients. `warn` takes a sentence for the log where their chain does not answer. Throws
 * `ConfigError` where it is another chain.
 */
export async function openVerified(
  config: LocalConfig,
  warn: (sentence: string, facts?: Readonly<Record<string, unknown>>) => unknown,
  own?: () => readonly string[],
) {
  const verification = await openVerification(config, own);
  await verification?.checkChain?.().catch((error: unknown) => {
    if (error instanceof ConfigError) throw error;
    warn('client chain unavailable', { error });
  });
  return verification;
}

type Opened = Awaited<ReturnType<typeof openConfigured>>;

export interface StartOptions {
  /** Takes the lines of the log; default: the standard output. */
  readonly write?: (line: string) => unknown;
  /** A paper session: account and store last for this run, so the log does not warn about them. */
  readonly isPaper?: boolean;
  /** Called when the service listens, before its log says so. */
  readonly announce?: (listening: Listening) => void;
}

/** The log says how long the store took to open if it took longer than this, in milliseconds. */
const SLOW_SET_UP_MS = 1_000;

function ordersOpener(config: LocalConfig, account: Opened['account'], store: Store | undefined, log: Log): OpenOrders {
  if (config.mode === 'read-only' || !account || !store) {
    const why = `The service is read-only: its operator has not set ${config.missing.join(' and ')}.`;
    return async () => {
      throw refuse('order_placement_disabled', { why });
    };
  }
  // Opened once the service listens: from a clone, the venue's official client takes half a second to load.
  return openOnce(async () => {
    const { openOrders } = await import('../../functions/orders/open-orders.ts');
    return openOrders({ ...config, ...account }, store, log);
  });
}

/**
 * Returns the settings in force for the log. Lists become their lengths; what does not apply to a read-only service is
 * `null`.
 */
function inForce(config: LocalConfig, { account }: Opened, funderAddress: string | undefined, store?: Store) {
  const { mode, gammaUrl, clobUrl, corsOrigins, allowedHosts, proxyEnv, logLevel } = config;
  const ofOrders = <T>(value: T) => (mode === 'order-placing' ? (value ?? null) : null);
  const decimal = (cap: Decimal | undefined) => ofOrders(cap && formatDecimal(cap));
  return {
    mode,
    wallet_address: account?.wallet.address ?? null,
    funder_address: funderAddress ?? null,
    signature_type: ofOrders(account?.signatureType),
    api_credentials: ofOrders(account?.credentials ? 'given' : 'derived'),
    builder_code: ofOrders(config.builderCode),
    max_order_notional: decimal(config.maxOrderNotional),
    max_daily_notional: decimal(config.maxDailyNotional),
    max_daily_notional_per_client: decimal(config.maxDailyNotionalPerClient),
    client_verification: ofOrders(config.clientVerification),
    allowed_clients: ofOrders(config.allowedClients?.length),
    client_chain_id: ofOrders(config.clientChainId),
    public_authority: ofOrders(config.publicAuthority),
    gamma_url: gammaUrl,
    clob_url: clobUrl,
    // Without the password that may be in the URL.
    proxy: proxyEnv.HTTPS_PROXY ? new URL(proxyEnv.HTTPS_PROXY.reveal()).host : null,
    no_proxy: proxyEnv.NO_PROXY?.split(',').length ?? null,
    store: store?.place ?? null,
    cors_origins: corsOrigins.length,
    allowed_hosts: allowedHosts.length,
    log_level: logLevel,
  };
}

/**
 * Starts the service with the settings of `env` alone. Throws `ConfigError` where one is malformed, the key and the funder
 * disagree, the store cannot be opened, or the address is taken.
 */
export async function startService(
  env: Environment,
  { write, isPaper = false, announce }: StartOptions = {},
): Promise<Service> {
  const { config, log, serve } = openContainer(parseLocalConfig, env, write);
  let store: Store | undefined;
  try {
    const [{ createHandlers }, { createMarketData }, { startServer }] = await Promise.all([
      import('./handlers.ts'),
      import('#venue/market-data'),
      import('../http/server.ts'),
    ]);
    let authorities: readonly string[] = [];
    const opened = await openConfigured(config);
    const verification = await openVerified(config, log.warn, () => authorities);
    const { account } = opened;
    const walletAddress = account?.wallet.address ?? null;
    const funderAddress = config.funderAddress && (account?.funderAddress ?? config.funderAddress);
    if (config.mode === 'order-placing') store = await openStore(config);
    const openOrders = ordersOpener(config, account, store, log);
    const marketData = createMarketData(config, log);
    const clientVerification = verification ? 'required' : 'off';
    const venue = isPaper ? ({ venue: 'paper' } as const) : {};
    const health = { mode: config.mode, walletAddress, funderAddress, clientVerification, ...venue } as const;
    const handlers = createHandlers({ serve, health, marketData, openOrders, verification });
    if (store?.isNew && !isPaper) {
      log.warn('new order store: it has no earlier idempotency keys', { store: store.place });
    }
    if (store && store.setUpMs > SLOW_SET_UP_MS) {
      log.info('order store indexed', { store: store.place, ms: Math.round(store.setUpMs) });
    }
    if (!isPaper) for (const warning of [...opened.warnings, ...config.risks]) log.warn(warning);
    const { url, listensOn, authorities: own, close } = await startServer({ handlers, config, log });
    authorities = own;
    announce?.({ url, walletAddress });
    log.info('listening', { url: listensOn, ...inForce(config, opened, funderAddress, store) });
    if (store) openOrders().catch((error: unknown) => log.error('orders not opened', { error }));
    return { url, log, stop: () => close().finally(store?.close) };
  } catch (error) {
    await store?.close();
    throw error;
  }
}
