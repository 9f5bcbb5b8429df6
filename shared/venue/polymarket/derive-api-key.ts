import { createL1Headers } from '@polymarket/clob-client-v2';
import * as z from 'zod/mini';
import type { ApiCredentials } from '../../config.ts';
import type { AppError } from '../../errors.ts';
import { Secret } from '../../secret.ts';
import type { Call } from '../port.ts';
import { refusedCredentials } from './credentials.ts';
import { read, refuseRead } from './reads.ts';
import { CHAIN_ID } from './sign-order.ts';
import type { Transport, VenueHttpResponse } from './transport.ts';
import { toTypedDataSigner, type Wallet } from './wallet.ts';
import { parseJson } from './wire.ts';

const apiKey = z.object({
  apiKey: z.string().check(z.minLength(1)),
  secret: z.string().check(z.minLength(1)),
  passphrase: z.string().check(z.minLength(1)),
});

function parseCredentials({ status, isJson, text }: VenueHttpResponse): ApiCredentials | undefined {
  const result = status === 200 || status === 201 ? apiKey.safeParse(isJson ? parseJson(text) : undefined) : undefined;
  if (!result?.success) return undefined;
  const { apiKey: key, secret, passphrase } = result.data;
  return { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
}

/** A refusal of both ways: what the venue said about the derivation is what the operator needs to know. */
function translate(response: VenueHttpResponse): AppError {
  const known = refuseRead(response);
  return known.code === 'venue_error' && response.status < 500 ? refusedCredentials(known.cause) : known;
}

async function expectCredentials(answer: Promise<VenueHttpResponse>): Promise<ApiCredentials> {
  const response = await answer;
  const credentials = parseCredentials(response);
  if (!credentials) throw translate(response);
  return credentials;
}

/** Seconds of difference between the clocks that cannot be explained by the way of the answer. */
const NOTICEABLE_SKEW = 2_000;

/**
 * `GET /auth/derive-api-key` and `POST /auth/api-key` (L1, `venue.md` 4) side by side: one of them fails, depending on
 * whether the wallet has had credentials before, and a first order does not wait for two round trips. The credentials
 * are the same whichever answers. Errors: `venue_refused_service`, `venue_unavailable`, `venue_timeout`,
 * `rate_limited`, `venue_error`.
 */
export async function deriveApiKey(clob: Transport, wallet: Wallet, call: Call): Promise<ApiCredentials> {
  const skew = clob.clockSkew();
  const { POLY_ADDRESS, POLY_SIGNATURE, POLY_TIMESTAMP, POLY_NONCE } = await createL1Headers(
    toTypedDataSigner(wallet),
    CHAIN_ID,
    0,
    Math.floor((Date.now() + skew) / 1000),
  );
  const headers = { POLY_ADDRESS, POLY_SIGNATURE, POLY_TIMESTAMP, POLY_NONCE };
  const derived = expectCredentials(
    read(clob, { name: 'derive-api-key', method: 'GET', path: '/auth/derive-api-key', headers }, call),
  );
  const created = expectCredentials(
    clob.send({ name: 'create-api-key', method: 'POST', path: '/auth/api-key', headers }, call),
  );
  try {
    return await Promise.any([derived, created]);
  } catch {
    // A wrong clock of ours makes the venue refuse the signature; its answer has told us by how much.
    if (Math.abs(clob.clockSkew() - skew) > NOTICEABLE_SKEW) return deriveApiKey(clob, wallet, call);
    return derived;
  }
}
