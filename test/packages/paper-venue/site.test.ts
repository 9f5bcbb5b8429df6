import { describe, expect, it } from '@jest/globals';
import { send } from '../../support/service/http-client.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

/** Requests that read or steer the exercise, or trade in it. */
const REQUESTS = [
  ['GET', '/paper/orders'],
  ['POST', '/paper/faults'],
  ['DELETE', '/paper/faults'],
  ['POST', '/order'],
  ['OPTIONS', '/order'],
] as const;

describe("the paper venue's own port", () => {
  it.each(REQUESTS)('refuses web pages: %s %s', async (method, path) => {
    const { url, venue } = await startPaper();
    const { host } = new URL(url);
    const page = { origin: 'http://localhost:3000' };
    const asked = [
      { host, ...page },
      { host: 'evil.example' },
      { host: `evil.example:${new URL(url).port}` },
      { host: '127.0.0.1.evil.example' },
      { host, origin: 'null' },
    ].map((headers) => send(url, { method, path, headers, body: method === 'POST' ? '{"fault":"hang"}' : '' }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toStrictEqual(asked.map(() => 403));
    expect(venue.requests()).toStrictEqual([]);
  });

  it.each(['127.0.0.1', 'localhost', 'LOCALHOST:8081', '[::1]:8081', '192.168.0.7'])(
    'is open to programs that name it %s',
    async (host) => {
      const { url } = await startPaper();
      expect((await send(url, { path: '/paper/orders', headers: { host } })).status).toBe(200);
      const body = '{"fault":"hang"}';
      expect((await send(url, { method: 'POST', path: '/paper/faults', headers: { host }, body })).status).toBe(200);
    },
  );

  it('shows market data to any page', async () => {
    const { url } = await startPaper();
    const headers = { host: 'evil.example', origin: 'https://evil.example' };
    expect((await send(url, { path: '/time', headers })).status).toBe(200);
  });
});
