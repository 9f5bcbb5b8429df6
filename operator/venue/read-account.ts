import * as z from 'zod/mini';
import { SIGNATURE_TYPES, type SignatureType } from '../../shared/account.ts';
import { type Decimal, fromUnits, UNIT_DECIMALS } from '../../shared/decimal.ts';
import { answerTo, parseAnswer, refuseRead } from '../../shared/venue/polymarket/http/reads.ts';
import type { SendAsAccount } from '../../shared/venue/polymarket/http/signed-requests.ts';
import type { VenueHttpResponse } from '../../shared/venue/polymarket/http/transport.ts';
import type { Call } from '../../shared/venue/port.ts';

const units = z.string().check(z.regex(/^\d{1,78}$/));
const apiKeys = z.object({ apiKeys: z.array(z.unknown()) });
const balanceAllowance = z.object({ balance: units, allowances: z.catch(z.record(z.string(), units), {}) });

/** The collateral of an account as the CLOB has noted it, which may lag behind the chain. */
export interface NotedCollateral {
  /** In collateral units. */
  readonly balance: Decimal;
  /** The exchanges' addresses, in lower case, that may not take any of it. */
  readonly notAllowed: ReadonlySet<string>;
}

/** Signature types are numbered from 0. */
function collateralOf(signatureType: SignatureType): string {
  return `?asset_type=COLLATERAL&signature_type=${SIGNATURE_TYPES.indexOf(signatureType)}`;
}

/**
 * Creates the reads of one account, with its API credentials (https://docs.polymarket.com/api-reference, "account"). They
 * change at most the venue's notes. Errors: `venue_timeout`, `venue_unavailable`, `venue_error`, `rate_limited`, and
 * `venue_refused_service` where the credentials are not those of the wallet.
 */
export function createAccountReads(send: SendAsAccount) {
  async function ask(name: string, path: string, call: Call): Promise<VenueHttpResponse> {
    return (await answerTo(send(() => ({ name, method: 'GET', path }), call))).response;
  }

  return {
    /** `GET /auth/api-keys`: an answer proves the credentials. */
    async checkCredentials(call: Call): Promise<void> {
      parseAnswer(await ask('read-api-keys', '/auth/api-keys', call), apiKeys);
    },
    /**
     * `GET /balance-allowance` of the collateral. The account follows from signer and signature type; `undefined` where
     * the venue finds none for them (404).
     */
    async readCollateral(signatureType: SignatureType, call: Call): Promise<NotedCollateral | undefined> {
      const response = await ask('read-balance', `/balance-allowance${collateralOf(signatureType)}`, call);
      if (response.status === 404 && response.isJson) return undefined;
      const { balance, allowances } = parseAnswer(response, balanceAllowance);
      const refused = Object.entries(allowances).filter(([, amount]) => /^0+$/.test(amount));
      return {
        balance: fromUnits(BigInt(balance), UNIT_DECIMALS),
        notAllowed: new Set(refused.map(([address]) => address.toLowerCase())),
      };
    },
    /** `GET /balance-allowance/update`: has the venue read balance and allowances from the chain again. */
    async refreshCollateral(signatureType: SignatureType, call: Call): Promise<void> {
      const response = await ask('refresh-balance', `/balance-allowance/update${collateralOf(signatureType)}`, call);
      if (response.status !== 200) throw refuseRead(response);
    },
  };
}

/** The reads of one account. */
export type AccountReads = ReturnType<typeof createAccountReads>;
