import type { ApiCredentials, SignatureType } from '../../account.ts';
import type { Call } from '../../call.ts';
import { createLog } from '../../log.ts';
import type { Config } from '../../settings/config.ts';
import type { Wallet } from '../../wallets/evm-key.ts';
import { checkCredentials, isClosedOnly, readCollateral } from './calls/account-funds.ts';
import { listOpenOrders, readOrder } from './calls/account-orders.ts';
import { cancelOrders } from './calls/cancel-orders.ts';
import { deriveApiKey, findApiKey } from './calls/derive-api-key.ts';
import { findMarkets } from './calls/find-markets.ts';
import { readMarketInfo } from './calls/market-info.ts';
import { readRegion } from './calls/read-region.ts';
import { listTrades, type TradeFilter } from './calls/trades.ts';
import { createClockCheck } from './clock-check.ts';
import { createAccountSender, givenCredentials } from './http/signed-requests.ts';
import { createTransport } from './http/transport.ts';

// The operator's own calls of the venue. Orders and trades leave this folder in our words.

export { isOver, isReadable, ORDER_ID, type VenueOrder } from './calls/account-orders.ts';
export { type Cancellation, MAX_CANCELLED } from './calls/cancel-orders.ts';
export type { CatalogueMarket } from './calls/find-markets.ts';
export type { Fees } from './calls/market-info.ts';
export type { Trade, TradeFilter, TradeList } from './calls/trades.ts';
export { REFUSED_REGION } from './regions.ts';

/** The operator sees the errors, so this log drops them. */
const SILENT = createLog({ level: 'error', write: () => undefined });

/** Opens the venue for the operator. Each call throws the errors of `MarketData`; `venue_refused_service` for refused credentials. */
export function openOperatorVenue({ clobUrl, gammaUrl, proxyEnv }: Pick<Config, 'clobUrl' | 'gammaUrl' | 'proxyEnv'>) {
  const clob = createTransport(clobUrl, { proxyEnv });
  const gamma = createTransport(gammaUrl, { proxyEnv });
  return {
    /** Returns the API credentials of a wallet; `undefined` if it has never had any. Creates none. */
    findApiKey: (wallet: Wallet, call: Call) => findApiKey(clob, wallet, call),
    createApiKey: (wallet: Wallet, call: Call) => deriveApiKey(clob, wallet, call),
    /** Throws `venue_refused_service` with the reason `clock` where no order would be signed by the clock of this machine. */
    checkClock: (call: Call) => createClockCheck(SILENT).check(clob, call),
    marketInfo: (conditionId: string, call: Call) => readMarketInfo(clob, conditionId, call),
    markets: (conditionIds: readonly string[], call: Call) => findMarkets(gamma, conditionIds, call),
    /** Reads the region in which the website at `siteUrl` sees this machine. */
    region: (siteUrl: string, call: Call) => readRegion(createTransport(siteUrl, { proxyEnv }), call),
    /** Opens the account that API credentials belong to; `walletAddress` is that of its key. */
    account(walletAddress: string, given: ApiCredentials) {
      const send = createAccountSender({ clob, walletAddress, credentials: givenCredentials(given), log: SILENT });
      return {
        checkCredentials: (call: Call) => checkCredentials(send, call),
        collateral: (signatureType: SignatureType, refresh: boolean, call: Call) =>
          readCollateral(send, { signatureType, refresh }, call),
        isClosedOnly: (call: Call) => isClosedOnly(send, call),
        restingOrders: (call: Call) => listOpenOrders(send, call),
        order: (id: string, call: Call) => readOrder(send, id, call),
        trades: (filter: TradeFilter, call: Call) => listTrades(send, filter, call),
        cancel: (ids: readonly string[] | 'all', call: Call) => cancelOrders(send, ids, call),
      };
    },
  };
}

export type OperatorVenue = ReturnType<typeof openOperatorVenue>;
