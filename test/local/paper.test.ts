import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import { runDesk } from '../../operator/commands/commands.ts';
import { createClient } from '../../packages/client/client.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { collect } from '../support/operator/desk.ts';
import { buildConsole } from '../support/page/builds.ts';
import { send } from '../support/service/http-client.ts';

const run = promisify(execFile);
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts the service on paper; gives what it printed, its log included, and the addresses on it. */
async function start(settings: Environment = {}) {
  let screen = '';
  const print = (text: string) => {
    screen += text;
  };
  const service = await startOnPaper({ SERVICE_PORT: '0', ...settings }, print, { write: print });
  stops.push(service.stop);
  const [, venueUrl = ''] = /^ {2}venue +(http:\S+) /m.exec(screen) ?? [];
  const [, consoleUrl = ''] = /^ {2}console +(http:\S+) /m.exec(screen) ?? [];
  return { service, screen: () => screen, venueUrl, consoleUrl };
}

async function get(url: string) {
  return JSON.parse(await (await fetch(url)).text());
}

/** Settings of a real account. */
const OPERATORS = {
  SERVICE_PRIVATE_KEY: '11'.repeat(32),
  SERVICE_KMS_KEY: 'alias/operators',
  SERVICE_PRIVATE_KEY_SECRET: 'operators-secret',
  SERVICE_CREDENTIALS_SECRET: 'operators-credentials',
  SERVICE_WALLET_ADDRESS: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
  SERVICE_SIGNATURE_TYPE: 'safe',
  SERVICE_FUNDER_ADDRESS: `0x${'ab'.repeat(20)}`,
  SERVICE_CLOB_API_KEY: 'operators-key',
  SERVICE_CLOB_API_SECRET: 'b3BlcmF0b3Jz',
  SERVICE_CLOB_API_PASSPHRASE: 'operators-passphrase',
  SERVICE_STORE: '/nowhere/operators.db',
};

