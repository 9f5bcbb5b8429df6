import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { CLOSE_ABOVE, STALL_ABOVE } from '../../../local/http/connections.ts';
import { openRaw, parseAnswers } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
const ORDER_REQUEST = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${ORDER.length}\r\n\r\n${ORDER}`;

/** Sends an order on a connection of its own. */
function sendAlone(url: string): Promise<string> {
  const { socket, closed } = openRaw(url);
  socket.write(ORDER_REQUEST.replace('\r\n', '\r\nConnection: close\r\n'));
  return closed;
}

describe('pipelined requests', () => {
  it('are answered one after the other, in their order', async () => {
    const { url } = await startTestServer();
    const { socket, closed } = openRaw(url);
    const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    socket.write(`${ORDER_REQUEST}GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`);
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([201, 404, 200]);
  });

  it('are dropped behind a request that ends the connection', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const { socket, closed } = openRaw(url);
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${ORDER_REQUEST}`);
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([200]);
    expect(orders.placed).toStrictEqual([]);
  });

  it('are dropped behind one that asks for an upgrade, and no later one gets the response of another', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const { socket, closed, received } = openRaw(url);
    const upgrade = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    socket.write(`${upgrade}${ORDER_REQUEST}`);
    while (received() === '') await sleep(5);
    socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const answers = parseAnswers(await closed);
    expect(answers.map(({ status, headers }) => [status, headers['connection']])).toStrictEqual([[200, 'close']]);
    expect(orders.placed).toStrictEqual([]);
  });
});

describe('requests that pile up behind a slow one', () => {
  const LIST = 'GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n';
  /** As much as Node reads at once. */
  const CHUNK_BYTES = 65_536;

  /** A server whose lists of markets come as the test says, one by one, and a count of what its parser has taken in. */
  async function startSlowServer() {
    const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    const listMarkets = async () => {
      asked += 1;
      await (asked === 1 ? first : others).promise;
      return { markets: [], hasMore: false };
    };
    const server = await startTestServer({ marketData: fakeMarketData({ listMarkets }) });
    const count = { parsed: 0 };
    const onStart = () => {
      count.parsed += 1;
    };
    subscribe('http.server.request.start', onStart);
    const stopCounting = () => unsubscribe('http.server.request.start', onStart);
    return { ...server, count, stopCounting, releaseFirst: first.resolve, releaseOthers: others.resolve };
  }

  it('are not taken in without end, however many there are', async () => {
    const { url, count, stopCounting, releaseFirst, releaseOthers } = await startSlowServer();
    const large = `${LIST}X-Filler: ${'a'.repeat(15_000)}\r\n\r\n`;
    const clients = Array.from({ length: 40 }, () => openRaw(url).socket);
    for (const socket of clients) {
      const flood = () => {
        while (!socket.destroyed && socket.write(large));
      };
      socket.on('drain', flood).on('connect', flood);
    }
    while (count.parsed < clients.length) await sleep(5);
    await sleep(2_000);
    const atOnce = STALL_ABOVE + Math.ceil(CHUNK_BYTES / large.length) + 1;
    expect(count.parsed).toBeLessThanOrEqual(clients.length * atOnce);
    for (const socket of clients) socket.destroy();
    stopCounting();
    releaseFirst();
    releaseOthers();
  });

  it('are taken in and answered, all of them and in their order, once there is room', async () => {
    const { url, count, stopCounting, releaseFirst, releaseOthers } = await startSlowServer();
    const { socket, closed, received } = openRaw(url);
    const filler = `X-Filler: ${'a'.repeat(15_000)}\r\n`;
    const ids = Array.from({ length: 100 }, (_, index) => `request-${index}`);
    const last = (id: string) => (id === ids.at(-1) ? 'Connection: close\r\n' : '');
    socket.write(ids.map((id) => `${LIST}${filler}X-Request-Id: ${id}\r\n${last(id)}\r\n`).join(''));
    while (count.parsed <= STALL_ABOVE) await sleep(5);
    await sleep(100);
    const atFirst = count.parsed;
    expect(atFirst).toBeLessThan(2 * STALL_ABOVE);
    // One answer makes no room as long as too many wait.
    releaseFirst();
    while (received() === '') await sleep(5);
    await sleep(100);
    expect(count.parsed).toBe(atFirst);
    releaseOthers();
    expect(parseAnswers(await closed).map(({ headers }) => headers['x-request-id'])).toStrictEqual(ids);
    stopCounting();
  });

  it('are closed with their connection where more wait than may, and none of them is begun', async () => {
    const { url, releaseFirst, releaseOthers } = await startSlowServer();
    const orders = fakeOrders();
    const { url: trading } = await startTestServer({ orders });
    const pile = (waiting: number) => `${LIST}\r\n${ORDER_REQUEST.repeat(waiting)}`;
    const [within, beyond] = [openRaw(url), openRaw(url)];
    within.socket.write(pile(CLOSE_ABOVE - 1));
    beyond.socket.write(pile(CLOSE_ABOVE));
    expect(await beyond.closed).toBe('');
    releaseFirst();
    releaseOthers();
    while (within.received().split('HTTP/1.1 201').length <= CLOSE_ABOVE - 1) await sleep(5);
    const flood = openRaw(trading);
    flood.socket.write(ORDER_REQUEST.repeat(CLOSE_ABOVE + 1));
    await flood.closed;
    expect(orders.placed.length).toBeLessThanOrEqual(1);
    expect(parseAnswers(await sendAlone(trading)).map(({ status }) => status)).toStrictEqual([201]);
  });
});
