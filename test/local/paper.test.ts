import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type ConsoleOptions, startConsoleSite } from '../../local/paper/console-site.ts';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import { runDesk } from '../../operator/desk/commands.ts';
import { createClient } from '../../packages/client/client.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { buildConsole } from '../support/page/builds.ts';
import { send } from '../support/service/http-client.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const run = promisify(execFile);
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts the service on paper; gives what it printed, and the addresses on it. */
async function start(settings: Environment = {}) {
  let screen = '';
  const print = (text: string) => {
    screen += text;
  };
  const quiet = { write: () => undefined };
  const service = await startOnPaper({ SERVICE_PORT: '0', ...settings }, print, quiet);
  stops.push(service.stop);
  const [, venueUrl = ''] = /^ {2}venue +(http:\S+) /m.exec(screen) ?? [];
  return { service, screen, venueUrl };
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

const healthy = z.object({ wallet_address: z.string() });

describe('the first screen on paper', () => {
  it('says where service and venue listen and what the wallet holds', async () => {
    const { service, screen, venueUrl } = await start();
    const { wallet_address } = healthy.parse(await get(`${service.url}/health`));
    expect(screen).toContain(`\n  service  ${service.url}\n`);
    expect(screen).toContain(`\n  wallet   ${wallet_address}, 1000 pUSD and shares\n`);
    expect(await get(venueUrl)).toMatchObject({ about: expect.stringContaining('paper venue'), still: false });
    // The screen is written without a request: the first one in the log is the reader's own.
    expect(await get(`${venueUrl}/paper/requests`)).toStrictEqual({ requests: [] });
  });

  it('has commands that work as they stand, in their order', async () => {
    const { screen, venueUrl } = await start();
    const names = screen.split('\n').filter((line) => /^[A-Z]=/.test(line));
    const commands = screen
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => line.startsWith('curl '))
      .map((line) => [...names, line].join('\n'));
    const answers: unknown[] = [];
    for (const command of commands) {
      const { stdout } = await run('sh', ['-euc', command.replace('curl', 'curl -sf')]);
      answers.push(JSON.parse(stdout));
    }
    const [markets, book, order, orders, faults] = answers.map(Object);
    expect(markets.items).toHaveLength(3);
    expect(markets.items[0].outcomes[0].token_id).toBe(book.token_id);
    expect(order).toMatchObject({ status: 'live', token_id: book.token_id });
    expect(orders.orders).toMatchObject([{ id: order.order_id, size_matched: '0' }]);
    expect(faults.armed).toMatchObject([{ fault: 'reset-after', times: 1 }]);
    const again = await run('sh', ['-euc', `${commands[2]?.replace('curl', 'curl -sf')}`]);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'live', filled_size: '0' });
    expect(await get(`${venueUrl}/paper/faults`)).toStrictEqual({ armed: [] });
  });
});

/** Finds a port that is free with the three after it. */
async function freePorts(): Promise<number> {
  const first = 20_000 + Math.floor(Math.random() * 10_000);
  const servers = [0, 1, 2, 3].map((step) => createServer().listen(first + step, '127.0.0.1'));
  try {
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return first;
  } catch {
    return await freePorts();
  } finally {
    for (const server of servers) server.close();
  }
}

describe('a session on paper', () => {
  it('has its venue and console on ports after its own, and a desk as long as it runs', async () => {
    const port = await freePorts();
    // Settings of a real account beside it: the session and its desk leave them alone.
    const settings = { SERVICE_PORT: String(port), SERVICE_KMS_KEY: 'alias/real', SERVICE_STORE: '/nowhere/orders.db' };
    const { service, screen, venueUrl } = await start(settings);
    expect(venueUrl).toBe(`http://127.0.0.1:${port + 1}`);
    expect(screen).toContain(`\n  console  http://127.0.0.1:${port + 3} `);
    expect(screen).toContain(`\n  desk     SERVICE_PORT=${port} npm run orders -- --paper open `);
    const client = createClient({ baseUrl: service.url });
    const { items } = await client.markets({ limit: 1 });
    const order = { token_id: items[0]?.outcomes[0]?.token_id ?? '', side: 'buy', price: '0.01', size: '5' } as const;
    const { order_id } = await client.placeOrder(order, { clientAddress: 'alice' });
    const said = async (...args: string[]) => {
      const texts = { out: '', err: '' };
      const into = (name: keyof typeof texts) => (text: string) => {
        texts[name] += text;
      };
      const code = await runDesk(settings, { args, out: into('out'), err: into('err'), ask: undefined });
      return { code, ...texts };
    };
    const { code, out } = await said('--paper', 'open', '--format', 'json');
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ order_id, client_address: 'alice' }]]);
    expect((await said('cancel', order_id, '--paper', '--yes')).code).toBe(0);
    await service.stop();
    expect(await said('--paper', 'open')).toStrictEqual({
      ...{ code: 1, out: '' },
      err: `No session on paper runs on port ${port}: start npm run paper, or set SERVICE_PORT to its port.\n`,
    });
  });
});

describe('the desk on paper', () => {
  it('tells what becomes of an order of the running session', async () => {
    const port = await freePorts();
    const { service } = await start({ SERVICE_PORT: String(port) });
    const client = createClient({ baseUrl: service.url });
    const { items } = await client.markets({ limit: 1 });
    const told: unknown[] = [];
    const stop = new AbortController();
    const deliver = async (line: string) => {
      told.push(JSON.parse(line));
      if (told.length === 2) stop.abort();
    };
    const quiet = { out: () => undefined, err: () => undefined };
    const terminal = { args: ['follow', '--paper', '--interval', '1'], ...quiet, deliver, stop: stop.signal };
    const following = runDesk({ SERVICE_PORT: String(port) }, terminal);
    const [best] = items;
    const order = {
      token_id: best?.outcomes[0]?.token_id ?? '',
      side: 'buy',
      price: best?.best_ask ?? '',
      size: '10',
    } as const;
    await client.placeOrder(order, { clientAddress: 'alice' });
    expect(await following).toBe(0);
    expect(told).toMatchObject([
      { type: 'order.filled', data: { client_address: 'alice', filled_size: '10', remaining_size: '0' } },
      { type: 'order.settled', data: { status: 'confirmed' } },
    ]);
  });
});

