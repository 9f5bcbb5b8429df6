import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import * as z from 'zod/mini';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import type { Service } from '../../local/service/service.ts';
import { FULL_EXTENT } from '../support/jest.ts';
import { buildConsole, bundleClient } from '../support/page/builds.ts';
import {
  answered,
  arm,
  bookShown,
  fill,
  highestPrice,
  leaveUnsettled,
  openTicket,
  PLACES,
  place,
  pressUntil,
  violations,
  WATCH_SHIFTS,
  whatCoversButton,
} from '../support/page/console-page.ts';
import { describeInChromium, openPage, startSite } from '../support/page/page.ts';

const ROOT = join(import.meta.dirname, '../..');
const SIZES = { 1280: 900, 768: 1024, 390: 844 } as const;
const WIDTHS = [1280, 768, 390] as const;

let service: Service;
let consoleUrl = '';
let venueUrl = '';
/** Another host of pages; the service lists its first origin, and not the other one. */
let site: Awaited<ReturnType<typeof startSite>>;
const pages: Page[] = [];

beforeAll(async () => {
  site = await startSite({ ...(await buildConsole()), '/client.js': await bundleClient() });
  let screen = '';
  const print = (text: string) => {
    screen += text;
  };
  const settings = { SERVICE_PORT: '0', SERVICE_CORS_ORIGINS: site.origin };
  service = await startOnPaper(settings, print, { write: () => undefined });
  [, consoleUrl = ''] = /^ *console +(\S+)/m.exec(screen) ?? [];
  [, venueUrl = ''] = /\bV=(\S+)/.exec(screen) ?? [];
});
afterAll(() => service.stop());
afterEach(() => Promise.all(pages.splice(0).map((page) => page.context().close())));

const venueOrders = z.object({
  orders: z.array(z.object({ id: z.string(), status: z.string(), price: z.string(), original_size: z.string() })),
});

async function allOrders() {
  return venueOrders.parse(await (await fetch(`${venueUrl}/paper/orders`)).json()).orders;
}

let earlier = 0;

