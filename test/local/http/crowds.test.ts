import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { MAX_CONNECTIONS, MAX_WAITING } from '../../../local/http/connections.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { openRaw, send } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { startProgram } from '../../support/service/program.ts';
import { fakeMarketData } from '../../support/venue/fake-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CONNECTIONS = FULL_EXTENT ? 150 : 50;
/** As much as Node reads at once. */
const CHUNK_BYTES = 65_536;
const LIST = 'GET /v1/markets?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const SMALL = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** What clients send that pipeline more than may wait: as many small requests as are read at once, and one list too many. */
const FLOODS = [LIST + SMALL.repeat((CHUNK_BYTES - LIST.length) / SMALL.length), LIST.repeat(MAX_WAITING + 1)] as const;

function health(url: string) {
  return send(url, { path: '/health', headers: { host: 'localhost' } });
}

/** A connection on which the service has answered, so that it reads what follows on many of them in one turn of its event loop. */
async function openServed(url: string) {
  const raw = openRaw(url);
  raw.socket.write(SMALL);
  while (raw.received() === '') await once(raw.socket, 'data');
  return raw;
}

it('a service on paper closes the connections of a crowd that floods it, and goes on within its memory', async () => {
  // A larger heap would have room for what a crowd of this size must not leave behind.
  const args = ['--max-semi-space-size=16', '--max-old-space-size=80', 'local/start.js', '--paper'];
  const env = { SERVICE_PORT: '0' };
  const { url, stop } = await startProgram({ command: process.execPath, args, cwd: ROOT, env });
  for (const flood of FLOODS) {
    const crowd = await Promise.all(Array.from({ length: CONNECTIONS }, () => openServed(url)));
    for (const { socket } of crowd) socket.write(flood);
    for (let turn = 0; turn < 10; turn += 1) expect((await health(url)).status).toBe(200);
    await Promise.all(crowd.map(({ closed }) => closed.catch(() => undefined)));
  }
  expect(await stop()).toBe(0);
}, 300_000);

it('where the most connections are open, the one that is idle longest makes room, with a log line', async () => {
  const { url, lines } = await startTestServer();
  const asked = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const idle = [];
  for (let i = 0; i < MAX_CONNECTIONS; i += 1) idle.push(await openServed(url));
  const [first, second] = idle;
  first?.socket.write(asked);
  await once(first?.socket ?? new EventEmitter(), 'data');
  expect((await health(url)).status).toBe(200);
  await second?.closed;
  expect(first?.socket.closed).toBe(false);
  const [warning, ...more] = lines.filter(({ level }) => level === 'warn');
  expect([warning?.['message'], warning?.['address'], more]).toStrictEqual([
    'connection closed: too many are open',
    '127.0.0.1',
    [],
  ]);
  for (const { socket } of idle) socket.destroy();
});

it('10,000 pipelined lists do not delay the health of the service', async () => {
  let [lists, running, most] = [0, 0, 0];
  const eightRun = Promise.withResolvers<void>();
  const listMarkets = async () => {
    lists += 1;
    running += 1;
    most = Math.max(most, running);
    if (running === 8) eightRun.resolve();
    await eightRun.promise;
    await setTimeout(5);
    running -= 1;
    return { markets: [], hasMore: false };
  };
  const { url } = await startTestServer({ marketData: fakeMarketData({ listMarkets }) });
  const crowd = Array.from({ length: 100 }, () => openRaw(url).socket);
  for (const socket of crowd) socket.write(LIST.repeat(100));
  while (lists < 100) await setImmediate();
  expect((await health(url)).status).toBe(200);
  expect(lists).toBeLessThan(2_000);
  expect(most).toBe(8);
  for (const socket of crowd) socket.destroy();
});
