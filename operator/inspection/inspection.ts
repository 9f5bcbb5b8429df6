import * as z from 'zod/mini';
import type { ApiCredentials } from '../../shared/account.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../../shared/settings/config.ts';
import { findApiKey } from '../../shared/venue/polymarket/calls/derive-api-key.ts';
import { readClockSkew } from '../../shared/venue/polymarket/calls/read-time.ts';
import { readShape } from '../../shared/venue/polymarket/http/reads.ts';
import { createAccountSender, createCredentialSource } from '../../shared/venue/polymarket/http/signed-requests.ts';
import { createTransport } from '../../shared/venue/polymarket/http/transport.ts';
import type { Call } from '../../shared/venue/port.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';
import { type AccountReads, createAccountReads } from './read-account.ts';
import { probeOrders, readRegion } from './read-region.ts';
import { readApprovals, readProfileWallet } from './read-wallet.ts';

export type { Account } from '../../shared/venue/polymarket/accounts.ts';
export { openWallet, type Wallet } from '../../shared/wallets/evm-key.ts';
export type { AccountReads, NotedCollateral } from './read-account.ts';
export { findLacking } from './read-wallet.ts';

/** The hosts of the venue, as base URLs. */
interface VenueUrls extends Pick<Config, 'gammaUrl' | 'clobUrl'>, Partial<Pick<Config, 'proxyEnv'>> {
  /** The website. */
  readonly siteUrl: string;
  /** The Data API. */
  readonly dataUrl: string;
}

/** The versions of its signing domain that the venue may call its own: orders of both protocols are signed for. */
export const SIGNED_VERSIONS: readonly number[] = [2, 3];

const version = z.object({ version: z.number() });

/**
 * Opens the inspection of the venue at these hosts: it looks at the venue and at an account before the first order. It
 * places nothing and makes no API key; `probeOrders` is the only call that is no GET. Errors: those of `MarketData`.
 */
export function createInspection(urls: VenueUrls, log: Log) {
  const gamma = createTransport(urls.gammaUrl, urls);
  const clob = createTransport(urls.clobUrl, urls);
  const site = createTransport(urls.siteUrl, urls);
  const data = createTransport(urls.dataUrl, urls);
  return {
    readClockSkew: (call: Call) => readClockSkew(clob, call),
    /** `GET /version` of the CLOB (https://docs.polymarket.com, "migrate"): the version of its signing domain. */
    async readVersion(call: Call): Promise<number> {
      const spec = { name: 'read-version', method: 'GET', path: '/version' } as const;
      return (await readShape(clob, spec, version, call)).version;
    },
    readRegion: (call: Call) => readRegion(site, call),
    probeOrders: (call: Call) => probeOrders(clob, call),
    findApiKey: (wallet: Wallet, call: Call) => findApiKey(clob, wallet, call),
    openReads({ address: walletAddress }: Wallet, credentials: ApiCredentials): AccountReads {
      // They are not replaced: the check has to find out whether they are refused.
      const source = createCredentialSource(credentials, async () => undefined);
      return createAccountReads(createAccountSender({ clob, walletAddress, credentials: source, log }));
    },
    readApprovals: (account: string, call: Call) => readApprovals(data, account, call),
    readProfileWallet: (address: string, call: Call) => readProfileWallet(gamma, address, call),
  };
}

/** The calls of an inspection. */
export type Inspection = ReturnType<typeof createInspection>;
