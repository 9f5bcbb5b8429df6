import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openRaw, parseAnswers, send, sendRaw } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n';
const BODY = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
const HEAD = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;

describe('connections above their number', () => {
  const health = (url: string) => send(url, { path: '/health', headers: { host: 'localhost' } });

  it.each([
    ['nothing', ''],
    ['a part of a head', `${HEALTH}X-Slow: `],
    ['a part of a body', `${HEAD}{`],
  ])('drop a client that has sent %s, not one that is new', async (_name, begun) => {
    const { url } = await startTestServer({ limits: { maxConnections: 3 } });
    const stalling = Array.from({ length: 3 }, () => openRaw(url));
    for (const { socket } of stalling) socket.write(begun);
    await Promise.all(stalling.map(({ socket }) => once(socket, 'connect')));
    for (let turn = 0; turn < 5; turn += 1) expect((await health(url)).status).toBe(200);
    await Promise.race(stalling.map(({ closed }) => closed));
  });

  it('drop one that has never sent a request before one that was served', async () => {
    const { url } = await startTestServer({ limits: { maxConnections: 2 } });
    const served = openRaw(url);
    served.socket.write(`${HEALTH}\r\n`);
    await once(served.socket, 'data');
    const stalling = openRaw(url);
    await once(stalling.socket, 'connect');
    expect((await health(url)).status).toBe(200);
    await stalling.closed;
    served.socket.write(`${HEALTH}Connection: close\r\n\r\n`);
    expect(parseAnswers(await served.closed)).toHaveLength(2);
  });

  it('drop none for which the service is at work, but the new one', async () => {
    const held = Promise.withResolvers<void>();
    const listMarkets = async () => {
      await held.promise;
      return { markets: [], hasMore: false };
    };
    const marketData = fakeMarketData({ listMarkets });
    const { url } = await startTestServer({ marketData, limits: { maxConnections: 1 } });
    const working = sendRaw(url, 'GET /v1/markets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await sleep(50);
    expect(await openRaw(url).closed).toBe('');
    held.resolve();
    expect((await working).map(({ status }) => status)).toStrictEqual([200]);
  });
});

describe('responses that nobody reads', () => {
  it('are dropped where there are too many of them, the oldest first', async () => {
    const outcome = { name: 'Yes', tokenId: TOKEN_ID, price: null };
    const question = 'a'.repeat(4_000_000);
    const listMarkets = async () => {
      const { markets } = await fakeMarketData().listMarkets(1, { deadline: 0, venueRequests: [], trace: {} });
      return {
        markets: markets.map((market) => ({ ...market, question, outcomes: [outcome, outcome] })),
        hasMore: false,
      };
    };
    const marketData = fakeMarketData({ listMarkets });
    const { url } = await startTestServer({ marketData, limits: { maxUnreadBytes: 6_000_000 } });
    const clients = Array.from({ length: 4 }, () => openRaw(url));
    for (const { socket } of clients) {
      socket.pause().write('GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await sleep(100);
    }
    for (const { socket } of clients) socket.resume();
    expect((await clients[0]?.closed)?.length).toBeLessThan(question.length);
    const last = clients.at(-1);
    while ((last?.received().length ?? 0) < question.length) await sleep(10);
    last?.socket.destroy();
  });
});

describe('an order whose caller has hung up before it was read', () => {
  it.each([
    ['an end', (socket: ReturnType<typeof openRaw>['socket']) => socket.destroy()],
    ['a reset', (socket: ReturnType<typeof openRaw>['socket']) => socket.resetAndDestroy()],
  ])('is not begun: %s', async (_name, hangUp) => {
    const orders = fakeOrders();
    const { url, lines } = await startTestServer({ orders });
    const { socket } = openRaw(url);
    await once(socket, 'connect');
    socket.write(HEAD + BODY, () => hangUp(socket));
    while (lines.length === 0) await sleep(5);
    expect(orders.placed).toStrictEqual([]);
    expect(lines).toMatchObject([{ route: 'orders', status: 400, code: 'invalid_request' }]);
  });

  it('is placed where it has closed its own half alone, and where it goes on to wait', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    expect((await sendRaw(url, HEAD + BODY, { halfClose: true })).map(({ status }) => status)).toStrictEqual([201]);
    const older = (HEAD + BODY).replace('HTTP/1.1', 'HTTP/1.0');
    expect((await sendRaw(url, older, { halfClose: true })).map(({ status }) => status)).toStrictEqual([201]);
    expect(orders.placed).toHaveLength(2);
  });
});
