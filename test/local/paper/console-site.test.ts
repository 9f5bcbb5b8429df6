import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ConsoleOptions, startConsoleSite } from '../../../local/paper/console-site.ts';
import { buildConsole } from '../../support/page/console-files.ts';
import { send } from '../../support/service/http-client.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

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
  const site = await startConsoleSite({ venueUrl, service: () => service, ...options });
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

  it('may reach a service on IPv6, whose address a policy cannot name', async () => {
    const { get } = await open({ service: () => ({ url: 'http://[::1]:8080', walletAddress: WALLET }) });
    const { headers } = await get('/');
    expect(headers['content-security-policy']).toContain("; connect-src 'self' http://*:8080; ");
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

  it('hold no inline script or style', async () => {
    const { '/index.html': page = '' } = await buildConsole();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/i);
  });

  it('name their service and its wallet', async () => {
    const { get, serviceUrl } = await open();
    const facts = JSON.parse((await get('/console.json')).text);
    expect(facts).toStrictEqual({ service_url: serviceUrl, paper_wallet: WALLET });
  });
});

describe('the server of the console', () => {
  it('takes another port where its own is taken or is for the service', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.once('error', () => resolve()).listen(8083, '127.0.0.1', resolve));
    const [first, second] = [await open(), await open({ reservedPort: '8083' })];
    expect(new Set([first.site.url, second.site.url, 'http://127.0.0.1:8083']).size).toBe(3);
    await new Promise((resolve) => blocker.close(resolve));
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
    expect((await arm({ origin: site.url }, 'x'.repeat(5_000))).status).toBe(413);
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

  it('says so while the service is not there yet, and where the venue is gone', async () => {
    expect((await (await open({ service: () => undefined })).get('/')).status).toBe(503);
    expect((await (await open({ venueUrl: 'http://127.0.0.1:9' })).get('/paper/orders')).status).toBe(502);
  });
});
