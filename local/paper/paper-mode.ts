import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { errorCode } from '../../shared/node-error.ts';
import { readVariables } from '../../shared/settings/read.ts';
import { type Environment, LOCAL } from '../../shared/settings/table.ts';
import { type Listening, type Service, type StartOptions, startService } from '../service/service.ts';
import { loadConsole } from './console-files.ts';
import { keepPaperSession } from './session-file.ts';

/** Equal seeds give equal markets: two runs show the same. */
const SEED = 1;
/** What the wallet holds at the start: this many pUSD, and this many shares of each outcome. */
const GIVEN_UNITS = 1_000;
/** The address of a user in another chain, for the example of `X-Client-Address`. */
const CLIENT = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';
const MAX_PORT = 65_535;

/**
 * Returns the settings of a service that trades on paper. The operator's real account is left out: it must not reach a
 * venue that somebody else may have started, and would not work there.
 */
function paperOverrides(venueUrl: string, storePath: string, corsOrigins: readonly string[]): Environment {
  return {
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PRIVATE_KEY: randomBytes(32).toString('hex'),
    SERVICE_PRIVATE_KEY_SECRET: '',
    SERVICE_KMS_KEY: '',
    SERVICE_CREDENTIALS_SECRET: '',
    SERVICE_WALLET_ADDRESS: '',
    SERVICE_STORE: storePath,
    // The venue is simulated, so the money is not real.
    SERVICE_REMOTE_ORDERS: '1',
    SERVICE_SIGNATURE_TYPE: '',
    SERVICE_FUNDER_ADDRESS: '',
    SERVICE_CLOB_API_KEY: '',
    SERVICE_CLOB_API_SECRET: '',
    SERVICE_CLOB_API_PASSPHRASE: '',
    SERVICE_CORS_ORIGINS: corsOrigins.join(','),
  };
}

function portOf({ url }: Pick<Listening, 'url'>): number {
  return Number(new URL(url).port || '80');
}

const SIGNED = `# Clients sign their orders here: without X-Client-Signature the next answer is 401, with the
# text to sign (docs/clients.md).
`;

function firstScreen(service: Listening, venueUrl: string, venue: PaperVenue, isSigned: boolean): string {
  const { tokenId, price, size } = venue.suggestOrder();
  const port = String(portOf(service));
  const setting = port === LOCAL.port.preset ? '' : `SERVICE_PORT=${port} `;
  return `Trading on paper: invented markets, no real money. All is forgotten at the end.
  service  ${service.url}
  console  ${venueUrl} (all of it in a browser)
  venue    ${venueUrl} (faults, accounts: packages/paper-venue)
  desk     ${setting}npm run orders -- --paper open (open, fills, positions, cancel)
  wallet   ${service.walletAddress}, ${GIVEN_UNITS} pUSD and shares

S=${service.url} V=${venueUrl}
T=${tokenId}
curl "$S/v1/markets?limit=3"  # the most traded markets
curl "$S/v1/book/$T"  # the order book of one outcome
${isSigned ? SIGNED : ''}curl "$S/v1/orders" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(date +%s)-$$" \\
  -H 'X-Client-Address: ${CLIENT}' \\
  -d '{"token_id":"'$T'","side":"buy","price":${price},"size":${size},"post_only":true}'
curl "$V/paper/orders"  # as the venue has them
curl "$V/paper/faults" -d '{"fault":"reset-after","path":"/order"}'  # the next
# order loses its answer: place one again, and see what the service makes of it

`;
}

/** Listens on a port, or on a free one where it is taken. */
async function listenNear(venue: PaperVenue, port: number): Promise<{ readonly url: string }> {
  const host = '127.0.0.1';
  try {
    return await venue.listen({ host, port });
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    return venue.listen({ host, port: 0 });
  }
}

/**
 * Starts the paper venue, which hands out the console, and the service on it, with the settings of `env` that do not concern
 * the operator's account. `print` gets the first screen, before the first line of the log.
 */
export async function startOnPaper(
  env: Environment,
  print: (text: string) => void,
  options: StartOptions = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  // The wallet is gone at the end, and its keys with it.
  const directory = stack.use(await mkdtempDisposable(join(tmpdir(), 'paper-orders-')));
  let trading: Listening | undefined;
  const faucet = { collateral: GIVEN_UNITS, shares: GIVEN_UNITS };
  let files: Awaited<ReturnType<typeof loadConsole>> | undefined;
  const page = { files: async () => (files ??= await loadConsole()), service: () => trading };
  const venue = createPaperVenue({ seed: SEED, faucet }, page);
  stack.defer(() => venue.close());
  const asked = { port: LOCAL.port, clientVerification: LOCAL.clientVerification, corsOrigins: LOCAL.corsOrigins };
  const { values } = readVariables(env, asked);
  const { port, clientVerification } = values;
  // The next port after the service's, so that addresses can be kept: 8080 and 8081.
  const { url: venueUrl } = await listenNear(venue, port === 0 || port === MAX_PORT ? 0 : port + 1);
  // The console may place orders too, by each name of this machine.
  const corsOrigins = [...values.corsOrigins, venueUrl, venueUrl.replace('127.0.0.1', 'localhost')];
  const overrides = paperOverrides(venueUrl, join(directory.path, 'orders.db'), corsOrigins);
  const service = await startService(
    { ...env, ...overrides },
    {
      ...options,
      isPaper: true,
      announce: (listening) => {
        trading = listening;
        try {
          // Before the log says that the service listens: it may be stopped from then on.
          stack.use(keepPaperSession(portOf(listening), overrides));
        } catch (error) {
          print(`The desk has no access to this session (${errorCode(error)}).\n`);
        }
        print(firstScreen(listening, venueUrl, venue, clientVerification === 'required'));
      },
    },
  );
  stack.defer(service.stop);
  const running = stack.move();
  return { ...service, stop: () => running.disposeAsync() };
}
