import { devNull } from 'node:os';
import * as z from 'zod/mini';
import manifest from '../../package.json' with { type: 'json' };
import { type ProcessSpec, type RunningProcess, startProcess } from './processes.ts';
import { TOKEN_ID } from './venue/records.ts';

/** An invented key of the benchmark: no funds. */
export const PRIVATE_KEY = `0x${'1f'.repeat(32)}`;
/** The venue's own answer time in the rows that have one: a server in the same region. */
export const VENUE_DELAY_MS = 25;

/** A venue that answers at a given pace. */
export interface VenueStub extends RunningProcess {
  /** Returns the longest chain of requests since the last call in which each began after the one before ended. */
  depth(): Promise<number>;
}

/** The flags of the load generator, from package.json: with more room the collector seldom stops the process. */
const ROOMY = manifest.scripts.bench.split(' ').filter((word) => word.includes('semi-space-size'));

const counted = z.object({ depth: z.number() });

/** Starts the venue stub, which takes `delay` milliseconds for each answer. */
export async function startVenue(delay: number): Promise<VenueStub> {
  const running = await startProcess({ args: [...ROOMY, 'tools/bench/venue/main.ts', String(delay)] });
  return {
    ...running,
    depth: async () => counted.parse(JSON.parse(await (await fetch(`${running.url}/bench/depth`)).text())).depth,
  };
}

/** The API credentials that both the service and the official client are given. */
const CREDENTIALS = {
  SERVICE_CLOB_API_KEY: 'bench-key',
  SERVICE_CLOB_API_SECRET: 'YmVuY2gtc2VjcmV0LWJlbmNo',
  SERVICE_CLOB_API_PASSPHRASE: 'bench',
};

/** The arguments of `node` in the script `start`. */
const [, , ...START] = manifest.scripts.start.split(' ');

/** The settings of an order-placing service; without `credentials` its first order derives them. */
export function serviceEnv(venueUrl: string, { credentials = true } = {}): Readonly<Record<string, string>> {
  return {
    SERVICE_PORT: '0',
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PRIVATE_KEY: PRIVATE_KEY,
    ...(credentials && CREDENTIALS),
  };
}

/** Starts the service as `npm start` does, with orders and without the developer's own settings. */
export function startService(venueUrl: string, options?: { readonly credentials: boolean }): Promise<RunningProcess> {
  const spec: ProcessSpec = { args: [...START, '--settings', devNull], env: serviceEnv(venueUrl, options) };
  return startProcess(spec);
}

/** Starts a bare proxy, the baseline. */
export function startProxy(venueUrl: string): Promise<RunningProcess> {
  return startProcess({ args: ['tools/bench/baselines/proxy.ts'], env: { BENCH_VENUE_URL: venueUrl } });
}

/** The order of every row. */
export const ORDER = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10, post_only: true }),
} as const;

/** The path of the book that is asked for. */
export const BOOK_PATH = `/v1/book/${TOKEN_ID}`;
