import * as z from 'zod/mini';
import { SIGNATURE_TYPES, type SignatureType } from '../../../account.ts';
import type { Call } from '../../../call.ts';
import { fromUnits, UNIT_DECIMALS } from '../../../decimal.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { isOwn404, parseAnswer, refuseRead } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';

const units = z.string().check(z.regex(/^\d{1,78}$/));
const apiKeys = z.object({ apiKeys: z.array(z.unknown()) });
const banStatus = z.object({ closed_only: z.boolean() });
const balanceAllowance = z.object({ balance: units, allowances: z.catch(z.record(z.string(), units), {}) });

async function ask(send: SendAsAccount, name: string, path: string, call: Call): Promise<HttpResponse> {
  return (await send({ name, method: 'GET', path }, call)).response;
}

/**
 * `GET /balance-allowance` of the collateral (https://docs.polymarket.com/api-reference, "account"). The account follows from
 * signer and signature type; `undefined` where the venue finds none for them (404). With `refresh` the venue reads balance and
 * allowances from the chain first. Errors: those of `MarketData`, and `venue_refused_service` where the credentials are not
 * those of the wallet.
 */
export async function readCollateral(
  send: SendAsAccount,
  { signatureType, refresh }: { readonly signatureType: SignatureType; readonly refresh: boolean },
  call: Call,
) {
  // Signature types are numbered from 0.
  const query = `?asset_type=COLLATERAL&signature_type=${SIGNATURE_TYPES.indexOf(signatureType)}`;
  if (refresh) {
    const refreshed = await ask(send, 'refresh-balance', `/balance-allowance/update${query}`, call);
    if (refreshed.status !== 200) throw refuseRead(refreshed);
  }
  const response = await ask(send, 'read-balance', `/balance-allowance${query}`, call);
  if (isOwn404(response)) return undefined;
  const { balance, allowances } = parseAnswer(response, balanceAllowance);
  const refused = Object.entries(allowances).filter(([, allowed]) => /^0+$/.test(allowed));
  return {
    /** By the records of the CLOB, which may lag behind the chain. */
    balance: fromUnits(BigInt(balance), UNIT_DECIMALS),
    /** The exchanges' addresses, in lower case, that may not take any of it. */
    notAllowed: new Set(refused.map(([address]) => address.toLowerCase())),
  };
}

/** `GET /auth/api-keys`: an answer proves the credentials. Errors: as `readCollateral`. */
export async function checkCredentials(send: SendAsAccount, call: Call): Promise<void> {
  parseAnswer(await ask(send, 'read-api-keys', '/auth/api-keys', call), apiKeys);
}

/**
 * `GET /auth/ban-status/closed-only` (`getClosedOnlyMode` of https://github.com/Polymarket/clob-client-v2): true for an account
 * of which the venue takes only sales. It says nothing about a ban. Errors: as `readCollateral`.
 */
export async function isClosedOnly(send: SendAsAccount, call: Call): Promise<boolean> {
  return parseAnswer(await ask(send, 'read-ban-status', '/auth/ban-status/closed-only', call), banStatus).closed_only;
}
