import type { Secret } from './secret.ts';

/** The proxy of outgoing https requests. Its URL may hold a password. */
export interface ProxyEnv {
  readonly HTTPS_PROXY?: Secret | undefined;
  /** The hosts to reach without it, comma-separated. */
  readonly NO_PROXY?: string | undefined;
}

/** Returns the options of an https agent that goes through the proxy. Plain http, on loopback or in a private network, is sent without it. */
export function proxyOptions({ HTTPS_PROXY, NO_PROXY }: ProxyEnv = {}) {
  return { proxyEnv: { HTTPS_PROXY: HTTPS_PROXY?.reveal(), NO_PROXY } };
}
