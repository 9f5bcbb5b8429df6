import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { MAX_WAITING } from '../../../local/http/connections.ts';
import { openRaw, parseAnswers } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
const ORDER_REQUEST = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${ORDER.length}\r\n\r\n${ORDER}`;
const LIST = 'GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n';

/** Market data whose lists come when the test says so. */
function slowLists() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const listMarkets = async () => {
    await promise;
    return { markets: [], hasMore: false };
  };
  return { marketData: fakeMarketData({ listMarkets }), release };
}

describe('pipelined requests', () => {
  it('are answered in their order', async () => {
    const { marketData, release } = slowLists();
    const { url } = await startTestServer({ marketData });
    const { socket, closed } = openRaw(url);
    const last = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    socket.write(`${ORDER_REQUEST}${LIST}\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n${last}`);
    setImmediate(release);
    expect(parseAnswers(await closed).map(({ status }) => status)).toStrictEqual([201, 200, 404, 200]);
  });

  it('do not begin behind a request that ends the connection', async () => {
    const orders = fakeOrders();
    const { url } = await startTestServer({ orders });
    const { socket, closed } = openRaw(url);
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n${ORDER_REQUEST}`);
    expect(parseAnswers(await closed)[0]?.status).toBe(200);
    expect(orders.placed).toStrictEqual([]);
  });

  it('do not begin behind one that asks for an upgrade, and a later one gets no response of another', async () => {
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

  it('are all answered where 100 wait', async () => {
    const { marketData, release } = slowLists();
    const { url } = await startTestServer({ marketData });
    const { socket, closed } = openRaw(url);
    const ids = Array.from({ length: MAX_WAITING }, (_, index) => `request-${index}`);
    const last = (id: string) => (id === ids.at(-1) ? 'Connection: close\r\n' : '');
    socket.write(ids.map((id) => `${LIST}X-Request-Id: ${id}\r\n${last(id)}\r\n`).join(''));
    setTimeout(release, 50);
    expect(parseAnswers(await closed).map(({ headers }) => headers['x-request-id'])).toStrictEqual(ids);
  });

  it('are closed with their connection where more than 100 wait, which the log says', async () => {
    const { marketData, release } = slowLists();
    const orders = fakeOrders();
    const { url, lines } = await startTestServer({ marketData, orders });
    const { socket, closed } = openRaw(url);
    socket.write(`${`${LIST}\r\n`.repeat(MAX_WAITING)}${ORDER_REQUEST}`);
    expect(await closed).toBe('');
    expect(lines).toMatchObject([{ level: 'warn', message: 'a connection was closed: too many requests wait on it' }]);
    expect(orders.placed).toStrictEqual([]);
    release();
  });
});
