import { join } from 'node:path';

/** A throw-away wallet key: the examples of the document are of its wallet. */
export const PAPER_KEY = '11'.repeat(32);

/** Makes the settings of a service that trades on a paper venue, on a free port, and keeps its orders in a folder. */
export function paperSettings(venueUrl: string, folder: string) {
  return {
    SERVICE_PORT: '0',
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PRIVATE_KEY: PAPER_KEY,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_STORE: join(folder, 'orders.db'),
  };
}
