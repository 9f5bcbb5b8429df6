import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from '@jest/globals';
import { openRaw, send } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData } from '../../support/venue/fake-venue.ts';

const HOST = { host: 'localhost' };

it('drops a connection beyond the most that may be open, with a log line', async () => {
  const { url, lines } = await startTestServer({ limits: { maxConnections: 1 } });
  const { socket } = openRaw(url);
  await once(socket, 'connect');
  expect(await openRaw(url).closed).toBe('');
  expect(lines).toMatchObject([{ message: 'connection dropped: too many are open', address: '127.0.0.1' }]);
  socket.destroy();
});

it('reads at most eight market lists at a time, lets others wait, and answers /health meanwhile', async () => {
  let [running, most] = [0, 0];
  const eightRun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const listMarkets = async () => {
    running += 1;
    most = Math.max(most, running);
    if (running === 8) eightRun.resolve();
    await released.promise;
    running -= 1;
    return { items: [], has_more: false };
  };
  const { url } = await startTestServer({ marketData: fakeMarketData({ listMarkets }) });
  const lists = Array.from({ length: 20 }, () => send(url, { path: '/v1/markets', headers: HOST }));
  await eightRun.promise;
  expect((await send(url, { path: '/health', headers: HOST })).status).toBe(200);
  released.resolve();
  expect((await Promise.all(lists)).map(({ status }) => status)).toStrictEqual(Array(20).fill(200));
  expect(most).toBe(8);
});

it('closes the connection of a client that continues after a refusal', async () => {
  const { port, hostname: host } = new URL((await startTestServer()).url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true }).on('error', () => socket.destroy());
  const goOn = setInterval(() => socket.write('HELLO\r\n\r\n'), 20);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const [received] = await once(socket, 'data');
  expect(String(received)).toContain('HTTP/1.1 400 ');
  await closed;
  clearInterval(goOn);
  // Node's own time-out comes after a minute without a byte.
}, 20_000);
