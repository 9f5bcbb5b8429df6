import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { type ClientWallet, evmWallet, signedHeaders } from '../../../tools/support/client-wallets.ts';
import { startDynamoDb, type TestDynamoDb } from '../../../tools/support/dynamodb.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { startProgram } from '../../support/service/program.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ARGS = ['local/start.js', '--settings', devNull];
const PROCESSES = FULL_EXTENT ? 4 : 2;
const KEYS = Array.from({ length: FULL_EXTENT ? 60 : 6 }, (_, index) => `key-${index}`);
const KILLS = FULL_EXTENT ? 60 : 2;

/** Processes that race for a day's room. */
const RIVALS = FULL_EXTENT ? 8 : 2;

const answer = z.object({ order_id: z.string() });
const problem = z.object({ code: z.string(), scope: z.optional(z.string()) });

describe('several processes on one table', () => {
  let db: TestDynamoDb;

  beforeEach(async () => {
    db = await startDynamoDb();
  });
  afterEach(() => db.close());

  /** The environment in which the SDK finds the table by itself. */
  const environment = (venueUrl: string, table = db.tableName) => ({
    SERVICE_GAMMA_URL: venueUrl,
    SERVICE_CLOB_URL: venueUrl,
    SERVICE_PRIVATE_KEY: PAPER_KEY,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_PORT: '0',
    SERVICE_LOG_LEVEL: 'info',
    SERVICE_STORE: `dynamodb:${table}`,
    AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  const startOnce = (env: Readonly<Record<string, string>>) =>
    startProgram({ command: process.execPath, args: ARGS, cwd: ROOT, env });
  /** Starts a process as a supervisor does: once more where a busy machine does not open the table in time. */
  const start: typeof startOnce = (env) =>
    startOnce(env).catch((error: unknown) => {
      if (!String(error).includes('aborted due to timeout')) throw error;
      return start(env);
    });

  it('place one order for a key, though they are killed and started again', async () => {
    const { venue, url: venueUrl } = await startPaper();
    const env = environment(venueUrl);
    const services = await Promise.all(Array.from({ length: PROCESSES }, () => start(env)));
    expect(services.map(({ store }) => store)).toStrictEqual(services.map(() => 'dynamodb:orders'));
    const { tokenId: token_id, price } = venue.suggestOrder();
    const body = JSON.stringify({ token_id, side: 'buy', price, size: '5', post_only: true });
    const ask = async (url: string, key: string): Promise<string | undefined> => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const signal = AbortSignal.timeout(30_000);
      try {
        const response = await fetch(`${url}/v1/orders`, { method: 'POST', headers, body, signal });
        const { data } = answer.safeParse(await response.json());
        return response.status === 201 ? data?.order_id : undefined;
      } catch {
        // It was killed.
        return undefined;
      }
    };
    const place = async (key: string, index: number): Promise<string> => {
      for (let attempt = 0; ; attempt += 1) {
        const at = (index + attempt) % PROCESSES;
        const [first, second] = [services[at], services[(at + 1) % PROCESSES]];
        const ids = await Promise.all([ask(first?.url ?? '', key), ask(second?.url ?? '', key)]);
        const placed = ids.find((id) => id !== undefined);
        if (placed !== undefined) return placed;
        await sleep(500);
      }
    };
    let done = false;
    const killing = async () => {
      for (let kill = 0; kill < KILLS && !done; kill += 1) {
        const index = kill % PROCESSES;
        await sleep(400);
        await services[index]?.kill();
        services[index] = await start(env);
      }
    };
    const placing = (async () => {
      const placed: string[] = [];
      for (let from = 0; from < KEYS.length; from += 6) {
        const batch = KEYS.slice(from, from + 6);
        placed.push(...(await Promise.all(batch.map((key, index) => place(key, index)))));
      }
      done = true;
      return placed;
    })();
    const [ids] = await Promise.all([placing, killing()]);
    expect(new Set(ids).size).toBe(KEYS.length);
    expect(
      venue
        .orders()
        .map(({ id }) => id)
        .toSorted(),
    ).toStrictEqual(ids.toSorted());
    const again = await Promise.all(KEYS.map((key, index) => place(key, index)));
    expect(again).toStrictEqual(ids);
    expect(venue.orders()).toHaveLength(KEYS.length);
  }, 240_000);

  it('place as many orders as the caps of the day and of each client allow, however many ask at once', async () => {
    const { venue, url: venueUrl } = await startPaper();
    const { tokenId: token_id } = venue.suggestOrder();
    // Each order is worth 0.10: 4 of a client fit into its day, 7 into that of the service.
    const order = { token_id, side: 'buy', price: '0.01', size: '10', post_only: true, expires_at: null } as const;
    const env = {
      ...environment(venueUrl),
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_MAX_DAILY_NOTIONAL: '0.7',
      SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '0.4',
    };
    const services = await Promise.all(Array.from({ length: RIVALS }, () => start(env)));
    const place = async (url: string, wallet: ClientWallet, key: string): Promise<string> => {
      const body = JSON.stringify({ ...order, expires_at: undefined });
      for (;;) {
        const headers = { 'content-type': 'application/json', ...(await signedHeaders({ wallet, url, order, key })) };
        const response = await fetch(`${url}/v1/orders`, { method: 'POST', headers, body });
        const text = await response.text();
        if (response.status === 201) return 'placed';
        const { code, scope } = problem.parse(JSON.parse(text));
        if (code === 'daily_cap_reached') return `full for the ${scope}`;
        // Transactions on one counter exclude each other: the repeat is answered.
        expect(['store_unavailable', 'order_in_progress']).toContain(code);
        await sleep(50);
      }
    };
    const wallets = [evmWallet('2'), evmWallet('3')];
    const ends = await Promise.all(
      wallets.map((wallet, client) =>
        Promise.all(
          services.flatMap(({ url }, process) =>
            Array.from({ length: 3 }, (_, n) => place(url, wallet, `${client}-${process}-${n}`)),
          ),
        ),
      ),
    );
    const placed = ends.map((of) => of.filter((end) => end === 'placed').length);
    expect(placed.toSorted()).toStrictEqual([3, 4]);
    expect(venue.orders()).toHaveLength(7);
    expect(new Set(ends.flat())).toStrictEqual(new Set(['placed', 'full for the client', 'full for the service']));
  }, 240_000);

  it('do not start without it, and say so', async () => {
    const { url } = await startPaper();
    await expect(start(environment(url, 'missing'))).rejects.toThrow(
      'SERVICE_STORE cannot be opened at dynamodb:missing',
    );
    await expect(start(environment(url, 'a b'))).rejects.toThrow(
      'SERVICE_STORE must be the path of a file, or dynamodb:',
    );
  });
});