/** Lists the orders of this test. */
async function orders() {
  return (await allOrders()).slice(earlier);
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

/** Opens the console on a fresh venue, in a page that a script has prepared, and waits for the first book. */
async function openConsole({ width, prepared = '' }: { width?: keyof typeof SIZES; prepared?: string } = {}) {
  const page = await openFresh(width);
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.addInitScript(prepared);
  await page.goto(consoleUrl);
  await bookShown(page);
  await page.getByText(/orders? at the venue/).waitFor();
  return { page, faults };
}

/** Answers each health of a page as the service does, with other members. */
async function routeHealth(page: Page, members: object): Promise<void> {
  await page.route('**/health', async (route) => {
    const response = await route.fetch();
    const health = z.looseObject({}).parse(await response.json());
    await route.fulfill({ response, json: { ...health, ...members } });
  });
}

function fulfil(route: Route, status: number, body: object): Promise<void> {
  const headers = { 'access-control-allow-origin': '*', 'retry-after': '0' };
  const contentType = status === 200 ? 'application/json' : 'application/problem+json';
  return route.fulfill({ status, headers, contentType, json: status === 200 ? body : { title: 'x', status, ...body } });
}

describeInChromium('the console', () => {
  it('walks from the list to resting, filled, lost and cancelled orders, and keeps each of them', async () => {
    const { page, faults } = await openConsole();
    expect(await page.locator('#badge').textContent()).toBe('PAPER');
    const event = page.locator('.event', { hasText: 'Which bakery wins the Harbour Street rye prize?' });
    expect(await event.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: /^No .*Copper Lake ferry/ }).click();
    await page.getByRole('heading', { name: 'Will the Copper Lake ferry run on Founders Day? · No' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /Copper Lake ferry .* · No/ }).waitFor();
    await bookShown(page);
    expect(await page.title()).toMatch(/^0\.\d\d · Will the Copper Lake ferry/);

    expect(await place(page, { price: '0.01', postOnly: true })).toMatch(/It rests on the book.*Filled0.00 of 5.00/s);
    expect(await page.locator(':focus').getAttribute('id')).toBe('send');
    await page.getByText('The venue has 1 order under this id.').waitFor();
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).waitFor();
    expect(await place(page, { price: await highestPrice(page) })).toMatch(/It was executed.*Filled5.00 of 5.00/s);

    await arm(page, 'lost-answer');
    expect(await place(page, { price: '0.02' }, 'unsettled')).toContain('buy 5.00 No at 0.02 may be live');
    expect(await page.locator('#send').isDisabled()).toBe(true);
    await page.locator('#answer').getByRole('button', { name: 'Repeat with the same key' }).click();
    await answered(page, 'placed');
    await page.getByText('The venue has 1 order under this id.').waitFor();
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['LIVE', 'MATCHED', 'LIVE']);

    const row = page.locator('#own-orders li', { hasText: 'buy 5.00 No at 0.01' });
    await row.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByRole('button', { name: 'No', exact: true }).last().click();
    expect(await orders()).toMatchObject([{ status: 'LIVE' }, {}, {}]);
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled: buy 5.00 No at 0.01.').waitFor();
    await row.getByText(/^cancelled/).waitFor();
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED', 'MATCHED', 'LIVE']);
    await page.route('**/paper/cancel', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.02' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page
      .getByText('Not cancelled: buy 5.00 No at 0.02 (filled meanwhile, or the venue is unreachable).')
      .waitFor();
    expect(faults).toStrictEqual([]);
  });

  it('keeps an order that is not settled through a reload, another tab and its dismissal, and asks at closing', async () => {
    const { page } = await openConsole();
    expect(await leaveUnsettled(page, '0.01')).toContain('Not settled: buy 5.00 Yes at 0.01 may be live');
    const asked = new Promise((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      });
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
    expect(await answered(page, 'unsettled')).toContain('No answer to it has come yet.');
    const tab = await page.context().newPage();
    await tab.goto(consoleUrl);
    await bookShown(tab);
    await tab.getByRole('button', { name: 'Leave it unsettled' }).click();
    // The ticket of the other tab is free again too.
    await page.getByRole('button', { name: /^Bid for 5 Yes/ }).waitFor();
    const kept = tab.locator('#own-orders li').first();
    expect(await kept.textContent()).toContain('not settled');
    await kept.locator('summary').click();
    expect(await kept.locator('pre').textContent()).toMatch(
      /^curl 'http.*\/v1\/orders'.*Idempotency-Key: [\da-f]{32}/s,
    );
    expect(await tab.locator('#send').isDisabled()).toBe(false);
    await kept.getByRole('button', { name: /^Repeat with the same key/ }).click();
    await answered(tab, 'placed');
    await tab.getByText('The venue has 1 order under this id.').waitFor();
    await page.locator('#own-orders li').first().getByText(/^live/).waitFor();
    expect(await orders()).toHaveLength(1);
    await tab.close();
  });

  it('does not repeat an order that is so old that the service may have forgotten its key', async () => {
    const { page } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
    await page.locator('#answer').getByRole('button', { name: 'Repeat with the same key' }).click();
    await page.getByText('It is too old to be repeated').waitFor();
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('It is too old to be repeated');
    expect(await page.getByRole('button', { name: 'Repeat with the same key' }).count()).toBe(0);
    await page.getByText('not settled, too old to be repeated').waitFor();
    expect(await orders()).toHaveLength(1);
  });

  it('shows books and takes no orders where the browser forbids storage', async () => {
    const forbidden = "get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); }";
    const prepared = `Object.defineProperty(window, 'localStorage', { ${forbidden} });`;
    const { page, faults } = await openConsole({ prepared });
    const why = page.getByRole('button', { name: 'To place orders, allow this page to store data' });
    expect(await why.isDisabled()).toBe(true);
    expect(faults).toStrictEqual([]);
  });

  it('never covers or moves the order button, from 320 to 1920 px', async () => {
    const { page } = await openConsole({ prepared: WATCH_SHIFTS });
    const button = () => page.evaluate("document.querySelector('#send').offsetTop");
    for (const width of [320, 360, 390, 414, 600, 768, 1024, 1280, 1366, 1440, 1920]) {
      await page.setViewportSize({ width, height: width < 768 ? 844 : 768 });
      await fill(page, { price: '0.01' });
      const before = await button();
      await page.locator('#send').click();
      await answered(page, 'placed');
      expect([width, await whatCoversButton(page), await button()]).toStrictEqual([width, ['send'], before]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.evaluate("document.querySelector('#answer').className = ''");
    }
    await leaveUnsettled(page, '0.01');
    for (const width of [320, 390, 768, 1024, 1280, 1366]) {
      await page.setViewportSize({ width, height: width < 768 ? 844 : 768 });
      await openTicket(page);
      expect([width, await whatCoversButton(page)]).toStrictEqual([width, ['send']]);
    }
  });

  it('warns before money is lost, and reads decimals as people type them', async () => {
    const { page } = await openConsole();
    const note = () => page.locator('#cost-note').textContent();
    const send = page.locator('#send');
    await fill(page, { price: ',4', size: '5,5' });
    expect(await send.textContent()).toBe('Bid for 5.50 Yes at 0.40');
    await page.getByLabel('Price', { exact: true }).press('ArrowUp');
    expect(await send.textContent()).toBe('Bid for 5.50 Yes at 0.41');
    await page.locator('.sides .sell').click();
    expect(await send.textContent()).toMatch(/^Offer 5.50 Yes at 0/);
    await page.locator('.sides .buy').click();
    await fill(page, { price: '0.99', size: '25' });
    expect(await send.textContent()).toBe('Buy 25 Yes now at most 0.99');
    expect(await note()).toMatch(/^\d\d ticks past the best ask of 0\.\d\d: up to 0.99\.$/);
    expect(await send.isDisabled()).toBe(true);
    await page.locator('#consent').check();
    expect(await send.isDisabled()).toBe(false);
    await page.getByRole('button', { name: '500 shares' }).click();
    expect(await page.locator('#consent').isChecked()).toBe(false);
    await fill(page, { price: '0.30', size: '5000' });
    expect(await note()).toMatch(/^[\d,.]+ pUSD short\./);
    await fill(page, { price: '0.99', postOnly: true });
    expect(await note()).toMatch(/^Would be refused: 5 of 5 shares would match/);
    expect(await place(page, { price: '0.99', postOnly: true }, 'refused')).toContain('Bid less');
    await fill(page, { price: '0.01' });
    await page.getByRole('button', { name: /^Max/ }).click();
    const size = await page.getByLabel('Size', { exact: true }).inputValue();
    expect(await place(page, { price: '0.01', size })).toContain('Placed');
    await page.locator('#outcomes').getByRole('button', { name: 'No' }).click();
    await page.getByRole('button', { name: /^Bid for 5 No at/ }).waitFor();
  });

  it('is a phone page at 390 px: sheets for the markets and the ticket, and a bar of the best prices', async () => {
    const { page } = await openConsole({ width: 390 });
    await page.getByRole('button', { name: 'Markets' }).click();
    await page.getByLabel('Search').fill('lighthouse');
    await page.getByRole('button', { name: /^Yes .*lighthouse/ }).click();
    await page.getByRole('heading', { name: /lighthouse/ }).waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('book-title');
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByRole('button', { name: /^Sell 0\.\d/ }).click();
    await page.getByRole('button', { name: /^Sell 5 Yes now at 0\.\d/ }).waitFor();
    const small = `[...document.querySelectorAll('button, input:not([type=radio], [type=checkbox]), select')]
      .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < 42).map((part) => part.outerHTML)`;
    expect(await page.evaluate(small)).toStrictEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.locator('#send').isVisible()).toBe(false);
  });

  it('is used with the keyboard only', async () => {
    const { page } = await openConsole();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the order');
    await page.keyboard.press('Enter');
    await pressUntil(page, 'Tab', '[name="side"]');
    for (const key of ['ArrowDown', 'Tab', 'Tab']) await page.keyboard.press(key);
    expect(await page.locator(':focus').getAttribute('id')).toBe('price');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('0.99');
    await page.keyboard.press('Enter');
    expect(await answered(page, 'placed')).toContain('Placed: sell 5.00 Yes at 0.99');
    const level = page.getByRole('button', { name: 'Cancel 5.00 shares at 0.99' });
    await level.waitFor();
    await pressUntil(page, 'Shift+Tab', '[data-key="cancel 0.99"]');
    await page.keyboard.press('Enter');
    await pressUntil(page, 'Tab', '#question-yes');
    await page.keyboard.press('Enter');
    await level.waitFor({ state: 'detached' });
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED']);
  });

  it('places one order for a double click, and none at a service that has come to the address of its own', async () => {
    const { page } = await openConsole();
    await fill(page, { price: '0.01' });
    await page.locator('#send').dblclick();
    await page.getByText('The venue has 1 order under this id.').waitFor();
    await routeHealth(page, { wallet_address: `0x${'1'.repeat(40)}` });
    expect(await place(page, { price: '0.01' }, 'refused')).toContain('Another service has come to this address');
    expect(await orders()).toHaveLength(1);
  });

  it.each([
    ['READ ONLY', { mode: 'read-only' }, 'This service takes no orders', ''],
    [
      'PAPER',
      { client_verification: 'required' },
      'Orders here need a wallet',
      'Orders of this service are signed by a wallet; this page has none.',
    ],
  ] as const)('says %s of a service with %j, before anything is filled in', async (badge, members, button, why) => {
    const page = await openFresh();
    await routeHealth(page, { ...members, ...(badge === 'PAPER' ? {} : { wallet_address: null }) });
    await page.goto(consoleUrl);
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe(badge);
    expect(await page.getByRole('button', { name: button }).isDisabled()).toBe(true);
    expect(await page.locator('#service-error').textContent()).toBe(why);
    expect(await page.locator('#consent').isVisible()).toBe(false);
  });

  it('turns grey while the venue is down, says since when and why, and is itself again afterwards', async () => {
    const { page } = await openConsole();
    const places = () => page.evaluate(PLACES);
    await arm(page, 'none');
    const before = await places();
    await arm(page, 'venue-down');
    await page.getByText(/^Not up to date since \d\d:\d\d:\d\d: The venue is temporarily unavailable\.$/).waitFor();
    await page.getByText(/^The book is from \d\d:\d\d:\d\d: no answer since\.$/).waitFor();
    const filters = `['#ladder', '#quote', '#stakes', '#market-list'].map((selector) =>
      getComputedStyle(document.querySelector(selector)).filter)`;
    expect(await page.evaluate(filters)).toStrictEqual(Array(4).fill('grayscale(1)'));
    expect(await places()).toStrictEqual(before);
    await arm(page, 'none');
    await page.locator('#book-error:empty').waitFor({ state: 'attached' });
    expect(await page.evaluate(filters)).toStrictEqual(Array(4).fill('none'));
    await arm(page, 'venue-down');
    await page.locator('#book-error', { hasText: 'unavailable' }).waitFor();
    await page.reload();
    await bookShown(page);
  });

  it('renews the prices in the list each minute, and keeps every market in its place', async () => {
    const page = await openFresh();
    await page.clock.install();
    await page.route('**/v1/markets**', (route) => route.abort());
    await page.goto(consoleUrl);
    await page.clock.runFor(10_000);
    await page.locator('#market-error').getByText('The markets cannot be listed: No answer').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.clock.runFor(6_000);
    await page.locator('#market-count').getByText('29 markets').waitFor();
    await bookShown(page);
    const questions = () => page.locator('#market-list li p').allTextContents();
    const before = await questions();
    await page.route('**/v1/markets**', async (route) => {
      const { items, ...rest } = z
        .looseObject({ items: z.array(z.looseObject({})) })
        .parse(await (await route.fetch()).json());
      const priced = items.map((item) => ({ ...item, best_ask: '0.123' }));
      await fulfil(route, 200, { ...rest, items: priced.toReversed() });
    });
    await page.clock.fastForward(60_000);
    await page.getByRole('button', { name: /^Yes 0\.123: .*Copper Lake/ }).waitFor();
    expect(await questions()).toStrictEqual(before);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('finds a market by its words, shows a book with one side only, and says where nothing is', async () => {
    const { page, faults } = await openConsole();
    await page.route('**/paper/orders', (route) => route.fulfill({ json: { orders: [] } }));
    await page.getByText('No orders yet: place one to see it here.').waitFor();
    await page.getByLabel('Search').fill('sea moon');
    await page.getByText('1 market', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Yes .*moon festival/ }).click();
    await page.getByText('No asks on this book.').waitFor();
    expect(await page.locator('td.ask').count()).toBe(0);
    await page.getByLabel('Search').fill('nowhere');
    await page.getByText('No market has all of these words.').waitFor();
    expect(faults).toStrictEqual([]);
  });

  it("shows the venue's texts as text, whatever they are", async () => {
    const { page } = await openConsole();
    const hostile = '<img src=x onerror="document.body.id=1"><b>bold</b>';
    await page.route('**/v1/markets*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll('Copper Lake', JSON.stringify(hostile).slice(1, -1));
      await route.fulfill({ response, body: text });
    });
    await page.reload();
    await page.getByRole('heading', { name: `Will the ${hostile} ferry run on Founders Day? · Yes` }).waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.locator('body').getAttribute('id')).toBeNull();
  });

  it.each(FULL_EXTENT ? WIDTHS : WIDTHS.slice(-1))(
    'has no violation that axe finds at %d px, light or dark, and fits the screen',
    async (width) => {
      const { page } = await openConsole({ width });
      const found = async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await violations(page)).toStrictEqual([]);
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await found();
      await leaveUnsettled(page, '0.01');
      await found();
      await page.locator('#answer').getByRole('button', { name: 'Repeat with the same key' }).click();
      await answered(page, 'placed');
      await page.locator('#answer summary').click();
      await fill(page, { price: '0.015' });
      await found();
      await place(page, { price: await highestPrice(page), postOnly: true }, 'refused');
      await page.route('**/v1/book/**', (route) => route.abort());
      await page.locator('#console.stale').waitFor();
      await found();
      // The colours of the system hide every background: what is chosen still looks chosen.
      await page.emulateMedia({ forcedColors: 'active' });
      const back = (part: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${part}')).backgroundColor`);
      expect(await back('.sides .buy')).not.toBe(await back('.sides .sell'));
      expect(await back('#outcomes [aria-pressed="true"]')).not.toBe(await back('#outcomes [aria-pressed="false"]'));
    },
  );

  const PROBLEM = { request_id: 'r-1', code: 'venue_unavailable', detail: 'The venue does not answer.' };

  it.each([
    ['loading', 1280, 'Loading…', () => new Promise<void>(() => undefined)],
    [
      'refused by the venue',
      390,
      'The markets cannot be listed: The venue does not answer. (venue_unavailable)',
      (route: Route) => fulfil(route, 503, PROBLEM),
    ],
  ] as const)('does not move while it is %s at %d px', async (_state, width, says, answer) => {
    const page = await openFresh(width);
    await page.addInitScript(WATCH_SHIFTS);
    await page.route('**/v1/**', answer);
    await page.goto(consoleUrl);
    await page.locator('#markets').getByText(says).first().waitFor({ state: 'attached' });
    expect(await page.evaluate('shifts')).toBeLessThanOrEqual(0.05);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

describeInChromium('the console on another host', () => {
  /** Opens the console that any web server can serve, on a service by its address. */
  async function openElsewhere(origin: string, url?: string): Promise<Page> {
    const page = await openFresh();
    await page.goto(`${origin}/index.html${url === undefined ? '' : `?service=${encodeURIComponent(url)}`}`);
    return page;
  }

  it('trades where its origin is listed, with a consent to each order, and keeps the orders of each service', async () => {
    // Two addresses are two services to the page.
    const [url, other] = [service.url, service.url.replace('127.0.0.1', 'localhost')];
    const page = await openElsewhere(site.origin, url);
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe('REAL MONEY');
    expect(await page.locator('#fault').isVisible()).toBe(false);
    await fill(page, { price: '0.01' });
    expect(await page.locator('#send').isDisabled()).toBe(true);
    await leaveUnsettled(page, '0.01');
    expect(await page.locator('#consent').isChecked()).toBe(false);
    await page.goto(`${site.origin}/index.html?service=${encodeURIComponent(other)}`);
    await bookShown(page);
    await place(page, { price: '0.02' });
    expect(await page.locator('#own-orders li').textContent()).toContain('buy 5.00 Yes at 0.02live when placed');
    await page.goto(`${site.origin}/index.html?service=${encodeURIComponent(url)}`);
    expect(await answered(page, 'unsettled')).toContain('buy 5.00 Yes at 0.01 may be live');
    await page.locator('#answer').getByRole('button', { name: 'Repeat with the same key' }).click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(2);
  });

  it('reads where its origin is not listed, and says what orders need', async () => {
    const page = await openElsewhere(site.otherOrigin, service.url);
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe('NO ANSWER');
    expect(await page.locator('#service-error').textContent()).toContain('SERVICE_CORS_ORIGINS');
    expect(await page.locator('#send').isDisabled()).toBe(true);
  });

  it('asks for the address of the service where none is given', async () => {
    const page = await openElsewhere(site.origin);
    expect(await page.locator('#badge').textContent()).toBe('');
    await page.getByLabel('Address of the service').fill('localhost:8080');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText(/No orders: .* must begin with http:/).waitFor();
    await page.goBack();
    await page.getByLabel('Address of the service').fill(service.url);
    await page.getByRole('button', { name: 'Open' }).click();
    await bookShown(page);
  });
});

describeInChromium('the typed client in a page', () => {
  /** Opens a page of an origin; returns a function that runs an expression of `client` in it. */
  async function visit(origin: string) {
    const page = await openFresh();
    await page.goto(origin);
    return (expression: string) =>
      page.evaluate(`(async () => {
        const { createClient } = await import('/client.js');
        const client = createClient({ baseUrl: ${JSON.stringify(service.url)} });
        const tokenOf = async () => (await client.markets({ limit: 1 })).items[0].outcomes[0].token_id;
        const order = async () => ({ token_id: await tokenOf(), side: 'buy', price: '0.01', size: 5, post_only: true });
        return (${expression}).catch((error) => ({ ...error }));
      })()`);
  }

  it('reads markets, but neither health nor places orders where its origin is not listed', async () => {
    const run = await visit(site.otherOrigin);
    expect(await run('client.markets({ limit: 1 })')).toMatchObject({ items: [{}] });
    const detail =
      `No answer from ${service.url}. Is the service running? ` +
      `For orders and health, is ${site.otherOrigin} in its SERVICE_CORS_ORIGINS?`;
    expect(await run('client.health()')).toMatchObject({ code: 'network_error', detail });
    expect(await run('client.placeOrder(await order())')).toMatchObject({ code: 'network_error', detail });
    // What a page can send without a preflight does not pass either.
    const init = "{ method: 'POST', mode: 'no-cors', body: JSON.stringify(await order()) }";
    expect(await run(`fetch('${service.url}/v1/orders', ${init}).then(({ type }) => type)`)).toBe('opaque');
    expect(await orders()).toStrictEqual([]);
  });

  it('places one order on a double click in the example of the documents', async () => {
    const text = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
    const [, example = ''] = /\n## A browser\n.*?```html\n(.*?)```/s.exec(text) ?? [];
    site.serve('/example.html', example.replaceAll('http://127.0.0.1:8080', service.url));
    const page = await openFresh();
    await page.goto(`${site.origin}/example.html`);
    await page.dblclick('button:has-text("Buy 5 at 0.01")');
    await page.waitForSelector('output:has-text("live")');
    expect(await orders()).toMatchObject([{ price: '0.01', original_size: '5' }]);
  });
});

const HAS_RENDERER = existsSync(join(ROOT, 'tools/openapi/render/node_modules'));
if (!HAS_RENDERER) process.stderr.write('SKIPPED: the rendered document: `npm run docs` installs its renderer.\n');

describeInChromium('the rendered document', () => {
  (HAS_RENDERER ? it : it.skip)('shows every operation, without a network and without a complaint', async () => {
    await promisify(execFile)(process.execPath, ['tools/openapi/render/main.ts'], { cwd: ROOT });
    const page = await openFresh();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => requests.push(new URL(request.url()).protocol));
    await page.goto(pathToFileURL(join(ROOT, 'docs/api.html')).href);
    await page.waitForSelector('h2:has-text("Place a limit order")');
    const text = await page.textContent('main');
    for (const path of ['/health', '/v1/markets', '/v1/book/{token_id}', '/v1/orders']) expect(text).toContain(path);
    expect(text).toContain('outcome_unknown');
    expect(new Set(requests)).toStrictEqual(new Set(['file:', 'blob:']));
    expect(complaints).toStrictEqual([]);
  });
});
