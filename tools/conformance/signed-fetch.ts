import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import type { FetchLike } from '../../test/contract/ask.ts';

/** The way in which requests to a gateway are signed. */
export interface Signing {
  /** Of the API. */
  readonly region: string;
  /** Default: those that the AWS SDK finds in the environment, a profile, SSO, or the metadata of a machine. */
  readonly credentials?: ConstructorParameters<typeof SignatureV4>[0]['credentials'];
}

/** What the suite has for a gateway that checks its callers. */
export interface Credentials {
  /** Signs every request with AWS credentials. */
  readonly sign?: Signing | undefined;
  /** Goes with every request: a token of the issuer that the gateway asks for. */
  readonly token?: string | undefined;
}

/** Makes a `fetch` that sends a login's token with every request. */
export function tokenFetch(token: string, fetch: FetchLike): FetchLike {
  return (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(url, { ...init, headers });
  };
}

/** Reads the region out of the host name that API Gateway gives to an API; `undefined` for a domain of one's own. */
export function regionOf(baseUrl: string): string | undefined {
  return /\.execute-api\.([a-z\d-]+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(baseUrl).hostname)?.[1];
}

/**
 * Makes a `fetch` that signs every request with SigV4 for the service `execute-api`. Signed are host, time, token and
 * body alone, as IAM requires: the other headers are what some checks spoil.
 */
export function signedFetch({ region, credentials = defaultProvider() }: Signing, fetch: FetchLike): FetchLike {
  const sha256 = Hash.bind(null, 'sha256');
  const signer = new SignatureV4({ service: 'execute-api', region, credentials, sha256 });
  return async (url, init) => {
    const { protocol, hostname, host, pathname: path, searchParams } = new URL(url);
    const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
    const { method = 'GET', body } = init;
    const request = { protocol, hostname, method, path, query, headers: { host }, body };
    const { host: _sentAnyway, ...signature } = (await signer.sign(request)).headers;
    return fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...signature } });
  };
}
