import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Page } from 'playwright-core';
import * as z from 'zod/mini';
import { startOnPaper } from '../../../local/paper/paper-mode.ts';
import type { Service } from '../../../local/service/service.ts';
import { bundleClient } from './builds.ts';
import { bookShown } from './console-page.ts';
import { closePage, openPage, startSite } from './page.ts';

const SIZES = { 1280: 900, 768: 1024, 390: 844 } as const;

const venueOrders = z.object({
  orders: z.array(z.object({ id: z.string(), status: z.string(), price: z.string(), original_size: z.string() })),
});

/** Has one service on paper with its console for all tests of a file, and another host of the console. */
export function sharedConsole(more: Readonly<Record<string, string>> = {}) {
  let service: Service;
  let [consoleUrl, venueUrl, walletAddress] = ['', '', ''];
  let site: Awaited<ReturnType<typeof startSite>>;
  const pages: Page[] = [];
  let earlier = 0;

  beforeAll(async () => {
    site = await startSite({ '/client.js': await bundleClient() });
    let screen = '';
    const print = (text: string) => {
      screen += text;
    };
    const settings = { SERVICE_PORT: '0', SERVICE_CORS_ORIGINS: site.origin, ...more };
    service = await startOnPaper(settings, print, { write: () => undefined });
    [, consoleUrl = ''] = /^ *console +(\S+)/m.exec(screen) ?? [];
    [, venueUrl = ''] = /\bV=(\S+)/.exec(screen) ?? [];
    [, walletAddress = ''] = /^ *wallet +(0x\w+)/m.exec(screen) ?? [];
    for (const path of ['/index.html', '/app.js', '/plot.js', '/style.css'])
      site.serve(path, await (await fetch(consoleUrl + path)).text());
  });
  afterAll(() => service.stop());
  afterEach(() => Promise.all(pages.splice(0).map(closePage)));

  async function allOrders() {
    return venueOrders.parse(await (await fetch(`${venueUrl}/paper/orders`)).json()).orders;
  }

  /** Opens a page that is closed after the test; cancels orders and faults of the tests before. */
  async function openFresh(width: keyof typeof SIZES = 1280): Promise<Page> {
    const known = await allOrders();
    earlier = known.length;
    for (const { id } of known.filter(({ status }) => status === 'LIVE')) {
      await fetch(`${venueUrl}/paper/cancel`, { method: 'POST', body: JSON.stringify({ order_id: id }) });
    }
    await fetch(`${venueUrl}/paper/faults`, { method: 'DELETE' });
    const page = await openPage();
    pages.push(page);
    await page.setViewportSize({ width, height: SIZES[width] });
    return page;
  }

  return {
    /** Arms a fault at the venue, for each request until it is disarmed; disarms all without one. */
    arm: async (fault?: string) => {
      const body = fault === undefined ? null : JSON.stringify({ fault, times: 1_000_000 });
      await fetch(`${venueUrl}/paper/faults`, { method: body === null ? 'DELETE' : 'POST', body });
    },
    /** Lists the orders of this test. */
    orders: async () => (await allOrders()).slice(earlier),
    openFresh,
    /** Opens the console on a fresh venue, in a page that a script has prepared, and waits for the first book. */
    openConsole: async ({ width, prepared = '' }: { width?: keyof typeof SIZES; prepared?: string } = {}) => {
      const page = await openFresh(width);
      const faults: string[] = [];
      page.on('pageerror', ({ message }) => faults.push(message));
      await page.addInitScript(prepared);
      await page.goto(consoleUrl);
      await bookShown(page);
      await page.getByText(/\d resting/).waitFor();
      return { page, faults };
    },
    /** Opens the console that any web server can serve, on a service by its address. */
    openElsewhere: async (origin: string, url?: string): Promise<Page> => {
      const page = await openFresh();
      await page.goto(`${origin}/index.html${url === undefined ? '' : `?service=${encodeURIComponent(url)}`}`);
      return page;
    },
    consoleUrl: () => consoleUrl,
    serviceUrl: () => service.url,
    walletAddress: () => walletAddress,
    /** The other host; the service lists its first origin, and not the other one. */
    site: () => site,
  };
}
