import autocannon from 'autocannon';
import { percentile } from './statistics.ts';

export interface LoadSpec {
  readonly url: string;
  /** A path of its own for each connection, instead of the URL's. */
  readonly paths?: readonly string[];
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections?: number;
  /** How long, or how much: one of the two. */
  readonly seconds?: number;
  readonly amount?: number;
}

export interface LoadResult {
  /** Answers a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers outside 2xx, failed connections, time-outs. */
  readonly errors: number;
}

const CONNECTIONS = 10;

/** Puts load on an address of this machine. Percentiles are of single response times: autocannon's own are whole ms. */
export async function load({ url, paths = [], headers = {}, seconds, amount, ...spec }: LoadSpec): Promise<LoadResult> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error('Load is for loopback only.');
  const times: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  const bound = amount === undefined ? { duration: seconds ?? 1 } : { amount };
  let opened = 0;
  const setupClient = (client: autocannon.Client) => {
    const path = paths[opened % paths.length];
    opened += 1;
    if (path !== undefined) client.setRequest({ method: 'GET', path });
  };
  const options = { connections: CONNECTIONS, ...spec, ...bound, url, headers: { ...headers }, setupClient };
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  const run = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)));
  run.on('response', (_client, _status, _bytes, time) => {
    times.push(time);
    endedAt = performance.now();
  });
  const { non2xx, errors, timeouts } = await promise;
  return {
    rate: (times.length * 1000) / (endedAt - startedAt),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    errors: non2xx + errors + timeouts,
  };
}

/** One request at a time; the milliseconds of the answer. Throws on another status than `expected`. */
export async function timeOne(url: string, init: RequestInit, expected: number): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const time = performance.now() - startedAt;
  if (response.status !== expected) throw new Error(`${url} answered ${response.status}: ${text}`);
  return time;
}