it("the first screen has commands that work as they stand, and none of the operator's settings", async () => {
  const { service, screen, venueUrl } = await start(OPERATORS);
  const { wallet_address, venue } = await get(`${service.url}/health`);
  expect([venue, wallet_address === '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A']).toStrictEqual(['paper', false]);
  expect(screen()).toMatch(/^Trading on paper: .*\n\n\{[^\n]*"message":"listening"/s);
  expect(screen()).toContain(`\n  wallet   ${wallet_address}, 1000 pUSD and shares\n`);
  // The screen is written without a request: the first one in the log is the reader's own.
  expect(await get(`${venueUrl}/paper/requests`)).toStrictEqual({ requests: [] });
  const lines = screen().replaceAll('\\\n', '').split('\n');
  const names = lines.filter((line) => /^[A-Z]=/.test(line));
  const commands = lines.filter((line) => line.startsWith('curl ')).map((line) => line.replace('curl', 'curl -sf'));
  const answers: unknown[] = [];
  // The last one arms a fault, which the order that is placed again survives.
  for (const command of [...commands, ...commands.slice(2, 3)])
    answers.push(JSON.parse((await run('sh', ['-euc', [...names, command].join('\n')])).stdout));
  const [markets, book, order, orders, faults, again] = answers.map(Object);
  expect(markets.items).toHaveLength(3);
  expect(markets.items[0].outcomes[0].token_id).toBe(book.token_id);
  expect(order).toMatchObject({ status: 'live', token_id: book.token_id, wallet_address });
  expect(orders.orders).toMatchObject([{ id: order.order_id, size_matched: '0' }]);
  expect(faults.armed).toMatchObject([{ fault: 'reset-after', times: 1 }]);
  expect(again).toMatchObject({ status: 'live', filled_size: '0' });
  expect(await get(`${venueUrl}/paper/faults`)).toStrictEqual({ armed: [] });
  // A store and an account that are new by design are nothing to warn of.
  expect(screen()).not.toMatch(/"level":"warn","message":"(?!market left out)|operators|b3BlcmF0b3Jz|abababab/);
});

it('the first screen of a service with signed orders says so, and its example is answered with the text to sign', async () => {
  const { screen } = await start({ SERVICE_CLIENT_VERIFICATION: 'required' });
  expect(screen()).toContain('# Clients sign their orders here: ');
  const script = screen().slice(screen().indexOf('\nS='), screen().indexOf('# as the venue has them'));
  const order = script.replace(/^curl (?!"\$S\/v1\/orders").*$/gm, '').replace('curl', 'curl -s');
  const { stdout } = await run('sh', ['-euc', order]);
  expect(JSON.parse(stdout)).toMatchObject({ code: 'client_signature_required', challenge: expect.any(String) });
});

/** Finds a port that is free with the one after it. */
async function freePorts(): Promise<number> {
  const first = 20_000 + Math.floor(Math.random() * 10_000);
  const servers = [0, 1].map((step) => createServer().listen(first + step, '127.0.0.1'));
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
  it('has venue and console on the port after its own, and a desk while it runs', async () => {
    const port = await freePorts();
    const settings = { ...OPERATORS, SERVICE_PORT: String(port) };
    const { service, screen, venueUrl, consoleUrl } = await start(settings);
    expect([venueUrl, consoleUrl]).toStrictEqual(Array(2).fill(`http://127.0.0.1:${port + 1}`));
    expect(screen()).toContain(`\n  desk     SERVICE_PORT=${port} npm run orders -- --paper open `);
    const client = createClient({ baseUrl: service.url });
    const { items } = await client.markets({ limit: 1 });
    const order = { token_id: items[0]?.outcomes[0]?.token_id ?? '', side: 'buy', price: '0.01', size: '5' } as const;
    const { order_id } = await client.placeOrder(order, { clientAddress: 'alice' });
    // The desk on paper reads no other setting of the real account: a wrong one does not stop it.
    const wrong = { ...settings, SERVICE_CLIENT_CHAIN_ID: '137' };
    const ended = (env: Environment, args: readonly string[]) =>
      collect((terminal) => runDesk(env, { ...terminal, args, ask: undefined }));
    const said = (...args: string[]) => ended(wrong, args);
    const { code, out } = await said('--paper', 'open', '--format', 'json');
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ order_id, client_address: 'alice' }]]);
    expect((await said('cancel', order_id, '--paper', '--yes')).code).toBe(0);
    const err = `No key is set. A session on paper runs on port ${port}: add --paper for its orders.\n`;
    const keyless = { SERVICE_PORT: String(port) };
    expect(await ended(keyless, ['open', '--settings', devNull])).toStrictEqual({ code: 1, out: '', err });
    await service.stop();
    expect((await ended(keyless, ['open', '--settings', devNull])).err).toMatch(/^SERVICE_PRIVATE_KEY or /);
    expect(await said('--paper', 'open')).toStrictEqual({
      ...{ code: 1, out: '' },
      err: `No session on paper runs on port ${port}: start npm run paper, or set SERVICE_PORT to its port.\n`,
    });
  });
});

/** The most that a browser loads of the page, and of the library that draws its pictures. */
const [MAX_BYTES, LIBRARY_BYTES] = [71 * 1024, 53 * 1024];

/** Starts the service on paper; `ask` sends a request to its console. */
async function openConsole(settings: Environment = {}) {
  const started = await start(settings);
  const { host, origin } = new URL(started.consoleUrl);
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', body = '') =>
    send(origin, { method, path, headers: { host, ...headers }, body });
  return { ...started, serviceUrl: started.service.url, origin, ask };
}

