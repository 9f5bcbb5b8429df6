import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { createPaperVenue } from '../../paper/venue.ts';
import { paperSettings } from '../../tools/support/paper-settings.ts';
import { send } from '../support/service/http-client.ts';

const MAIN = new URL('../../local/start.js', import.meta.url).pathname;
const HEADERS = { host: 'localhost', 'content-type': 'application/json' };

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Starts the program on a paper venue; resolves with its address when it listens. */
async function run() {
  const directory = await mkdtemp(join(tmpdir(), 'log-reader-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const venue = createPaperVenue({ still: true });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  stops.push(() => venue.close());
  const env = { PATH: process.env['PATH'], ...paperSettings(venueUrl, directory) };
  const child = spawn(process.execPath, [MAIN, '--settings', devNull], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  stops.push(() => child.kill('SIGKILL'));
  const url = await listeningUrl(child);
  return { child, url, venue };
}

async function listeningUrl({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  for await (const line of createInterface({ input: stdout ?? process.stdin })) {
    const { message, url } = JSON.parse(line);
    if (message === 'listening') return url;
  }
  throw new Error('It ended before it listened.');
}

it('goes on without the reader of its log: an order at the venue is answered, and the stop tells what was lost', async () => {
  const { child, url, venue } = await run();
  const { items } = JSON.parse((await send(url, { path: '/v1/markets?limit=1', headers: HEADERS })).text);
  const order = { token_id: items[0].outcomes[0].token_id, side: 'buy', price: '0.01', size: '100' };
  venue.arm({ fault: 'delay-after', method: 'POST', path: '/order', ms: 1_000 });
  const body = JSON.stringify(order);
  const placed = send(url, { method: 'POST', path: '/v1/orders', headers: HEADERS, body });
  while (venue.orders().length === 0) await sleep(5);
  child.stdout.destroy();
  await once(child.stdout, 'close');
  expect((await send(url, { path: '/health', headers: HEADERS })).status).toBe(200);
  expect((await send(url, { path: '/health', headers: HEADERS })).status).toBe(200);
  expect((await placed).status).toBe(201);
  const [ended, told] = [once(child, 'exit'), text(child.stderr)];
  child.kill('SIGTERM');
  expect(await ended).toStrictEqual([0, null]);
  // Two requests for its health, the order, and the two lines of the stop.
  expect(JSON.parse(await told)).toMatchObject({ level: 'error', lost: 5 });
});
