import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client, Result } from 'autocannon';

/** A request that is sent again and again. `pathOf`: the path of a connection, counted from 0. */
export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly pathOf?: (connection: number) => string;
}

/** What came of a load: answers a second, the time of each in milliseconds, and what was not 2xx or not answered. */
export interface LoadResult {
  readonly rate: number;
  readonly times: readonly number[];
  readonly errors: number;
}

/** A load goes on until autocannon's next sample, of which there is one a second by default. */
const SAMPLE_INTERVAL_MS = 50;

/** Puts load on an address of this machine by ten connections, a request after the other on each. */
export async function load(
  url: string,
  { pathOf, headers = {}, ...request }: Request,
  bound: { readonly duration: number } | { readonly amount: number },
): Promise<LoadResult> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error('Load is for loopback only.');
  // Loaded only here: `--help` does without.
  const { default: autocannon } = await import('autocannon');
  // Autocannon's own percentiles are whole milliseconds.
  const times: number[] = [];
  const startedAt = performance.now();
  let [wrong, endedAt, connected] = [0, startedAt, 0];
  // Made once, since on two cores the service pays for the load generator too.
  const setupClient = (client: Client) => {
    client.setRequests([{ path: pathOf?.(connected) ?? '/' }]);
    connected += 1;
  };
  const shared = { connections: 10, url, sampleInt: SAMPLE_INTERVAL_MS, headers: { ...headers } };
  const options = { ...shared, ...request, ...bound, ...(pathOf && { setupClient }) };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)));
  run.on('response', (_client, answered, _bytes, time) => {
    times.push(time);
    endedAt = performance.now();
    if (answered < 200 || answered > 299) wrong += 1;
  });
  // Time-outs are among the errors.
  const { errors } = await promise;
  return { rate: (times.length * 1000) / (endedAt - startedAt), times, errors: wrong + errors };
}

/** Times one request on a new connection to the end of its answer, in milliseconds. Throws on another status. */
export async function timeOne(url: string, { method = 'GET', headers, body }: Request, expected: number) {
  const startedAt = performance.now();
  // Not fetch, which takes milliseconds to get going and would have them counted as the service's.
  const request = send(url, { agent: false, method, headers: { ...headers } }).end(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve).on('error', reject);
  const response = await promise;
  const answer = await text(response);
  if (response.statusCode !== expected) throw new Error(`${url} answered ${response.statusCode}: ${answer}`);
  return performance.now() - startedAt;
}
