import { join } from 'node:path';
import * as z from 'zod/mini';

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

const listed = z.object({
  markets: z.array(z.object({ acceptingOrders: z.boolean(), clobTokenIds: z.nullable(z.string()) })),
});

/** Lists the tokens of a paper venue on which orders can be placed. */
export async function paperTokens(venueUrl: string): Promise<readonly string[]> {
  const { markets } = listed.parse(await (await fetch(`${venueUrl}/markets/keyset?limit=100`)).json());
  const open = markets.filter(({ acceptingOrders }) => acceptingOrders);
  return open.flatMap(({ clobTokenIds }) => z.array(z.string()).parse(JSON.parse(clobTokenIds ?? '[]')));
}
