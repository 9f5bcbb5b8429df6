import { type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client, Result } from 'autocannon';

/** A load to send. */
export interface LoadSpec {
  readonly url: string;
  /** The path of the requests of a connection; connections count from 0. */
  readonly pathOf?: (connection: number) => string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections?: number;
  /** The time or the number of requests: one of the two. */
  readonly seconds?: number;
  readonly amount?: number;
}

/** What came of a load. */
export interface LoadResult {
  /** Answers a second. */
  readonly rate: number;
  /** The time that each answer took, in milliseconds. */
  readonly times: readonly number[];
  /** Answers other than 2xx, failed connections, time-outs. */
  readonly errors: number;
}

const CONNECTIONS = 10;
/** A load goes on until autocannon's next sample, of which there is one a second by default. */
const SAMPLE_INTERVAL_MS = 50;

/** Puts load on an address of this machine, a request after the other on each connection. */
export async function load({ url, pathOf, headers = {}, seconds, amount, ...spec }: LoadSpec): Promise<LoadResult> {
  if (new URL(url).hostname !== '127.0.0.1') throw new Error('Load is for loopback only.');
  // Loaded only here: `--help` does without.
  const { default: autocannon } = await import('autocannon');
  // Autocannon's own percentiles are whole milliseconds.
  const times: number[] = [];
  let wrong = 0;
  const startedAt = performance.now();
  let endedAt = startedAt;
  const bound = amount === undefined ? { duration: seconds ?? 1 } : { amount };
  let connected = 0;
  // Made once, as the requests of any load are that do not vary: on two cores the service pays for the load generator too.
  const setupClient = pathOf && {
    setupClient: (client: Client) => {
      client.setRequests([{ path: pathOf(connected) }]);
      connected += 1;
    },
  };
  const options = {
    connections: CONNECTIONS,
    ...spec,
    ...bound,
    url,
    sampleInt: SAMPLE_INTERVAL_MS,
    headers: { ...headers },
    ...setupClient,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)));
  run.on('response', (_client, answered, _bytes, time) => {
    times.push(time);
    endedAt = performance.now();
    if (answered < 200 || answered > 299) wrong += 1;
  });
  // Time-outs are among the errors.
  const { errors } = await promise;
  return {
    rate: times.length === 0 ? 0 : (times.length * 1000) / (endedAt - startedAt),
    times,
    errors: wrong + errors,
  };
}

/** A request that is timed alone. */
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
