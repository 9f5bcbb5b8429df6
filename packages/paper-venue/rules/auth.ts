import { createHmac, timingSafeEqual } from 'node:crypto';
import { type PaperRequest, VenueRefusal } from '../http/router.ts';
import type { Credentials, VenueState } from '../state/state.ts';
import { isAttestedBy } from './signing.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function header(request: PaperRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Returns true if POLY_TIMESTAMP (Unix seconds) is near the venue's clock. */
function isTimely(state: VenueState, request: PaperRequest): boolean {
  const timestamp = header(request, 'poly_timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) - request.now / 1_000) <= state.settings.clockToleranceSeconds;
}

/** Returns the address and nonce of an L1 request; refuses (401) one whose signature does not hold. */
export function attested(
  state: VenueState,
  request: PaperRequest,
): { readonly address: string; readonly nonce: string } {
  const address = header(request, 'poly_address');
  const nonce = header(request, 'poly_nonce') || '0';
  const genuine =
    ADDRESS.test(address) &&
    /^\d{1,20}$/.test(nonce) &&
    isTimely(state, request) &&
    isAttestedBy(address, header(request, 'poly_timestamp'), nonce, header(request, 'poly_signature'));
  if (!genuine) throw new VenueRefusal(401, 'Invalid L1 Request headers');
  return { address: address.toLowerCase(), nonce };
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Returns the credentials of an L2 request; refuses (401, the venue's text) one whose address, passphrase, timestamp or
 * HMAC over the raw body does not hold. The signed path has no query string.
 */
export function authenticated(state: VenueState, request: PaperRequest): Credentials {
  const credentials = state.keyring.find(header(request, 'poly_api_key'));
  if (credentials) {
    const expected = createHmac('sha256', Buffer.from(credentials.secret, 'base64url'))
      .update(header(request, 'poly_timestamp') + request.method + request.path)
      .update(request.body)
      .digest('base64')
      .replaceAll('+', '-')
      .replaceAll('/', '_');
    const genuine =
      isTimely(state, request) &&
      header(request, 'poly_address').toLowerCase() === credentials.address &&
      sameText(header(request, 'poly_passphrase'), credentials.passphrase) &&
      sameText(header(request, 'poly_signature'), expected);
    if (genuine) return credentials;
  }
  throw new VenueRefusal(401, 'Unauthorized/Invalid api key');
}
