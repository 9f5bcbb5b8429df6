import { fromEnv } from '@aws-sdk/credential-provider-env';

// The build puts this file in the place of three packages, each of which brings code that a function never runs.

/**
 * Replaces axios: the venue's client only signs for us, and every request goes through our own transport, with its
 * time-outs. A call that comes here all the same must not look like an answer of the venue.
 */
function refuse(): never {
  throw new Error('the HTTP client of the venue client is not part of the deployed code');
}

// biome-ignore lint/style/noDefaultExport: the client imports axios by its default.
export { refuse as default };

/** Replaces browser-or-node. */
export const isBrowser = false;
export const isNode = true;

/**
 * Replaces the SDK's chain of credential providers: Lambda gives a function its role in environment variables.
 * Profiles, SSO and metadata services would be code that can only slow a cold start.
 */
export function defaultProvider() {
  return fromEnv();
}
