import { createHmac } from 'node:crypto';
import type { ApiCredentials } from '../../config.ts';
import type { Call } from '../port.ts';
import type { VenueHttpRequest } from './connection.ts';
import type { Transport, VenueHttpResponse } from './transport.ts';

export interface AuthenticatedRequest extends Omit<VenueHttpRequest, 'headers' | 'path'> {
  /** Without the query, which the signature does not cover. */
  readonly path: string;
  readonly query?: string;
}

/** Sends a request with the venue's L2 headers (`venue.md` 4): an HMAC over time, method, path and body. */
export async function sendAuthenticated(
  clob: Transport,
  { path, query = '', ...spec }: AuthenticatedRequest,
  { address, credentials }: { readonly address: string; readonly credentials: ApiCredentials },
  call: Call,
): Promise<VenueHttpResponse> {
  // The venue's clock counts, not ours; its answers tell the difference without a call of its own.
  const timestamp = String(Math.floor((Date.now() + clob.clockSkew()) / 1000));
  const message = `${timestamp}${spec.method}${path}${spec.body ?? ''}`;
  const signature = createHmac('sha256', Buffer.from(credentials.secret.reveal(), 'base64'))
    .update(message)
    .digest('base64');
  const headers = {
    POLY_ADDRESS: address,
    POLY_API_KEY: credentials.key,
    POLY_PASSPHRASE: credentials.passphrase.reveal(),
    POLY_TIMESTAMP: timestamp,
    POLY_SIGNATURE: signature.replaceAll('+', '-').replaceAll('/', '_'),
  };
  return clob.send({ ...spec, path: path + query, headers }, call);
}
