import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { agentOf, HOST, NGINX, startNginx } from '../../tools/support/nginx.ts';
import { describeWith, FULL_EXTENT } from '../support/jest.ts';
import { type Send, send } from '../support/service/http-client.ts';
import { sharedPaperService } from '../support/service/paper-service.ts';

const SHARED = 'public, max-age=0, s-maxage=1';

const list = z.object({
  items: z.array(z.object({ outcomes: z.tuple([z.object({ token_id: z.string() })], z.unknown()) })),
});

/** Clients, each with a kept connection from an address of its own, and for how long they read. */
const [CLIENTS, SECONDS] = FULL_EXTENT ? [1_000, 20] : [200, 3];
const BOOKS = 20;

describeWith({ program: 'nginx', isThere: existsSync(NGINX), package: 'nginx-light' }, 'the site of nginx', () => {
  const service = sharedPaperService({ SERVICE_ALLOWED_HOSTS: HOST, SERVICE_LOG_LEVEL: 'info' });
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let books: readonly string[] = [];
  beforeAll(async () => {
    nginx = await startNginx(service().url);
    const { text } = await ask({ path: `/v1/markets?limit=${BOOKS}` });
    books = list.parse(JSON.parse(text)).items.map(({ outcomes }) => `/v1/book/${outcomes[0].token_id}`);
  });
  afterAll(() => nginx.stop());

  const ask = (request: Send) => send(nginx.url, { ...request, headers: { host: HOST, ...request.headers } });
  const readsAtVenue = () =>
    service()
      .venue.requests()
      .filter(({ path }) => path === '/book').length;
  /** The requests that the service has answered: method, route and status. */
  const answered = () => {
    const lines = service().lines.filter(({ message }) => message === 'request');
    return lines.map(({ method, route, status }) => `${method} ${route} ${status}`);
  };

  it(`has ${BOOKS} books read once a second, whoever watches them, and hands out none older than two seconds`, async () => {
    const before = readsAtVenue();
    const end = performance.now() + SECONDS * 1_000;
    const statuses: number[] = [];
    let oldest = 0;
    const watch = async (client: number) => {
      const agent = agentOf(client);
      await sleep((1_000 * client) / CLIENTS);
      for (let etag: string | undefined; performance.now() < end; ) {
        const startedAt = performance.now();
        const headers = { 'x-request-id': String(Date.now()), ...(etag && { 'if-none-match': etag }) };
        const answer = await ask({ path: books[client % BOOKS] ?? '', headers, agent });
        statuses.push(answer.status);
        ({ etag } = answer.headers);
        // An answer has the id, here the time, of the request by which it was read.
        oldest = Math.max(oldest, Date.now() - Number(answer.headers['x-request-id']));
        await sleep(Math.max(1_000 - (performance.now() - startedAt), 0));
      }
      agent.destroy();
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => watch(client)));
    expect(new Set(statuses)).toStrictEqual(new Set([200, 304]));
    expect(statuses.length).toBeGreaterThan((CLIENTS * SECONDS) / 2);
    expect((readsAtVenue() - before) / (SECONDS + 1)).toBeLessThanOrEqual(25);
    expect(oldest).toBeLessThanOrEqual(2_000);
  });

  it('asks once for all who wait', async () => {
    service().venue.arm({ fault: 'delay', ms: 400, path: '/book' });
    const before = answered().length;
    const agents = Array.from({ length: 50 }, (_, client) => agentOf(client));
    const answers = await Promise.all(agents.map((agent) => ask({ path: books[0] ?? '', agent })));
    for (const agent of agents) agent.destroy();
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    // Two, where a second ends between the requests.
    expect(answered().length - before).toBeLessThanOrEqual(2);
  });

  it('answers any page, HEAD and a current ETag from what it holds, and no preflight', async () => {
    const [path = ''] = books;
    const { headers, text } = await ask({ path });
    expect(headers).toMatchObject({ 'cache-control': SHARED, 'access-control-allow-origin': '*' });
    expect(headers).not.toHaveProperty('vary');
    const others = { origin: 'https://other.example', 'if-none-match': `W/${headers.etag}` };
    const known = await ask({ path, headers: others });
    expect(known).toMatchObject({ status: 304, text: '', headers: { etag: headers.etag, 'cache-control': SHARED } });
    expect(known.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(await ask({ path, headers: { 'if-none-match': '"other"' } })).toMatchObject({ status: 200, text });
    expect(await ask({ path, method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { etag: headers.etag },
    });
    const preflight = { method: 'OPTIONS', path, headers: { ...others, 'access-control-request-method': 'GET' } };
    for (const names of ['baggage', 'traceparent']) {
      const asked = { ...preflight.headers, 'access-control-request-headers': names };
      const allowed = await ask({ ...preflight, headers: asked });
      expect(allowed.headers).toMatchObject({ 'access-control-allow-headers': names, 'cache-control': 'no-store' });
    }
    expect((await ask({ method: 'POST', path })).status).toBe(403);
  });

  it.each([
    ['a refusal of the venue', '/v1/markets?limit=17', { fault: 'rate-limit', times: 1 }, 429],
    ['a failure of the venue', '/v1/markets?limit=18', { fault: 'error-500', times: 2 }, 502],
  ] as const)('does not hold %s', async (_what, path, fault, status) => {
    service().venue.arm({ ...fault, path: '/markets/keyset' });
    expect(await ask({ path })).toMatchObject({ status, headers: { 'cache-control': 'no-store' } });
    expect((await ask({ path })).status).toBe(200);
  });

  it('holds no order and no health: each request reaches the service, with the password', async () => {
    const authorization = `Basic ${btoa('client:secret')}`;
    const before = answered().length;
    const health = { path: '/health', headers: { authorization } };
    for (const _ of [1, 2]) expect(await ask(health)).toMatchObject({ headers: { 'cache-control': 'no-store' } });
    const order = { token_id: books[2]?.split('/').at(-1), side: 'buy', price: '0.01', size: '5', post_only: true };
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'through nginx' };
    const placing = { method: 'POST', path: '/v1/orders', headers, body: JSON.stringify(order) };
    const { authorization: _password, ...bare } = headers;
    expect((await ask({ ...placing, headers: bare })).status).toBe(401);
    const placed = await ask(placing);
    expect(placed).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    const again = await ask(placing);
    expect(again).toMatchObject({ ...placed, headers: { 'idempotency-replayed': 'true' } });
    expect(await send(service().url, placing)).toMatchObject({ status: 201, text: placed.text });
    expect(service().venue.orders()).toMatchObject([{ id: JSON.parse(placed.text).order_id }]);
    const orders = Array(3).fill('POST orders 201');
    expect(answered().slice(before)).toStrictEqual(['GET health 200', 'GET health 200', ...orders]);
  });
});
