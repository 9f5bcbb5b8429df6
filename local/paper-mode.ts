import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createPaperVenue } from '../paper/venue.ts';
import { compareDecimals, formatDecimal, parseDecimal, subtractDecimals } from '../shared/decimal.ts';
import type { Environment } from '../shared/settings.ts';
import { type ConsoleSite, startConsoleSite } from './console-site.ts';
import { type Service, startService } from './service.ts';

/** Equal seeds give equal markets: two runs show the same. */
const SEED = 1;

/**
 * Makes the settings of a service that trades on paper. The operator's real account is left out: it must not reach a
 * venue that somebody else may have started, and would not work there.
 */
function paperOverrides(venueUrl: string, storePath: string): Environment {
  return {
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PRIVATE_KEY: randomBytes(32).toString('hex'),
    SERVICE_STORE: storePath,
    // Whoever reaches the port trades with invented money.
    SERVICE_REMOTE_ORDERS: '1',
    SERVICE_SIGNATURE_TYPE: '',
    SERVICE_FUNDER_ADDRESS: '',
    SERVICE_CLOB_API_KEY: '',
    SERVICE_CLOB_API_SECRET: '',
    SERVICE_CLOB_API_PASSPHRASE: '',
  };
}

/** Service that trades on paper, with a console in the browser. */
export interface PaperService extends Service {
  readonly consoleUrl: string;
}

/** Adds the console's pages to those that may place orders. */
function withOrigins({ SERVICE_CORS_ORIGINS = '' }: Environment, origins: readonly string[]): Environment {
  return { SERVICE_CORS_ORIGINS: [SERVICE_CORS_ORIGINS, ...origins].join(',') };
}

/**
 * Starts the paper venue, the service on it and the console, with the settings of `env` that are not of the operator's
 * account.
 */
export async function startOnPaper(env: Environment): Promise<PaperService> {
  const venue = createPaperVenue({ seed: SEED, ticking: true });
  // The wallet is gone at the end, and its keys with it.
  const directory = await mkdtemp(join(tmpdir(), 'paper-orders-'));
  let site: ConsoleSite | undefined;
  let service: Service | undefined;
  const clean = async () => {
    await site?.close();
    await venue.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
    const options = { venueUrl: url, serviceUrl: () => service?.url, reservedPort: env['SERVICE_PORT'] };
    site = await startConsoleSite(options);
    const { url: consoleUrl, origins } = site;
    const overrides = { ...paperOverrides(url, join(directory, 'orders.db')), ...withOrigins(env, origins) };
    const started = await startService({ ...env, ...overrides }, { throwAway: true });
    service = started;
    const stop = async () => {
      try {
        await started.stop();
      } finally {
        await clean();
      }
    };
    return { ...started, stop, consoleUrl };
  } catch (error) {
    await clean();
    throw error;
  }
}

const markets = z.object({
  items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })),
});

const book = z.object({
  bids: z.array(z.object({ price: z.string() })),
  tick_size: z.string(),
  min_order_size: z.string(),
});

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

/** Finds a price at which a buy order rests and shows: a tick below the lowest bid, or that bid if nothing is below. */
export function restingPrice(lowestBid: string, tickSize: string): string {
  const [bid, tick] = [parseDecimal(lowestBid), parseDecimal(tickSize)];
  if (!bid || !tick) return lowestBid;
  const below = subtractDecimals(bid, tick);
  return compareDecimals(below, tick) < 0 ? lowestBid : formatDecimal(below);
}

/** Writes four commands that work as they stand on a service that trades on paper. */
export async function whatToTry(url: string): Promise<string> {
  const { items } = markets.parse(await get(`${url}/v1/markets?limit=1`));
  const tokenId = items[0]?.outcomes[0]?.token_id;
  const { bids, tick_size, min_order_size } = book.parse(await get(`${url}/v1/book/${tokenId}`));
  const price = restingPrice(bids.at(-1)?.price ?? tick_size, tick_size);
  const order = `{"token_id":"${tokenId}","side":"buy","price":${price},"size":${min_order_size},"post_only":true}`;
  return `
Trading on paper: invented markets, no real money, a wallet that is forgotten at the end. Try:

# the most traded markets
curl '${url}/v1/markets?limit=3'

# the order book of one outcome
curl '${url}/v1/book/${tokenId}'

# a limit order that rests
curl -X POST '${url}/v1/orders' -H 'Content-Type: application/json' -d '${order}'

# your order is among the bids now, at ${price}
curl '${url}/v1/book/${tokenId}'

`;
}
