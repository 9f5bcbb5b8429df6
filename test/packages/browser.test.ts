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
  bookShown,
  fill,
  highestPrice,
  leaveUnsettled,
  PLACES,
  place,
  pressUntil,
  violations,
  WATCH_SHIFTS,
  whatCoversToast,
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
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

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

async function armByAnotherClient(fault: object): Promise<void> {
  const response = await fetch(`${venueUrl}/paper/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect(response.status).toBe(200);
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

describeInChromium('the console', () => {
  it('goes from the list to a resting order, a fill, and an order whose answers are lost but not doubled', async () => {
    const { page, faults } = await openConsole();
    expect(await page.locator('#badge').textContent()).toBe('PAPER: no real money');
    const event = page.locator('.event', { hasText: 'Which bakery wins the Harbour Street rye prize?' });
    expect(await event.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: /^No .*Copper Lake ferry/ }).click();
    await page.getByRole('heading', { name: 'Will the Copper Lake ferry run on Founders Day? · No' }).waitFor();
    await page.getByText(/^\d+ bids, [\d,.]+ shares from/).waitFor();

    expect(await place(page, { price: '0.01', postOnly: true })).toMatch(/It rests on the book.*Filled0.00 of 5.00/s);
    await page.getByText('The venue has 1 order under this id.').waitFor();
    const row = page.locator('#ladder-rows tr', { has: page.getByRole('button', { name: '0.01: use this price' }) });
    await row.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).waitFor();

    expect(await place(page, { price: await highestPrice(page) })).toMatch(/It was executed.*Filled5.00 of 5.00/s);
    await page.locator('#trade-rows tr').getByText('5.00', { exact: true }).first().waitFor();

    expect(await leaveUnsettled(page, '0.02')).toContain('Not settled: buy 5.00 at 0.02 may be live');
    expect(await page.locator('#send').isDisabled()).toBe(true);
    expect(await page.locator('#log').getByText('answer lost by this page').count()).toBe(4);
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    expect(await answered(page, 'placed')).toMatch(/Sent with this key5 times; the answer is a replay/);
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['LIVE', 'MATCHED', 'LIVE']);
    expect(await page.locator('#send').isEnabled()).toBe(true);
    expect(faults).toStrictEqual([]);
  });

  it.each(WIDTHS)('shows an answer above everything at %d px, and moves nothing', async (width) => {
    const { page } = await openConsole({ width, prepared: WATCH_SHIFTS });
    const places = await page.evaluate(PLACES);
    await place(page, { price: '0.01' });
    await page.getByText('The venue has 1 order under this id.').waitFor();
    expect(await whatCoversToast(page)).toStrictEqual(['toast']);
    await leaveUnsettled(page, '0.02');
    expect(await whatCoversToast(page)).toStrictEqual(['toast']);
    await page.evaluate('scrollTo(0, 0)');
    expect(await page.evaluate(PLACES)).toStrictEqual(places);
    expect(await page.evaluate('shifts')).toBeLessThanOrEqual(0.05);
  });

  it('closes an answer by Escape wherever the focus is, but not an order that is not settled', async () => {
    const { page } = await openConsole();
    await place(page, { price: '0.01' });
    await page.locator('#toast summary').click();
    expect(await page.locator('#toast pre').textContent()).toContain('"status": "live"');
    await page.getByLabel('Size').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('#result').textContent()).toBe('');
    await leaveUnsettled(page, '0.02');
    await page.keyboard.press('Escape');
    expect(await page.locator('#result').textContent()).toContain('may be live');
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave it unsettled' }).click();
    expect(await page.locator('#result').textContent()).toBe('');
  });

  it('lists own orders with their market, cancels one there, and confirms it', async () => {
    const { page } = await openConsole();
    await place(page, { price: '0.01', postOnly: true });
    await page.getByRole('button', { name: /^Yes .*Windmill Ovens/ }).click();
    const row = page.locator('#own-orders tr', { hasText: 'Copper Lake ferry' }).first();
    await row.getByText('Buy Yes').waitFor();
    await row.getByRole('button', { name: '× Cancel' }).click();
    expect(await answered(page, 'cancelled')).toBe('Cancelled: buy 5.00 Yes at 0.01.');
    await row.getByText('cancelled').waitFor();
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED']);
    await row.getByRole('button', { name: /Copper Lake ferry/ }).click();
    await page.getByRole('heading', { name: 'Will the Copper Lake ferry run on Founders Day? · Yes' }).waitFor();
  });

  it('shows every level with an own order, and says which order was not cancelled', async () => {
    const { page } = await openConsole();
    const token = await page.locator('#market-list button').first().getAttribute('data-key');
    for (const cents of Array.from({ length: 20 }, (_, index) => String(index + 1).padStart(2, '0'))) {
      const body = JSON.stringify({ token_id: token, side: 'buy', price: `0.${cents}`, size: '5', post_only: true });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body })).status).toBe(201);
    }
    const deepest = page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' });
    await deepest.waitFor();
    await page.route('**/paper/cancel', (route) => route.fulfill({ status: 404, body: '{}' }));
    await deepest.click();
    expect(await answered(page, 'refused')).toMatch(/^Not cancelled: buy 5.00 Yes at 0.01 \(filled meanwhile/);
  });

  it('places one order for a double click', async () => {
    const { page } = await openConsole();
    await fill(page, { price: '0.01' });
    await page.locator('#send').dblclick();
    await answered(page, 'placed');
    await page.getByText('The venue has 1 order under this id.').waitFor();
    expect(await orders()).toHaveLength(1);
  });

  it('settles an order after the page was loaded again', async () => {
    const { page } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('buy 5.00 at 0.01 may be live');
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect(await orders()).toHaveLength(1);
  });

  it('shows books and takes no orders where the browser forbids storage', async () => {
    const forbidden = "get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); }";
    const prepared = `Object.defineProperty(window, 'sessionStorage', { ${forbidden} });`;
    const { page, faults } = await openConsole({ prepared });
    const why = page.getByRole('button', { name: 'To place orders, allow this page to store data' });
    expect(await why.isDisabled()).toBe(true);
    expect(faults).toStrictEqual([]);
  });

  it('does not repeat an order that is so old that the service may have forgotten its key', async () => {
    const { page } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    await page.getByText('It is too old to be repeated').waitFor();
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('It is too old to be repeated');
    expect(await page.getByRole('button', { name: 'Repeat with the same key' }).count()).toBe(0);
    expect(await page.locator('#log').getByText('POST').count()).toBe(0);
    expect(await orders()).toHaveLength(1);
  });

  it('shows a venue that loses an answer as a placed order, and one that is down as an unsettled one', async () => {
    const { page } = await openConsole();
    await page.locator('#fault').selectOption('lost-venue-answer');
    await place(page, { price: '0.01' });
    await page.locator('#fault').selectOption('venue-down');
    await place(page, { price: '0.01' }, 'unsettled');
    await page.locator('#fault').selectOption('none');
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(2);
  });

  it('turns grey while the venue is down, and says since when and why', async () => {
    const { page } = await openConsole();
    await page.locator('#fault').selectOption('venue-down');
    await page.getByText(/^Not up to date since \d\d:\d\d:\d\d: .* \(venue_unavailable\)$/).waitFor();
    await page.getByText(/^The book is from \d\d:\d\d:\d\d\.$/).waitFor();
    const filters = `['#ladder', '.depth figure', '#last-trades .rows', '#order-form', '#market-list'].map((selector) =>
      getComputedStyle(document.querySelector(selector)).filter)`;
    expect(await page.evaluate(filters)).toStrictEqual(Array(5).fill('grayscale(1)'));
    await page.locator('#fault').selectOption('none');
    await page.locator('#book-error:empty').waitFor({ state: 'attached' });
    expect(await page.evaluate(filters)).toStrictEqual(Array(5).fill('none'));
  });

  it('lists the markets once the service is back', async () => {
    const { page } = await openConsole();
    await page.route('**/v1/markets**', (route) => route.abort());
    await page.reload();
    await page.locator('#market-error').getByText('The markets cannot be listed: No answer').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('#market-count').getByText('29 markets').waitFor();
    await bookShown(page);
  });

  it('renews the prices in the list each minute, and keeps every market in its place', async () => {
    const page = await openFresh();
    await page.clock.install();
    await page.goto(consoleUrl);
    await bookShown(page);
    const questions = () => page.locator('#market-list li p').allTextContents();
    const before = await questions();
    await page.route('**/v1/markets**', async (route) => {
      const { items, ...rest } = z
        .looseObject({ items: z.array(z.looseObject({ outcomes: z.array(z.looseObject({})) })) })
        .parse(await (await route.fetch()).json());
      const priced = items.map((item) => ({
        ...item,
        outcomes: item.outcomes.map((outcome) => ({ ...outcome, price: '0.123' })),
      }));
      await fulfil(route, 200, { ...rest, items: priced.toReversed() });
    });
    await page.clock.fastForward(60_000);
    await page.getByRole('button', { name: /^Yes 0\.123: .*Copper Lake/ }).waitFor();
    expect(await questions()).toStrictEqual(before);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('shows the faults that another client has armed, disarms them, and ends its own with the page', async () => {
    const { page } = await openConsole();
    await armByAnotherClient({ fault: 'reset-after', method: 'POST', path: '/order' });
    await page.reload();
    await page.getByText('Armed at the venue: reset-after for POST /order, once').waitFor();
    expect(await page.locator('#fault').inputValue()).toBe('none');
    await page.getByRole('button', { name: 'Disarm all' }).click();
    await page.locator('#armed-faults:empty').waitFor({ state: 'attached' });
    await page.locator('#fault').selectOption('venue-down');
    await page.locator('#book-error', { hasText: 'venue_unavailable' }).waitFor();
    await page.reload();
    await bookShown(page);
    expect(await page.locator('#armed-faults li').count()).toBe(0);
  });

  it('finds a market by its words, shows a book with one side only, and says where nothing is', async () => {
    const { page, faults } = await openConsole();
    await page.route('**/paper/trades', (route) => route.fulfill({ json: { trades: [] } }));
    await page.route('**/paper/orders', (route) => route.fulfill({ json: { orders: [] } }));
    await page.getByText('No orders yet: place one to see it here.').waitFor();
    await page.getByLabel('Search').fill('sea moon');
    await page.getByText('1 market', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Yes .*moon festival/ }).click();
    await page.getByText(/^\d+ bids, .* No asks\.$/).waitFor();
    await page.getByText('No asks on this book.').waitFor();
    await page.getByText('No trades of this outcome yet.').waitFor();
    expect(await page.locator('td.ask').count()).toBe(0);
    await page.getByLabel('Search').fill('nowhere');
    await page.getByText('No market has all of these words.').waitFor();
    expect(faults).toStrictEqual([]);
  });

  it("shows the venue's texts as text, whatever they are", async () => {
    const { page } = await openConsole();
    const hostile = '<img src=x onerror="document.title=1"><b>bold</b>';
    await page.route('**/v1/markets*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll('Copper Lake', JSON.stringify(hostile).slice(1, -1));
      await route.fulfill({ response, body: text });
    });
    await page.reload();
    await page.getByRole('heading', { name: `Will the ${hostile} ferry run on Founders Day? · Yes` }).waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.title()).toBe('Order book console');
  });

  it('says what is wrong while the user types, and why the venue refuses', async () => {
    const { page } = await openConsole();
    await fill(page, { price: '0.015', size: '1' });
    expect(await page.locator('#price-hint').textContent()).toBe('Steps of 0.01: use 0.01 or 0.02');
    expect(await page.locator('#size-hint').textContent()).toBe('At least 5.00 shares');
    expect(await page.locator('#send').isDisabled()).toBe(true);
    expect(await page.locator('#send').textContent()).toBe('Correct the price');
    await fill(page, { price: '0.02', size: 'abc' });
    expect(await page.locator('#send').textContent()).toBe('Correct the size');
    const refusal = await place(page, { price: await highestPrice(page), postOnly: true }, 'refused');
    expect(refusal).toContain('post_only_would_cross (422)');
    expect(await orders()).toStrictEqual([]);
  });

  it('logs each request with the curl that repeats it as the same order', async () => {
    const { page } = await openConsole();
    await place(page, { price: '0.01' });
    const entry = page.locator('#log li', { hasText: 'POST /v1/orders → 201' });
    await entry.locator('summary').click();
    const command = String(await entry.locator('pre').textContent());
    const [, url = ''] = /^curl '(.*?)'/.exec(command) ?? [];
    const [, key = ''] = /-H 'idempotency-key: (.*?)'/.exec(command) ?? [];
    const [, body = ''] = /-d '(.*)'$/s.exec(command) ?? [];
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const repeated = await fetch(url, { method: 'POST', headers, body });
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toStrictEqual([201, 'true']);
    expect(await orders()).toHaveLength(1);
  });

  it('places nothing at a service that has come to the address of the one it was opened on', async () => {
    const { page } = await openConsole();
    await page.route('**/health', async (route) => {
      const response = await route.fetch();
      const health = z.looseObject({}).parse(await response.json());
      await route.fulfill({ response, json: { ...health, wallet_address: `0x${'1'.repeat(40)}` } });
    });
    expect(await place(page, { price: '0.01' }, 'refused')).toContain('Another service has come to this address');
    expect(await orders()).toStrictEqual([]);
  });

  it('walks the book for the cost, steps the price by the tick, switches the outcome, and fills in Max', async () => {
    const { page } = await openConsole();
    await fill(page, { price: await highestPrice(page), size: '1000' });
    expect(await page.locator('#stakes').textContent()).toMatch(
      /^Balance, free[\d,.]+ pUSDPosition[\d,.]+ YesMatches1,000.00 × 0.\d+ [=≈] \d{3}\.\d+Fee\d+\.\d+ pUSDRestsnothingCost\d{3}\.\d+ pUSD/,
    );
    await fill(page, { price: '0.01' });
    await page.getByRole('button', { name: /^Max/ }).click();
    expect(await place(page, { price: '0.01', size: await page.getByLabel('Size').inputValue() })).toContain('Placed');
    await fill(page, { price: '0.42' });
    await page.getByLabel('Price', { exact: true }).press('ArrowUp');
    expect(await page.locator('#send').textContent()).toBe('Buy 5.00 Yes at 0.43');
    await page.getByRole('button', { name: '100 shares' }).click();
    await page.locator('.sides .sell').click();
    expect(await page.locator('#send').textContent()).toBe('Sell 100.00 Yes at 0.43');
    await page.locator('#outcomes').getByRole('button', { name: 'No' }).click();
    await page.getByRole('button', { name: /^Sell 5.00 No at/ }).waitFor();
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
    expect(await answered(page, 'placed')).toContain('Placed: sell 5.00 at 0.99');
    const level = page.getByRole('button', { name: 'Cancel 5.00 shares at 0.99' });
    await level.waitFor();
    await pressUntil(page, 'Shift+Tab', '[data-key="cancel 0.99"]');
    await page.keyboard.press('Enter');
    await level.waitFor({ state: 'detached' });
    await page.locator('#fault').selectOption('lost-answer');
    await page.locator('#send').focus();
    await page.keyboard.press('Enter');
    await answered(page, 'unsettled');
    expect(await page.locator(':focus').textContent()).toBe('Repeat with the same key');
    await page.keyboard.press('Enter');
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED', 'LIVE']);
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
      await page.getByRole('button', { name: 'Repeat with the same key' }).click();
      await answered(page, 'placed');
      await page.locator('#log summary').first().click();
      await found();
      await place(page, { price: await highestPrice(page), postOnly: true }, 'refused');
      await fill(page, { price: '0.015' });
      await page.locator('#fault').selectOption('venue-down');
      await page.locator('#console.stale').waitFor();
      await found();
    },
  );
});

function fulfil(route: Route, status: number, body: object): Promise<void> {
  const headers = { 'access-control-allow-origin': '*', 'retry-after': '0' };
  const contentType = status === 200 ? 'application/json' : 'application/problem+json';
  return route.fulfill({ status, headers, contentType, json: status === 200 ? body : { title: 'x', status, ...body } });
}

describeInChromium('the console while the service does not answer as usual', () => {
  const PROBLEM = { request_id: 'r-1', code: 'venue_unavailable', detail: 'The venue does not answer.' };

  it.each([
    ['loading', 1280, 'Loading…', () => new Promise<void>(() => undefined)],
    [
      'without markets',
      768,
      'The venue lists no market now.',
      (route: Route) => fulfil(route, 200, { items: [], has_more: false }),
    ],
    [
      'refused by the venue',
      390,
      'The markets cannot be listed: The venue does not answer. (venue_unavailable)',
      (route: Route) => fulfil(route, 503, PROBLEM),
    ],
    ['disconnected', 390, 'The markets cannot be listed: No answer', (route: Route) => route.abort()],
  ] as const)('does not move while it is %s at %d px', async (state, width, says, answer) => {
    const page = await openFresh(width);
    await page.addInitScript(WATCH_SHIFTS);
    await page.route(state === 'disconnected' ? /:\d+\/(v1|health)/ : '**/v1/**', answer);
    await page.goto(consoleUrl);
    await page.locator('#markets').getByText(says).first().waitFor();
    expect(await page.evaluate('shifts')).toBeLessThanOrEqual(0.05);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it.each([
    ['stale', 1280, /^Not up to date since .*: No answer/, (route: Route) => route.abort()],
    [
      'empty',
      390,
      /^No orders on this book\.$/,
      async (route: Route) => {
        const headers = { ...route.request().headers(), 'if-none-match': '' };
        const book: object = await (await route.fetch({ headers })).json();
        return fulfil(route, 200, { ...book, bids: [], asks: [] });
      },
    ],
  ] as const)(
    'does not move when its book becomes %s at %d px, nor when that is over',
    async (_turn, width, says, answer) => {
      const { page } = await openConsole({ width });
      const places = () => page.evaluate(PLACES);
      const before = await places();
      await page.route('**/v1/book/**', answer);
      await page.locator('.book').getByText(says).waitFor();
      expect(await places()).toStrictEqual(before);
      // Waits for an answer that is still being made: without the route it could not be given any more.
      await page.unrouteAll({ behavior: 'wait' });
      await page.locator('.book').getByText(says).waitFor({ state: 'detached' });
      await bookShown(page);
      expect(await places()).toStrictEqual(before);
    },
  );
});

describeInChromium('the console on another host', () => {
  /** Opens the console that any web server can serve, on a service by its address. */
  async function openElsewhere(origin: string, url?: string): Promise<Page> {
    const page = await openFresh();
    await page.goto(`${origin}/index.html${url === undefined ? '' : `?service=${encodeURIComponent(url)}`}`);
    return page;
  }

  it('trades where its origin is listed, as with real money: each order needs a consent', async () => {
    const page = await openElsewhere(site.origin, service.url);
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe('NOT PAPER: real money');
    expect(await page.locator('#fault').isVisible()).toBe(false);
    await fill(page, { price: '0.01' });
    expect(await page.locator('#send').isDisabled()).toBe(true);
    await page.locator('#consent').check();
    await page.locator('#send').click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(1);
    expect(await page.locator('#consent').isChecked()).toBe(false);
  });

  it('keeps an unsettled order though its tab places one at another service meanwhile', async () => {
    // Two addresses are two services to the page.
    const [url, other] = [service.url, service.url.replace('127.0.0.1', 'localhost')];
    const page = await openElsewhere(site.origin, url);
    const order = async (price: string) => {
      await bookShown(page);
      await fill(page, { price });
      await page.locator('#consent').check();
      await page.locator('#send').click();
    };
    await page.route(`${url}/v1/orders`, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await order('0.01');
    await answered(page, 'unsettled');
    await page.unrouteAll({ behavior: 'wait' });
    await page.goto(`${site.origin}/index.html?service=${encodeURIComponent(other)}`);
    await order('0.02');
    await answered(page, 'placed');
    await page.goto(`${site.origin}/index.html?service=${encodeURIComponent(url)}`);
    expect(await answered(page, 'unsettled')).toContain('buy 5.00 at 0.01 may be live');
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect(await orders()).toHaveLength(2);
  });

  it('reads where its origin is not listed, and says what orders need', async () => {
    const page = await openElsewhere(site.otherOrigin, service.url);
    await bookShown(page);
    expect(await page.locator('#service-error').textContent()).toContain('SERVICE_CORS_ORIGINS');
    expect(await page.locator('#send').isDisabled()).toBe(true);
  });

  it('asks for the address of the service where none is given', async () => {
    const page = await openElsewhere(site.origin);
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

  it('reads, and places orders where its origin is listed', async () => {
    const run = await visit(site.origin);
    expect(await run('client.health()')).toMatchObject({ status: 'ok', mode: 'order-placing' });
    expect(await run('client.markets({ limit: 2 })')).toMatchObject({ items: [{}, {}], has_more: true });
    expect(await run('client.book(await tokenOf())')).toMatchObject({ tick_size: '0.01' });
    const placed = await run("client.placeOrder(await order(), { clientAddress: 'page' })");
    expect(placed).toMatchObject({ status: 'live', price: '0.01' });
    expect(await orders()).toHaveLength(1);
  });

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
