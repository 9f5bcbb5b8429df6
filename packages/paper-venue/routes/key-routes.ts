import { json, type PaperRequest, type Reply, type Route, VenueRefusal } from '../http/router.ts';
import { attested, authenticated } from '../rules/auth.ts';
import type { VenueState } from '../state/state.ts';

function createKey(state: VenueState, request: PaperRequest): Reply {
  const { address, nonce } = attested(state, request);
  if (state.keyring.of(address, nonce)) throw new VenueRefusal(400, 'Could not create api key');
  state.keyring.create(address, nonce);
  return deriveKey(state, request);
}

function deriveKey(state: VenueState, request: PaperRequest): Reply {
  const { address, nonce } = attested(state, request);
  const credentials = state.keyring.of(address, nonce);
  if (!credentials) throw new VenueRefusal(400, 'Could not derive api key!');
  const { apiKey, secret, passphrase } = credentials;
  return json({ apiKey, secret, passphrase });
}

function listKeys(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  return json({ apiKeys: state.keyring.all(address).map(({ apiKey }) => apiKey) });
}

function deleteKey(state: VenueState, request: PaperRequest): Reply {
  state.keyring.remove(authenticated(state, request).apiKey);
  return json('OK');
}

function banStatus(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  return json({ closed_only: state.restrictions.get(address) === 'closed-only' });
}

/** Routes under /auth: API keys and the ban status. */
export function keyRoutes(state: VenueState): readonly Route[] {
  return [
    ['POST', '/auth/api-key', (request) => createKey(state, request)],
    ['GET', '/auth/derive-api-key', (request) => deriveKey(state, request)],
    ['GET', '/auth/api-keys', (request) => listKeys(state, request)],
    ['DELETE', '/auth/api-key', (request) => deleteKey(state, request)],
    ['GET', '/auth/ban-status/closed-only', (request) => banStatus(state, request)],
  ];
}
