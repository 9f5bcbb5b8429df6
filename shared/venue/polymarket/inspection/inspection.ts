import type { Log } from '../../../log.ts';
import type { ApiCredentials } from '../../../settings/credentials.ts';
import type { Wallet } from '../../../wallets/evm-key.ts';
import type { Call } from '../../port.ts';
import { findApiKey } from '../calls/derive-api-key.ts';
import { readClockSkew } from '../calls/read-time.ts';
import { createAccountSender, createCredentialSource } from '../http/signed-requests.ts';
import { createTransport } from '../http/transport.ts';
import { type AccountReads, createAccountReads } from './read-account.ts';
import { type OrdersFromHere, probeOrders, type Region, readRegion } from './read-region.ts';
import { readVersion } from './read-version.ts';
import { type Approvals, type ProfileWallet, readApprovals, readProfileWallet } from './read-wallet.ts';
import { type Survey, surveyVenue } from './survey.ts';

export { openWallet, type Wallet } from '../../../wallets/evm-key.ts';
export { type Account, signOrder } from '../sign-order.ts';
export type { AccountReads, NotedCollateral } from './read-account.ts';
export { findLacking } from './read-wallet.ts';

/** The hosts of the venue, as base URLs. */
export interface VenueUrls {
  readonly gammaUrl: string;
  readonly clobUrl: string;
  /** The website. */
  readonly siteUrl: string;
  /** The Data API. */
  readonly dataUrl: string;
}

/** The versions of its signing domain that the venue may call its own: orders of both protocols are signed for. */
export const SIGNED_VERSIONS: readonly number[] = [2, 3];

/**
 * Looks at the venue and at an account before the first order. Places nothing and makes no API key; `probeOrders` is the
 * only call that is no GET. Errors: those of `MarketData`.
 */
export interface Inspection {
  /** `GET /time` of the CLOB: the milliseconds by which the venue's clock is ahead of ours, right to half a second. */
  readClockSkew(call: Call): Promise<number>;
  /** `GET /version` of the CLOB. */
  readVersion(call: Call): Promise<number>;
  readRegion(call: Call): Promise<Region>;
  probeOrders(call: Call): Promise<OrdersFromHere>;
  /** Finds the API credentials that the wallet has had; `undefined` for none. */
  findApiKey(wallet: Wallet, call: Call): Promise<ApiCredentials | undefined>;
  openReads(wallet: Wallet, credentials: ApiCredentials): AccountReads;
  readApprovals(account: string, call: Call): Promise<Approvals>;
  readProfileWallet(address: string, call: Call): Promise<ProfileWallet | null>;
  survey(call: Call): Promise<Survey>;
}

/** Opens the inspection of the venue at these hosts; nothing is sent before its first call. */
export function createInspection(urls: VenueUrls, log: Log): Inspection {
  const [gamma, clob] = [createTransport(urls.gammaUrl), createTransport(urls.clobUrl)];
  const [site, data] = [createTransport(urls.siteUrl), createTransport(urls.dataUrl)];
  return {
    readClockSkew: (call) => readClockSkew(clob, call),
    readVersion: (call) => readVersion(clob, call),
    readRegion: (call) => readRegion(site, call),
    probeOrders: (call) => probeOrders(clob, call),
    findApiKey: (wallet, call) => findApiKey(clob, wallet, call),
    openReads({ address: walletAddress }, credentials) {
      // None in their place: that they are refused is what is to be found out.
      const source = createCredentialSource(credentials, async () => undefined);
      const send = createAccountSender({ clob, walletAddress, credentials: source, log });
      return createAccountReads(send);
    },
    readApprovals: (account, call) => readApprovals(data, account, call),
    readProfileWallet: (address, call) => readProfileWallet(gamma, address, call),
    survey: (call) => surveyVenue(gamma, clob, call),
  };
}
