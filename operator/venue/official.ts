import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { ApiError, Chain, ClobClient, type ClobClientOptions } from '@polymarket/clob-client-v2';
import axios, { isAxiosError, type RawAxiosRequestConfig } from 'axios';
import * as z from 'zod/mini';
import { type ProxyEnv, proxyOptions } from '../../shared/proxy.ts';

/** Limit of one HTTP call, its answer included. */
export const CALL_MS = 10_000;
/** A page has at most a few hundred rows. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
const PAGED = /\/data\/(?:orders|trades)$/;

const paged = z.object({ data: z.array(z.unknown()), next_cursor: z.string() });
const refusal = z.object({ error: z.string() });

/** Opens an HTTP client that follows no redirect and rejects no status. */
export function openHttp(proxyEnv?: ProxyEnv) {
  // With a proxy of its own an agent is left alone by axios, which else takes those of the environment.
  const agents = { httpAgent: new HttpAgent(proxyOptions()), httpsAgent: new HttpsAgent(proxyOptions(proxyEnv)) };
  return axios.create({ ...agents, maxRedirects: 0, validateStatus: null });
}

/**
 * Creates an official client with HTTP of its own: the package's has no time-outs, repeats its headers to a redirect, and
 * reads a malformed page as an empty one. It is for one list, since it follows no cursor twice: the package follows a
 * repeated one for ever.
 */
export function openClient({ proxyEnv, ...options }: Omit<ClobClientOptions, 'chain'> & { proxyEnv?: ProxyEnv }) {
  const http = openHttp(proxyEnv);
  const pagesAsked = new Set<string>();
  const send = (method: 'GET' | 'DELETE') => async (url: string, given: RawAxiosRequestConfig) => {
    const page = PAGED.test(url) && `${url} ${given?.params?.next_cursor}`;
    if (page && pagesAsked.has(page)) throw new TypeError('a page comes twice');
    if (page) pagesAsked.add(page);
    const limits = { signal: AbortSignal.timeout(CALL_MS), maxContentLength: MAX_ANSWER_BYTES };
    const { status, data } = await http.request({ ...given, ...limits, method, url });
    if (status !== 200) throw new ApiError(refusal.safeParse(data).data?.error ?? String(data), status);
    if (page && !paged.safeParse(data).success) throw new TypeError('no page');
    return data;
  };
  const client = new ClobClient({ ...options, chain: Chain.POLYGON, throwOnError: true });
  Object.assign(client, { get: send('GET'), del: send('DELETE') });
  return client;
}

/** Turns the status of an unknown thing into `null`, but not that of a page of the venue's edge. */
export function nullFor(unknownStatus: number) {
  return (error: unknown) => {
    if (error instanceof ApiError && error.status === unknownStatus && !/^\s*</.test(error.message)) return null;
    throw error;
  };
}

const UNUSABLE = 'the venue gave an answer that cannot be used.';

/** Returns why there is no usable answer, without the venue's message, which might quote a secret. */
export function reasonOf(error: unknown): string {
  // Aborted by our own signal.
  if (isAxiosError(error) && error.code === 'ERR_CANCELED')
    return `the venue did not answer within ${CALL_MS / 1_000} s.`;
  // An answer that is too long is one.
  if (isAxiosError(error) && error.code !== 'ERR_BAD_RESPONSE') return 'the venue cannot be reached.';
  const status = error instanceof ApiError ? (error.status ?? 0) : 0;
  if (status === 401) return 'the venue refuses the API credentials, or the clock is wrong. Run npm run doctor.';
  if (status === 403) return 'the venue refuses this machine or this account. Run npm run doctor.';
  if (status === 429) return 'the venue limits the rate of requests. Try again in a minute.';
  return status === 425 || status >= 500 ? `the venue is not available (${status}).` : UNUSABLE;
}
