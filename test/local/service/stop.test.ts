import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openRaw, parseAnswers, send } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { fakeOrders, PLACEMENT, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const ORDER = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 });
const ORDER_REQUEST = `POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${ORDER.length}\r\n\r\n${ORDER}`;

/** Starts a server with an order in flight, which is placed when the test says so. */
async function startWithOrder(limits = {}) {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const orders = fakeOrders(async () => {
    asked.resolve();
    await released.promise;
    return PLACEMENT;
  });
  const server = await startTestServer({ orders, limits });
  const connection = openRaw(server.url);
  connection.socket.write(ORDER_REQUEST);
  await asked.promise;
  return { ...server, ...connection, release: released.resolve };
}

describe('a stop', () => {
  it('lets an order in flight finish, and says that the connection ends', async () => {
    const { url, close, closed, release } = await startWithOrder();
    const stopped = close();
    await expect(send(url, { path: '/health', headers: { host: 'localhost' } })).rejects.toThrow('ECONNREFUSED');
    release();
    const [answer] = parseAnswers(await closed);
    expect([answer?.status, answer?.headers['connection']]).toStrictEqual([201, 'close']);
    await stopped;
  });

  it('waits for an order whose client is gone', async () => {
    const { url, close, lines, socket, closed, release } = await startWithOrder();
    socket.resetAndDestroy();
    await closed;
    let stopped = false;
    const stopping = close().then(() => {
      stopped = true;
    });
    // A connection is refused once the server has stopped accepting, and by then it has met the end of the first.
    await expect(send(url, { path: '/health', headers: { host: 'localhost' } })).rejects.toThrow('ECONNREFUSED');
    for (let turns = 0; turns < 100; turns += 1) await setImmediate();
    expect(stopped).toBe(false);
    release();
    await stopping;
    expect(lines).toMatchObject([{ route: 'orders', status: 201, order_id: PLACEMENT.orderId }]);
  });

  it('closes idle connections at once, also those that never sent a byte', async () => {
    const { url, close } = await startTestServer();
    const [silent, idle] = [openRaw(url), openRaw(url)];
    idle.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await Promise.all([once(silent.socket, 'connect'), once(idle.socket, 'data')]);
    await close();
    expect(await silent.closed).toBe('');
    expect(await idle.closed).toContain('200 OK');
    // Within less than the time that a stop waits for requests in flight.
  }, 20_000);

  it('refuses an order whose body is incomplete, and places nothing', async () => {
    const orders = fakeOrders();
    const { url, close } = await startTestServer({ orders });
    const { socket, closed } = openRaw(url);
    socket.write(ORDER_REQUEST.replace(`\r\n\r\n${ORDER}`, '\r\nExpect: 100-continue\r\n\r\n'));
    // The head has arrived: the server has asked for the body.
    await once(socket, 'data');
    socket.write(ORDER.slice(0, -1));
    await close();
    expect(await closed).toContain('HTTP/1.1 408 ');
    expect(orders.placed).toStrictEqual([]);
  });

  it('ends after its time limit', async () => {
    const { close, closed, release } = await startWithOrder({ stopMs: 50 });
    const stopped = close();
    expect(await closed).toBe('');
    release();
    await stopped;
    // A stop ends after its time, and a connection on which nothing moves after a minute: both tests must be faster.
  });
});
