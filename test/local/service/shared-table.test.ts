import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { startProgram } from '../../support/service/program.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ARGS = ['local/start.js', '--settings', devNull];
const PROCESSES = FULL_EXTENT ? 3 : 2;
const KEYS = Array.from({ length: FULL_EXTENT ? 24 : 4 }, (_, index) => `key-${index}`);
const KILLS = FULL_EXTENT ? 6 : 1;

const placedOrder = z.object({ order_id: z.string() });

/** Asks for an order; gives its id, and `undefined` where the process was killed or does not place it now. */
async function ask(url: string, key: string, body: string): Promise<string | undefined> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  try {
    const response = await fetch(`${url}/v1/orders`, { method: 'POST', headers, body });
    const { data } = placedOrder.safeParse(await response.json());
    return response.status === 201 ? data?.order_id : undefined;
  } catch {
    return undefined;
  }
}

it('several processes on one table place one order for a key, though they are killed and started again', async () => {
  const db = await startDynamoDb();
  const { venue, url: venueUrl } = await startPaper();
  const env = {
    ...{ SERVICE_GAMMA_URL: venueUrl, SERVICE_CLOB_URL: venueUrl, SERVICE_PRIVATE_KEY: PAPER_KEY },
    ...{ SERVICE_PLACE_ORDER: '1', SERVICE_PORT: '0', SERVICE_STORE: `dynamodb:${db.tableName}` },
    // The SDK finds the table by itself.
    ...{ AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint), AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  };
  /** Starts a process as a supervisor does: once more where a busy machine does not open the table in time. */
  const start = (): ReturnType<typeof startProgram> =>
    startProgram({ command: process.execPath, args: ARGS, cwd: ROOT, env }).catch((error: unknown) => {
      if (!String(error).includes('aborted due to timeout')) throw error;
      return start();
    });
  const services = await Promise.all(Array.from({ length: PROCESSES }, start));
  expect(services.map(({ store }) => store)).toStrictEqual(services.map(() => 'dynamodb:orders'));
  const { tokenId: token_id, price } = venue.suggestOrder();
  const body = JSON.stringify({ token_id, side: 'buy', price, size: '5', post_only: true });
  /** Asks two processes at once, until one of them says that the order is placed. */
  const place = async (key: string, index: number): Promise<string> => {
    for (let at = index; ; at += 1) {
      const both = [at, at + 1].map((each) => ask(services[each % PROCESSES]?.url ?? '', key, body));
      const placed = (await Promise.all(both)).find((id) => id !== undefined);
      if (placed !== undefined) return placed;
      await sleep(500);
    }
  };
  // Some orders are on their way whenever a process is killed.
  const placing = Promise.all(KEYS.map((key, index) => sleep(index * 250).then(() => place(key, index))));
  for (let kill = 0; kill < KILLS; kill += 1) {
    await services[kill % PROCESSES]?.kill();
    services[kill % PROCESSES] = await start();
  }
  const ids = await placing;
  expect(new Set(ids).size).toBe(KEYS.length);
  expect(await Promise.all(KEYS.map(place))).toStrictEqual(ids);
  const atVenue = venue.orders().map(({ id }) => id);
  expect(atVenue.toSorted()).toStrictEqual(ids.toSorted());
  await db.close();
});