describe('the console on paper', () => {
  it('has the files that `npm run build:console` builds, of a limited size, with a policy for themselves', async () => {
    const { ask, serviceUrl } = await openConsole();
    const built = await buildConsole();
    expect(Object.keys(built).sort()).toStrictEqual(['/app.js', '/index.html', '/plot.js', '/style.css']);
    const { status, headers, text } = await ask('/', { accept: 'text/html,*/*' });
    const paths = ['/app.js', '/plot.js', '/style.css'];
    const served = await Promise.all(paths.map(async (path) => [path, (await ask(path)).text] as const));
    expect({ ...Object.fromEntries(served), '/index.html': text }).toStrictEqual(built);
    const sizes = Object.values(built).map((file) => Buffer.byteLength(file));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_BYTES + LIBRARY_BYTES);
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

  it('may place orders from both of its host names, beside the pages that the operator lists', async () => {
    const listed = 'https://app.example';
    const { ask, serviceUrl, origin } = await openConsole({ SERVICE_CORS_ORIGINS: listed });
    const allowed = [origin, origin.replace('127.0.0.1', 'localhost'), listed];
    for (const page of [...allowed, 'https://other.example']) {
      const { headers } = await fetch(`${serviceUrl}/health`, { headers: { origin: page } });
      expect(headers.get('access-control-allow-origin')).toBe(allowed.includes(page) ? page : null);
    }
    const { wallet_address: paper_wallet } = await get(`${serviceUrl}/health`);
    const facts = JSON.parse((await ask('/console.json')).text);
    expect(facts).toStrictEqual({ service_url: serviceUrl, paper_wallet });
  });

  it('takes another port where its own is taken', async () => {
    const port = await freePorts();
    const taken = createServer().listen(port + 1, '127.0.0.1');
    await once(taken, 'listening');
    const { origin, ask } = await openConsole({ SERVICE_PORT: String(port) });
    expect([origin === `http://127.0.0.1:${port + 1}`, (await ask('/index.html')).status]).toStrictEqual([false, 200]);
    taken.close();
  });

  it('answers only this machine, and lets only its own pages change the venue', async () => {
    const { ask, origin, venueUrl } = await openConsole();
    const fault = '{"fault":"edge-503"}';
    const page = '/index.html';
    const rows: readonly (readonly [status: number, ...asked: Parameters<typeof ask>])[] = [
      [403, page, { host: 'evil.example' }],
      [403, page, { origin: 'http://evil.example' }],
      [200, page, { host: 'localhost:1' }],
      [200, page, {}, 'HEAD'],
      ...['/app.ts', '/../package.json', '/%2e%2e/.env'].map((path) => [404, path] as const),
      [404, page, {}, 'PUT'],
      [403, '/paper/faults', { origin: 'http://evil.example' }, 'POST', fault],
      [403, '/paper/faults', { origin: 'null' }, 'POST', fault],
      [403, '/paper/faults', { origin, host: 'localhost:1' }, 'POST', fault],
      // A page of another server on this machine reads the market data of the venue alone.
      ...['GET /paper/orders', 'DELETE /paper/faults', 'POST /order', 'OPTIONS /order'].map((asked) => {
        const [method, path = ''] = asked.split(' ');
        return [403, path, { origin: 'http://localhost:3000' }, method] as const;
      }),
      [200, '/time', { origin: 'http://evil.example', host: 'evil.example' }],
      [403, '/paper/faults', { origin: 'http://evil.example', host: 'evil.example' }, 'POST', fault],
      [400, '/paper/faults', { origin }, 'POST', '{"fault":"none such"}'],
    ];
    for (const [status, ...asked] of rows)
      expect([(await ask(...asked)).status, ...asked]).toStrictEqual([status, ...asked]);
    const armed = async () => (await get(`${venueUrl}/paper/faults`)).armed.length;
    expect(await armed()).toBe(0);
    for (const own of [origin, origin.replace('127.0.0.1', 'localhost')]) {
      const headers = { origin: own, host: new URL(own).host };
      expect((await ask('/paper/faults', headers, 'POST', fault)).status).toBe(200);
    }
    expect(await armed()).toBe(2);
    expect([(await ask('/paper/faults', { origin }, 'DELETE')).status, await armed()]).toStrictEqual([200, 0]);
  });
});