describe('the console on paper', () => {
  it('may place orders from both of its names, beside the pages that the operator lists', async () => {
    const listed = 'https://app.example';
    const { service, screen } = await start({ SERVICE_CORS_ORIGINS: listed });
    const [, consoleUrl = ''] = /^ {2}console +(http:\S+) /m.exec(screen) ?? [];
    const allowed = [consoleUrl, consoleUrl.replace('127.0.0.1', 'localhost'), listed];
    for (const origin of [...allowed, 'https://other.example']) {
      const { headers } = await fetch(`${service.url}/health`, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(allowed.includes(origin) ? origin : null);
    }
    expect(await get(`${consoleUrl}/console.json`)).toMatchObject({ service_url: service.url });
  });
});

/** The most that a browser loads. */
const MAX_BYTES = 60 * 1024;

const WALLET = `0x${'ab'.repeat(20)}`;

const sites: Awaited<ReturnType<typeof startConsoleSite>>[] = [];

afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.close()));
});

async function open(options: Partial<ConsoleOptions> = {}) {
  const { url, venueUrl, venue } = await startPaperService();
  const service = { url, walletAddress: WALLET };
  const site = await startConsoleSite({ venueUrl, service: () => service, port: 0, ...options });
  sites.push(site);
  const { host } = new URL(site.url);
  const get = (path: string, headers: Record<string, string> = {}) =>
    send(site.url, { path, headers: { host, ...headers } });
  return { site, venue, venueUrl, serviceUrl: url, get };
}

describe('the files of the console', () => {
  it('are those that `npm run build:console` builds, and at most 60 KB together', async () => {
    const { get } = await open();
    const built = await buildConsole();
    expect(Object.keys(built).sort()).toStrictEqual(['/app.js', '/index.html', '/style.css']);
    const served = {
      '/app.js': (await get('/app.js')).text,
      '/index.html': (await get('/')).text,
      '/style.css': (await get('/style.css')).text,
    };
    expect(served).toStrictEqual(built);
    const sizes = Object.values(built).map((text) => Buffer.byteLength(text));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('come with a policy for themselves and the service only', async () => {
    const { get, serviceUrl } = await open();
    const { status, headers } = await get('/');
    expect([status, headers['content-type']]).toStrictEqual([200, 'text/html; charset=utf-8']);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(String(headers['content-security-policy']).split('; ')).toStrictEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src 'self' ${serviceUrl}`,
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
  });

  it('name their service and its wallet', async () => {
    const { get, serviceUrl } = await open();
    const facts = JSON.parse((await get('/console.json')).text);
    expect(facts).toStrictEqual({ service_url: serviceUrl, paper_wallet: WALLET });
  });
});

describe('the server of the console', () => {
  it('takes another port where its own is taken', async () => {
    const first = await open();
    const second = await open({ port: Number(new URL(first.site.url).port) });
    expect(second.site.url).not.toBe(first.site.url);
    expect((await second.get('/')).status).toBe(200);
  });

  it('answers only this machine', async () => {
    const { get } = await open();
    expect((await get('/', { host: 'evil.example' })).status).toBe(403);
    expect((await get('/', { host: 'localhost:1' })).status).toBe(200);
  });

  it('has nothing but its files, and takes only GET and HEAD', async () => {
    const { get, site } = await open();
    const { host } = new URL(site.url);
    for (const path of ['/app.ts', '/../package.json', '/paper/requests', '/%2e%2e/.env']) {
      expect((await get(path)).status).toBe(404);
    }
    const put = await send(site.url, { method: 'PUT', path: '/', headers: { host } });
    expect([put.status, put.headers['allow']]).toStrictEqual([405, 'GET, HEAD']);
    const reset = await send(site.url, { method: 'POST', path: '/paper/reset', headers: { host, origin: site.url } });
    expect(reset.status).toBe(405);
    const head = await send(site.url, { method: 'HEAD', path: '/', headers: { host } });
    expect([head.status, head.text]).toStrictEqual([200, '']);
  });

  it('hands faults of its own pages to the venue, and refuses those of others', async () => {
    const { site, venueUrl } = await open();
    const { host } = new URL(site.url);
    const body = '{"fault":"edge-503"}';
    const arm = (headers: Record<string, string>, text = body) =>
      send(site.url, { method: 'POST', path: '/paper/faults', headers: { host, ...headers }, body: text });
    const armed = async () => JSON.parse(await (await fetch(`${venueUrl}/paper/faults`)).text()).armed;
    expect((await arm({})).status).toBe(403);
    expect((await arm({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await arm({ origin: 'null' })).status).toBe(403);
    expect((await arm({ origin: site.url }, 'x'.repeat(5_000))).status).toBe(502);
    expect((await arm({ origin: site.url }, '{"fault":"none such"}')).status).toBe(400);
    expect(await armed()).toStrictEqual([]);
    for (const origin of site.origins) expect((await arm({ origin })).status).toBe(200);
    expect(await armed()).toHaveLength(2);
    const cleared = await send(site.url, {
      method: 'DELETE',
      path: '/paper/faults',
      headers: { host, origin: site.url },
    });
    expect([cleared.status, await armed()]).toStrictEqual([200, []]);
  });
});
