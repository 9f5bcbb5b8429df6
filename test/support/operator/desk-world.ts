import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY, paperSettings } from '../../../tools/support/paper-settings.ts';
import { sharedPaperService } from '../service/paper-service.ts';

export const OWN = new Wallet(PAPER_KEY);
const OTHER = new Wallet(`0x${'3c'.repeat(32)}`);

/** Clients: one of a wallet with letters, and one of another chain. */
export const ALICE = '0x1563915e194D8CfBA1943570603F7606A3115508';
export const SOLANA = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';

/** The market of the orders. */
export const QUESTION = 'Will the Copper Lake ferry run on Founders Day?';

const placed = z.object({ order_id: z.string(), status: z.string() });
const market = z.object({ slug: z.string().nullable(), outcomes: z.array(z.object({ token_id: z.string() })) });

/** A service on a paper venue without orders, whose store and settings the desk shares. */
export type DeskWorld = ReturnType<typeof sharedDeskWorld>;

/** Has one such service for all tests of a file. */
export function sharedDeskWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'desk-test-'));
  const store = { SERVICE_STORE: join(folder, 'orders.db') };
  const service = sharedPaperService(store);
  const there: { env: Environment; yes: string; no: string } = { env: {}, yes: '', no: '' };

  function control(path: string, body: object) {
    return fetch(`${service().venueUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
  }

  beforeAll(async () => {
    const { url, venueUrl } = service();
    const { SERVICE_PORT: _port, SERVICE_PLACE_ORDER: _optIn, ...own } = paperSettings(venueUrl, folder);
    there.env = { ...own, ...store };
    const answer = await fetch(`${url}/v1/markets?limit=50`);
    const { items } = z.object({ items: z.array(market) }).parse(await answer.json());
    const plain = items.find(({ slug }) => slug === 'will-the-copper-lake-ferry-run-on-founders-day');
    [there.yes = '', there.no = ''] = plain?.outcomes.map(({ token_id }) => token_id) ?? [];
  });

  // It gives the account the same API credentials again, which the service has.
  beforeEach(async () => {
    await control('/paper/reset', {});
    await officialClient({ url: service().venueUrl }, { wallet: OWN });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  return {
    /** With the settings of the desk, and the outcome tokens of the market. */
    at: () => ({ ...service(), ...there }),
    control,
    folder,
    /** Places an order through the service. */
    async place(order: object, client?: string) {
      const headers = {
        'content-type': 'application/json',
        ...(client !== undefined && { 'x-client-address': client }),
      };
      const body = JSON.stringify({ token_id: there.yes, side: 'buy', price: '0.1', size: '10', ...order });
      const answer = await fetch(`${service().url}/v1/orders`, { method: 'POST', headers, body });
      return placed.parse(await answer.json());
    },
    /** Places an order by the official client, in most cases one of another account. */
    async trade(tokenID: string, price: number, size: number, side: Side, wallet = OTHER) {
      const { client } = await officialClient({ url: service().venueUrl }, { wallet });
      return client.createAndPostOrder({ tokenID, price, size, side });
    },
    /** The ids of the orders that rest. */
    resting: (): readonly string[] =>
      service()
        .venue.orders()
        .flatMap(({ id, status }) => (status === 'LIVE' ? [id] : [])),
  };
}
