import * as z from 'zod/mini';
import type { ApiCredentials } from '../../shared/account.ts';
import type { Log } from '../../shared/log.ts';
import type { Config } from '../../shared/settings/config.ts';
import { findApiKey } from '../../shared/venue/polymarket/calls/derive-api-key.ts';
import { readClockSkew } from '../../shared/venue/polymarket/calls/read-time.ts';
import { parseAnswer, readWithRetry, refuseRead } from '../../shared/venue/polymarket/http/reads.ts';
import { createAccountSender, createCredentialSource } from '../../shared/venue/polymarket/http/signed-requests.ts';
import { createTransport } from '../../shared/venue/polymarket/http/transport.ts';
import type { Call } from '../../shared/venue/port.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';
import { type AccountReads, createAccountReads } from './read-account.ts';
import { readRegion } from './read-region.ts';

/** The hosts of the venue, the CLOB and the website, as base URLs. */
type VenueUrls = Pick<Config, 'clobUrl'> & Partial<Pick<Config, 'proxyEnv'>> & { readonly siteUrl: string };

const clobMarket = z.object({ t: z.array(z.object({ t: z.string(), o: z.string() })) });

/** Opens the inspection of the venue and of an account. Every call is a GET. Errors: those of `MarketData`. */
export function createInspection(urls: VenueUrls, log: Log) {
  const clob = createTransport(urls.clobUrl, urls);
  const site = createTransport(urls.siteUrl, urls);
  return {
    readClockSkew: (call: Call) => readClockSkew(clob, call),
    /** `GET /clob-markets/{condition_id}` of the CLOB: the names of outcomes by token id; `undefined` for no market (404). */
    async readOutcomes(conditionId: string, call: Call): Promise<ReadonlyMap<string, string> | undefined> {
      const spec = { name: 'read-outcomes', method: 'GET', path: `/clob-markets/${conditionId}` } as const;
      const response = await readWithRetry(clob, spec, call);
      if (response.status === 404 && response.isJson) return undefined;
      return new Map(parseAnswer(response, clobMarket).t.map(({ t, o }) => [t, o]));
    },
    /** `GET /fees/builder-fees/{code}` of the CLOB: false for an unknown builder code (404). */
    async isBuilderKnown(code: string, call: Call): Promise<boolean> {
      const spec = { name: 'read-builder', method: 'GET', path: `/fees/builder-fees/${code}` } as const;
      const response = await readWithRetry(clob, spec, call);
      if (response.status === 404 && response.isJson) return false;
      if (response.status !== 200 || !response.isJson) throw refuseRead(response);
      return true;
    },
    readRegion: (call: Call) => readRegion(site, call),
    findApiKey: (wallet: Wallet, call: Call) => findApiKey(clob, wallet, call),
    openReads({ address: walletAddress }: Wallet, credentials: ApiCredentials): AccountReads {
      // Refused credentials are not replaced: the check has to find them.
      const source = createCredentialSource(credentials, async () => undefined);
      return createAccountReads(createAccountSender({ clob, walletAddress, credentials: source, log }));
    },
  };
}

/** The calls of an inspection. */
export type Inspection = ReturnType<typeof createInspection>;
