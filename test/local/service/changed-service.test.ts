import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Service, startService } from '../../../local/service/service.ts';
import type { FaultOrder } from '../../../packages/paper-venue/faults/faults.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { plainMarket, type RunningPaper, startPaper } from '../../support/venue/paper-venue.ts';

const POST = { method: 'POST', path: '/order' } as const;

let directory: string;
let service: Service | undefined;
let lines: Record<string, unknown>[];
let venue: RunningPaper;
let order: Readonly<Record<string, unknown>>;

async function open(options: Parameters<typeof startPaper>[0] = {}): Promise<void> {
  venue = await startPaper(options);
  const { yes } = await plainMarket(venue);
  order = { token_id: yes, side: 'buy', price: '0.02', size: '10' };
}

function settingsOf({ url }: RunningPaper): Environment {
  return { ...paperSettings(url, directory), SERVICE_LOG_LEVEL: 'error' };
}

/** Starts a service in place of the one before, on the same store, and gives the way to place orders with it. */
async function start(changes: Environment = {}, paper = venue) {
  await service?.stop();
  lines = [];
  const write = (line: string) => lines.push(JSON.parse(line));
  service = await startService({ ...settingsOf(paper), ...changes }, { throwAway: true, write });
  const { url } = service;
  return async (key: string | undefined, change: object = {}) => {
    const response = await fetch(`${url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
      body: JSON.stringify({ ...order, ...change }),
    });
    const { headers, status } = response;
    return {
      status,
      body: JSON.parse(await response.text()),
      retryAfter: Number(headers.get('retry-after')),
      replayed: headers.get('idempotency-replayed') === 'true',
    };
  };
}

function arm(fault: FaultOrder['fault'], more: Partial<FaultOrder> = {}): void {
  venue.venue.arm({ ...POST, fault, ...more });
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'changed-'));
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await rm(directory, { recursive: true });
});

describe('an order of a service that has changed since', () => {
  const orders = () => venue.venue.orders();

  beforeEach(() => open());

  it('is replayed where the service was stopped while it was sent, and no log of signed bytes is left', async () => {
    const place = await start();
    arm('delay-after', { ms: 500 });
    const placing = place('key');
    while (orders().length === 0) await sleep(5);
    await service?.stop();
    service = undefined;
    const { status, body } = await placing;
    expect([status, lines.filter(({ level }) => level === 'error')]).toStrictEqual([201, []]);
    expect((await readdir(directory)).toSorted()).toStrictEqual(['orders.db', 'orders.db.lock']);
    const again = await start();
    expect(await again('key')).toMatchObject({ status: 201, replayed: true, body: { order_id: body.order_id } });
  });

  it('counts against the cap of the day across restarts, keyed or not, and however many come at once', async () => {
    const settings = { SERVICE_MAX_DAILY_NOTIONAL: '1' };
    const first = await start(settings);
    await first('first');
    const second = await start(settings);
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, index) => second(index % 2 ? `key-${index}` : undefined)),
    );
    expect(ends.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(orders()).toHaveLength(5);
    const refused = ends.find(({ status }) => status !== 201);
    const midnight = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'daily_cap_reached', max_daily_notional: '1', resets_at: `${midnight}T00:00:00Z` },
    });
    expect(await second('first')).toMatchObject({ status: 201, replayed: true });
  });
});

describe('an order at a venue with another clock', () => {
  it.each([120_000, -120_000])('is found once it is filled: %d ms from ours', async (skewMs) => {
    await open({ forgetFilled: true, now: () => Date.now() + skewMs });
    const place = await start();
    arm('reset-after');
    expect(await place(undefined, { price: '0.6' })).toMatchObject({ status: 201, body: { status: 'matched' } });
    expect(await place('key')).toMatchObject({ status: 201, body: { status: 'live' } });
  });
});

it('leaves its trace in the log of a process that is killed before it answers', async () => {
  await open();
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../local/start.js'), '--settings', devNull], {
    env: { PATH: process.env['PATH'], ...settingsOf(venue), SERVICE_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const line = async (message: string) => {
    for (;;) {
      const found = lines.find((candidate) => candidate['message'] === message);
      if (found) return found;
      await sleep(20);
    }
  };
  const { url } = await line('listening');
  arm('hang-after');
  const asked = fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-address': 'me', 'x-request-id': 'r-1' },
    body: JSON.stringify(order),
  }).catch(() => undefined);
  while (venue.venue.orders().length === 0) await sleep(20);
  child.kill('SIGKILL');
  await Promise.all([once(child, 'exit'), asked]);
  const [atVenue] = venue.venue.orders();
  expect(await line('order signed')).toMatchObject({
    order_id: atVenue?.id,
    request_id: 'r-1',
    client_address: 'me',
  });
  expect(lines.some(({ message }) => message === 'request')).toBe(false);
});
