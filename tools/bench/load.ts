import autocannon, { type Result } from 'autocannon';

/** A request that is sent again and again. */
export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Bound = { readonly duration: number } | { readonly amount: number; readonly connections?: number };

/** A load goes on until autocannon's next sample, of which there is one a second by default. */
const SAMPLE_INTERVAL_MS = 50;

/**
 * Puts load on an address by ten connections, a request after the other on each. Returns the answers a second and the time
 * of each in milliseconds, but for the first of each of ten connections: those open it, and arrive together. Throws where an
 * answer is missing or not 2xx.
 */
export async function load(url: string, { headers = {}, ...request }: Request, bound: Bound) {
  // Autocannon's own percentiles are whole milliseconds.
  const times: number[] = [];
  let answers = 0;
  const opened = new Set<unknown>();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const shared = { connections: 10, url, sampleInt: SAMPLE_INTERVAL_MS, headers: { ...headers } };
  const options = { ...shared, ...request, ...bound };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = autocannon(options, (error: unknown, result) => (error ? reject(error) : resolve(result)));
  run.on('response', (client, _status, _bytes, time) => {
    answers += 1;
    if (opened.has(client) || options.connections === 1) times.push(time);
    opened.add(client);
    endedAt = performance.now();
  });
  // Time-outs are among the errors.
  const { errors, non2xx } = await promise;
  if (errors + non2xx > 0) throw new Error(`${url}: ${errors} requests without an answer, ${non2xx} answers not 2xx`);
  return { rate: (answers * 1000) / (endedAt - startedAt), times };
}

/** Times one request, in milliseconds. */
export async function timeOne(url: string, request: Request): Promise<number> {
  const { times } = await load(url, request, { amount: 1, connections: 1 });
  return times[0] ?? Number.NaN;
}
