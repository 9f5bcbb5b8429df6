import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { percentile } from './statistics.ts';

export interface LoadSpec {
  readonly url: string;
  /** Paths that the requests go to one after the other, instead of the URL's. */
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
  let sent = 0;
  const setupRequest = (request: autocannon.Request) => {
    const path = paths[sent % paths.length];
    sent += 1;
    return { ...request, ...(path !== undefined && { path }) };
  };
  const options = {
    connections: CONNECTIONS,
    ...spec,
    ...bound,
    url,
    headers: { ...headers },
    requests: [{ setupRequest }],
  };
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

export interface OneRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request on a new connection; the milliseconds to the end of its answer. Throws on another status than `expected`. */
export async function timeOne(url: string, { method = 'GET', headers, body }: OneRequest, expected: number) {
  const startedAt = performance.now();
  // Not fetch, which takes milliseconds to get going and would have them counted as the service's.
  const request = send(url, { agent: false, method, headers: { ...headers } }).end(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve).on('error', reject);
  const response = await promise;
  const answer = await text(response);
  const time = performance.now() - startedAt;
  if (response.statusCode !== expected) throw new Error(`${url} answered ${response.statusCode}: ${answer}`);
  return time;
}
