import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { ApiCredentials } from '../../credentials.ts';
import { NOTICEABLE_SKEW_MS } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Call } from '../port.ts';
import type { VenueHttpRequest } from './connection.ts';
import type { CredentialSource } from './credentials.ts';
import type { Transport, VenueHttpResponse } from './transport.ts';

export interface AuthenticatedRequest extends Omit<VenueHttpRequest, 'headers' | 'path'> {
  /** Without the query, which the signature does not cover. */
  readonly path: string;
  readonly query?: string;
}

export interface AccountDeps {
  readonly clob: Transport;
  readonly walletAddress: string;
  readonly credentials: CredentialSource;
  readonly log: Log;
}

/** An answer, and the credentials that it was given to. */
interface AccountAnswer {
  readonly response: VenueHttpResponse;
  readonly used: ApiCredentials;
}

/**
 * Sends a request with the account's credentials. After a 401, which the venue says before it looks at a request, it
 * is made and sent once more: with the right time if the clock was wrong, else with renewed credentials. Errors:
 * `TransportError`, and by code those of `CredentialSource`.
 */
export type SendAsAccount = (
  make: (used: ApiCredentials) => AuthenticatedRequest,
  call: Call,
) => Promise<AccountAnswer>;

/** The HMAC keys of credentials in use: making one takes longer than the HMAC. */
const hmacKeys = new WeakMap<ApiCredentials, KeyObject>();

function hmacKeyOf(credentials: ApiCredentials): KeyObject {
  const known = hmacKeys.get(credentials);
  if (known) return known;
  const key = createSecretKey(Buffer.from(credentials.secret.reveal(), 'base64'));
  hmacKeys.set(credentials, key);
  return key;
}

/** The venue's L2 headers (the venue's documentation: authentication): an HMAC over time, method, path and body. */
function l2Headers(
  { method, path, body = '' }: AuthenticatedRequest,
  address: string,
  used: ApiCredentials,
  now: number,
) {
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', hmacKeyOf(used))
    .update(`${timestamp}${method}${path}${body}`)
    .digest('base64');
  return {
    POLY_ADDRESS: address,
    POLY_API_KEY: used.key,
    POLY_PASSPHRASE: used.passphrase.reveal(),
    POLY_TIMESTAMP: timestamp,
    POLY_SIGNATURE: signature.replaceAll('+', '-').replaceAll('/', '_'),
  };
}

/** Requests of one account. */
export function createAccountSender({ clob, walletAddress, credentials, log }: AccountDeps): SendAsAccount {
  async function attempt(request: AuthenticatedRequest, used: ApiCredentials, call: Call): Promise<AccountAnswer> {
    const { path, query = '', ...spec } = request;
    // The venue's clock counts, not ours; its answers tell the difference without a call of its own.
    const headers = l2Headers(request, walletAddress, used, Date.now() + clob.clockSkew());
    return { response: await clob.send({ ...spec, path: path + query, headers }, call), used };
  }

  return async (make, call) => {
    const used = await credentials.get(call);
    const skew = clob.clockSkew();
    const request = make(used);
    const answer = await attempt(request, used, call);
    if (answer.response.status !== 401) return answer;
    const clockWasWrong = Math.abs(clob.clockSkew() - skew) > NOTICEABLE_SKEW_MS;
    log.warn('the venue refused the API credentials', { venue_request: request.name, clock_was_wrong: clockWasWrong });
    const renewed = clockWasWrong ? used : await credentials.renew(used, call);
    return attempt(make(renewed), renewed, call);
  };
}
