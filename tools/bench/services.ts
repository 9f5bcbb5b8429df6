import { devNull } from 'node:os';
import * as z from 'zod/mini';
import manifest from '../../package.json' with { type: 'json' };
import { type ProcessSpec, type RunningProcess, startProcess } from './processes.ts';
import { TOKEN_ID } from './venue/records.ts';

/** A key of the benchmark alone; nobody's funds. */
export const PRIVATE_KEY = `0x${'1f'.repeat(32)}`;
/** The venue's own answer time in the rows that have one: that of a server in the same region. */
export const VENUE_DELAY_MS = 25;

/** A venue that answers at a given pace. */
export interface VenueStub extends RunningProcess {
  /** Makes every answer wait; milliseconds. */
  delay(milliseconds: number): Promise<void>;
  /** Counts the requests since the last call, and those of them that came one after the other. */
  counts(): Promise<{ readonly requests: number; readonly depth: number }>;
}

/** As the load generator has it, by the script in package.json: room enough that the collector seldom holds it up. */
const ROOMY = manifest.scripts.bench.split(' ').filter((word) => word.includes('semi-space-size'));

const counted = z.object({ requests: z.number(), depth: z.number() });

/** Starts the venue stub, which takes so many milliseconds for each answer. */
export async function startVenue(delay: number): Promise<VenueStub> {
  const running = await startProcess({ args: [...ROOMY, 'tools/bench/venue/main.ts'] });
  const venue = {
    ...running,
    delay: async (milliseconds: number) => void (await fetch(`${running.url}/bench/delay=${milliseconds}`)),
    counts: async () => {
      const response = await fetch(`${running.url}/bench/counts`);
      return counted.parse(JSON.parse(await response.text()));
    },
  };
  await venue.delay(delay);
  return venue;
}

/** The API credentials that both the service and the official client are given. */
const CREDENTIALS = {
  SERVICE_CLOB_API_KEY: 'bench-key',
  SERVICE_CLOB_API_SECRET: 'YmVuY2gtc2VjcmV0LWJlbmNo',
  SERVICE_CLOB_API_PASSPHRASE: 'bench',
};

/** A service to measure. */
export interface ServiceOptions {
  /** True where the venue's API credentials are set, and not derived by the first order. */
  readonly credentials?: boolean;
  /** The folder into which its CPU profile is written. */
  readonly profileDirectory?: string;
}

/** The arguments of `node` in the script `start`. */
const [, , ...START] = manifest.scripts.start.split(' ');

/** The service as `npm start` runs it, with orders and without the developer's own settings. */
export function serviceSpec(venueUrl: string, { credentials = true }: ServiceOptions = {}): ProcessSpec {
  return {
    args: [...START, '--settings', devNull],
    env: {
      SERVICE_PORT: '0',
      SERVICE_GAMMA_URL: venueUrl,
      SERVICE_CLOB_URL: venueUrl,
      SERVICE_PLACE_ORDER: '1',
      SERVICE_PRIVATE_KEY: PRIVATE_KEY,
      ...(credentials && CREDENTIALS),
    },
  };
}

/** Starts the service. */
export function startService(venueUrl: string, options: ServiceOptions = {}): Promise<RunningProcess> {
  const { profileDirectory } = options;
  const spec = serviceSpec(venueUrl, options);
  return startProcess(profileDirectory === undefined ? spec : { ...spec, profileDirectory });
}

/** Starts a bare proxy, the baseline. */
export function startProxy(venueUrl: string): Promise<RunningProcess> {
  return startProcess({ args: ['tools/bench/baselines/proxy.ts'], env: { BENCH_VENUE_URL: venueUrl } });
}

/** The order that everybody places. */
export const ORDER = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10, post_only: true }),
} as const;

/** The path of the book that is asked for. */
export const BOOK_PATH = `/v1/book/${TOKEN_ID}`;
/** The same book at the venue. */
export const VENUE_BOOK_PATH = `/book?token_id=${TOKEN_ID}`;
/** The path of the list of markets. */
export const MARKETS_PATH = '/v1/markets';
/** The service's request to the venue when nobody names a limit. */
export const VENUE_MARKETS_PATH = '/markets/keyset?closed=false&order=volume24hr&ascending=false&limit=40';
