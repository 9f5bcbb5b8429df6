import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { agentOf, HOST, NGINX, startNginx } from '../support/nginx.ts';
import type { Bench } from './bench.ts';
import { askNumber, startService, startVenue } from './processes.ts';
import { TOKEN_ID } from './venue/records.ts';

/** The venue's own answer time: a server in the same region. */
const VENUE_DELAY_MS = 25;
/** A thousand reads of one book: each client reads some, one after the other. */
const [CLIENTS, READS] = [50, 20];

async function read(url: string, agent: ReturnType<typeof agentOf>): Promise<void> {
  const [response] = await once(get(`${url}/v1/book/${TOKEN_ID}`, { agent, headers: { host: HOST } }), 'response');
  if (response.statusCode !== 200) throw new Error(`a read was answered ${response.statusCode}`);
  await once(response.resume(), 'end');
}

async function readByAll(url: string): Promise<void> {
  const one = async (client: number) => {
    const agent = agentOf(client);
    for (let reads = 0; reads < READS; reads += 1) await read(url, agent);
    agent.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => one(client)));
}

/** The requests at the venue, with the site of nginx before the service and without it. */
const behindNginx: Bench = async function* () {
  await using venue = await startVenue(VENUE_DELAY_MS);
  await using service = await startService(venue.url, { SERVICE_ALLOWED_HOSTS: HOST });
  const nginx = await startNginx(service.url);
  const requestsOf = async (url: string) => {
    const before = await askNumber(`${venue.url}/bench/requests`);
    await readByAll(url);
    return (await askNumber(`${venue.url}/bench/requests`)) - before;
  };
  try {
    for (;;)
      yield [{ row: 'cache-requests', ours: [await requestsOf(nginx.url)], theirs: [await requestsOf(service.url)] }];
  } finally {
    await nginx.stop();
  }
};

/** Measured where nginx is installed. */
export const CACHE_BENCHES = existsSync(NGINX) ? { cache: behindNginx } : {};
