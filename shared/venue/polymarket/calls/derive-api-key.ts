import * as z from 'zod/mini';
import { API_SECRET, type ApiCredentials } from '../../../account.ts';
import type { Call } from '../../../call.ts';
import { type AppError, areCredentialsRefused } from '../../../errors.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { Secret } from '../../../secret.ts';
import type { Wallet } from '../../../wallets/evm-key.ts';
import { readWithRetry, refuseRead } from '../http/reads.ts';
import { refusedCredentials } from '../http/signed-requests.ts';
import type { Transport, VenueHttpRequest } from '../http/transport.ts';
import { type ApiKeyRaw, l1Headers } from '../official-client.ts';
import { type Members, parseJson } from '../wire.ts';

/** A part of the credentials: key and passphrase travel in HTTP headers. */
const headerText = z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/));

const apiKey = z.object({
  apiKey: headerText,
  secret: z.string().check(z.regex(API_SECRET)),
  passphrase: headerText,
} satisfies Members<ApiKeyRaw>);

function parseCredentials({ status, isJson, text }: HttpResponse): ApiCredentials | undefined {
  const result = status === 200 || status === 201 ? apiKey.safeParse(isJson ? parseJson(text) : undefined) : undefined;
  if (!result?.success) return undefined;
  const { apiKey: key, secret, passphrase } = result.data;
  return { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
}

/** Translates a refusal. Unless it has another meaning, the venue gives the wallet no credentials. */
function translate(response: HttpResponse): AppError {
  const known = refuseRead(response);
  const refused = known.code === 'venue_error' && response.status >= 400 && response.status < 500;
  return refused ? refusedCredentials(known.cause) : known;
}

async function ask(clob: Transport, spec: VenueHttpRequest, call: Call): Promise<ApiCredentials> {
  const response = await readWithRetry(clob, spec, call);
  const credentials = parseCredentials(response);
  if (!credentials) throw translate(response);
  return credentials;
}

const DERIVE = { name: 'derive-api-key', method: 'GET', path: '/auth/derive-api-key' } as const;

/**
 * `GET /auth/derive-api-key`, which creates nothing: `undefined` if the wallet has never had credentials (the
 * venue's 400). Errors: as `deriveApiKey`.
 */
export async function findApiKey(clob: Transport, wallet: Wallet, call: Call): Promise<ApiCredentials | undefined> {
  const response = await readWithRetry(clob, { ...DERIVE, headers: await l1Headers(wallet, Date.now()) }, call);
  const credentials = parseCredentials(response);
  if (credentials) return credentials;
  if (response.status === 400 && response.isJson) return undefined;
  throw translate(response);
}

/**
 * `GET /auth/derive-api-key` and `POST /auth/api-key` (https://docs.polymarket.com/api-reference/authentication: L1) side by side: one of
 * them fails, depending on whether the wallet has had credentials before, and a first order does not wait for two round
 * trips. The credentials are the same whichever answers. Errors: `venue_refused_service`, `venue_unavailable`,
 * `venue_timeout`, `rate_limited`, `venue_error`.
 */
export async function deriveApiKey(clob: Transport, wallet: Wallet, call: Call): Promise<ApiCredentials> {
  const headers = await l1Headers(wallet, Date.now());
  try {
    return await Promise.any([
      ask(clob, { ...DERIVE, headers }, call),
      ask(clob, { name: 'create-api-key', method: 'POST', path: '/auth/api-key', headers }, call),
    ]);
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    // The venue always refuses one of the two; the operator needs the error of the other.
    throw error.errors.find((each: unknown) => !areCredentialsRefused(each)) ?? error.errors[0];
  }
}
