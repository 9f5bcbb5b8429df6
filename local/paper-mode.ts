import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPaperVenue } from '../paper/venue.ts';
import type { Environment } from '../shared/settings.ts';
import { type Service, startService } from './service.ts';

/** Equal seeds give equal markets: two runs show the same. */
const SEED = 1;

/**
 * The settings of a service that trades on paper. What belongs to the operator's real account is made absent: it must
 * not reach a venue that somebody else may have started, and would not work there.
 */
function paperOverrides(venueUrl: string, storePath: string): Environment {
  return {
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PRIVATE_KEY: randomBytes(32).toString('hex'),
    SERVICE_STORE: storePath,
    SERVICE_SIGNATURE_TYPE: '',
    SERVICE_FUNDER_ADDRESS: '',
    SERVICE_CLOB_API_KEY: '',
    SERVICE_CLOB_API_SECRET: '',
    SERVICE_CLOB_API_PASSPHRASE: '',
  };
}

/** Starts the paper venue and the service on it. */
export async function startOnPaper(): Promise<Service> {
  const venue = createPaperVenue({ seed: SEED, ticking: true });
  // The wallet is gone at the end, and its keys with it.
  const directory = await mkdtemp(join(tmpdir(), 'paper-orders-'));
  const clean = async () => {
    await venue.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
    const service = await startService(paperOverrides(url, join(directory, 'orders.db')));
    const stop = async () => {
      try {
        await service.stop();
      } finally {
        await clean();
      }
    };
    return { ...service, stop };
  } catch (error) {
    await clean();
    throw error;
  }
}
