import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import * as z from 'zod/mini';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import type { Service } from '../../local/service/service.ts';
import { evmWallet, solanaWallet } from '../../tools/support/client-wallets.ts';
import { FULL_EXTENT } from '../support/jest.ts';
import { buildConsole, bundleClient } from '../support/page/builds.ts';
import { describeInChromium, openPage, startSite } from '../support/page/page.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const NARROW = { width: 360, height: 740 };

let service: Service;
let consoleUrl = '';
let venueUrl = '';
const pages: Page[] = [];

beforeAll(async () => {
  let screen = '';
  const print = (text: string) => {
    screen += text;
  };
  service = await startOnPaper({ SERVICE_PORT: '0' }, print, { write: () => undefined });
  [, consoleUrl = ''] = /^ *console +(\S+)/m.exec(screen) ?? [];
  [, venueUrl = ''] = /\bV=(\S+)/.exec(screen) ?? [];
});
afterAll(() => service.stop());
afterEach(() => Promise.all(pages.splice(0).map((page) => page.close())));

const venueOrders = z.object({ orders: z.array(z.object({ id: z.string(), status: z.string() })) });

/** Opens a page that is closed after the test, and resets the venue. */
async function openFresh(): Promise<Page> {
  expect((await fetch(`${venueUrl}/paper/reset`, { method: 'POST' })).status).toBe(200);
  const page = await openPage();
  pages.push(page);
  return page;
}

/** Opens the console on a fresh venue, in a page that a script has prepared, and waits for the first book. */
async function openConsole(prepared = '') {
  const page = await openFresh();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.addInitScript(prepared);
  await page.goto(consoleUrl);
  await page.locator('#ladder-rows th').first().waitFor();
  return {
    page,
    faults,
    orders: async () => venueOrders.parse(await (await fetch(`${consoleUrl}/paper/orders`)).json()).orders,
  };
}

interface Draft {
  readonly price: string;
  readonly size?: string;
  readonly postOnly?: boolean;
}

async function fill(page: Page, { price, size = '5', postOnly = false }: Draft): Promise<void> {
  await page.getByLabel('Price', { exact: true }).fill(price);
  await page.getByLabel('Size').fill(size);
  await page.getByLabel('Post-only').setChecked(postOnly);
}

async function send(page: Page): Promise<void> {
  await page.locator('#send').click();
}

/** Waits for the answer in the page: its class is how it ended. */
async function answered(page: Page, end: 'placed' | 'refused' | 'unsettled'): Promise<string> {
  const result = page.locator(`#result.${end}`);
  await result.waitFor();
  return (await result.textContent()) ?? '';
}

/** Sends an order whose answers the page loses; gives what the page says of it. */
async function leaveUnsettled(page: Page, price: string): Promise<string> {
  await page.getByLabel('Lose the answers to the next order').check();
  await fill(page, { price });
  await send(page);
  return answered(page, 'unsettled');
}

/** Takes the worst price of the asks: a purchase at it matches, wherever the market moves meanwhile. */
async function highestPrice(page: Page): Promise<string> {
  return page.locator('#ladder-rows th.ask button').first().textContent().then(String);
}

/** Presses a key until what a selector names has the focus. */
async function pressUntil(page: Page, key: string, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 300; pressed += 1) {
    await page.keyboard.press(key);
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`No ${key} comes to ${selector}.`);
}

const require = createRequire(import.meta.url);

/** Runs axe in the page, which its policy would not let a script of another origin do. Gives what it finds wrong. */
async function violations(page: Page): Promise<unknown> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(`axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + failureSummary)]))`);
}

describeInChromium('the console', () => {
  it('goes from the list to a book, a resting order, a fill, and an order whose answers are lost but not doubled', async () => {
    const { page, orders, faults } = await openConsole();
    expect(await page.locator('#badge').textContent()).toBe('PAPER: no real money');

    const event = page.locator('.event', { hasText: 'Which bakery wins the Harbour Street rye prize?' });
    expect(await event.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: /^No .*Copper Lake ferry/ }).click();
    await page.getByRole('heading', { name: 'No: Will the Copper Lake ferry run on Founders Day?' }).waitFor();
    await page.getByText(/^\d+ bids, [\d,.]+ shares from/).waitFor();

    await fill(page, { price: '0.01', postOnly: true });
    expect(await page.locator('#cost').textContent()).toContain('5 × 0.01 = 0.05 pUSD.Rests on the book');
    await send(page);
    expect(await answered(page, 'placed')).toMatch(/It rests on the book.*Filled0 of 5 shares/s);
    await page.getByText('The venue has 1 order under this id.').waitFor();
    const row = page.locator('#ladder-rows tr', { has: page.getByRole('button', { name: '0.01: use this price' }) });
    await row.locator('td.shares').getByText('5.00', { exact: true }).waitFor();
    await row.locator('td.own').getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).waitFor();

    await page.getByRole('button', { name: `${await highestPrice(page)}: use this price` }).click();
    await page.getByLabel('Post-only').uncheck();
    expect(await page.locator('#cost').textContent()).toMatch(
      /All of it matches.*With a fee of 0\.\d+ pUSD at this price/s,
    );
    await send(page);
    await page.getByText('The venue has 1 order under this id.').waitFor();
    expect(await answered(page, 'placed')).toMatch(/It was executed.*Filled5 of 5 shares/s);
    await page.locator('#trade-rows tr').getByText('5.00', { exact: true }).first().waitFor();

    expect(await leaveUnsettled(page, '0.02')).toContain('Not settled: buy 5 at 0.02 may be live');
    await page.getByText('3 orders at the venue').waitFor();
    expect(await page.locator('#send').isDisabled()).toBe(true);
    expect(await page.locator('#log').getByText('answer lost by this page').count()).toBe(4);

    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    await page.getByText('The venue has 1 order under this id.').waitFor();
    expect(await answered(page, 'placed')).toMatch(/Sent with this key5 times; the answer is a replay/);
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['LIVE', 'MATCHED', 'LIVE']);
    expect(await page.locator('#send').isEnabled()).toBe(true);
    expect(faults).toStrictEqual([]);
  });

  it('takes an order off the book at its level, by the keyboard, and says where it is gone already', async () => {
    const { page, orders } = await openConsole();
    await fill(page, { price: '0.01', postOnly: true });
    await send(page);
    const cancel = page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' });
    await cancel.focus();
    await page.keyboard.press('Enter');
    await cancel.waitFor({ state: 'detached' });
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED']);
    expect(await page.locator('#book-error').textContent()).toBe('');
    await send(page);
    await cancel.waitFor();
    await page.route('**/paper/cancel', (route) => route.fulfill({ status: 404, body: '{}' }));
    await cancel.click();
    await page.getByText('1 order not cancelled: filled meanwhile, or the venue is away.').waitFor();
  });

  it('shows an answer over the page until it is dismissed, and one that is not settled until it is ended', async () => {
    const { page } = await openConsole();
    await fill(page, { price: '0.01' });
    await page.setViewportSize({ width: 390, height: 844 });
    const below = await page.evaluate("document.querySelector('.depth').offsetTop");
    await send(page);
    await answered(page, 'placed');
    expect(await page.evaluate("document.querySelector('.depth').offsetTop")).toBe(below);
    await page.locator('#toast summary').click();
    expect(await page.locator('#toast pre').textContent()).toContain('"status": "live"');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.locator('#result').textContent()).toBe('');
    expect(await page.evaluate('document.activeElement.id')).toBe('send');

    await leaveUnsettled(page, '0.02');
    await page.keyboard.press('Escape');
    expect(await page.locator('#result').textContent()).toContain('may be live');
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave it unsettled' }).click();
    expect(await page.locator('#result').textContent()).toBe('');

    await fill(page, { price: '0.015' });
    await send(page);
    await answered(page, 'refused');
    await page.locator('#toast summary').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('#result').textContent()).toBe('');
  });

  it('places one order for a double click', async () => {
    const { page, orders } = await openConsole();
    await fill(page, { price: '0.01' });
    await page.locator('#send').dblclick();
    await answered(page, 'placed');
    await page.getByText('1 order at the venue').waitFor();
    expect(await orders()).toHaveLength(1);
  });

  it('settles an order after the page was loaded again', async () => {
    const { page, orders } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('buy 5 at 0.01 may be live');
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect(await orders()).toHaveLength(1);
  });

  it('shows books and takes no orders where the browser lets it keep none', async () => {
    const forbidden = "get() { throw new DOMException('Access is denied for this document.', 'SecurityError'); }";
    const { page, faults } = await openConsole(`Object.defineProperty(window, 'sessionStorage', { ${forbidden} });`);
    const why = page.getByRole('button', { name: 'To place orders, allow this page to store data' });
    expect(await why.isDisabled()).toBe(true);
    expect(faults).toStrictEqual([]);
  });

  it('repeats no order that is so old that the service may have forgotten its key', async () => {
    const { page, orders } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    await page.getByText('It is too old to be repeated').waitFor();
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('It is too old to be repeated');
    expect(await page.getByRole('button', { name: 'Repeat with the same key' }).count()).toBe(0);
    expect(await page.locator('#log').getByText('POST').count()).toBe(0);
    await page.getByRole('button', { name: 'Leave it unsettled' }).click();
    expect(await page.locator('#send').isEnabled()).toBe(true);
    expect(await orders()).toHaveLength(1);
  });

  it('shows a venue that loses an answer as a placed order, and one that is down as an unsettled one', async () => {
    const { page, orders } = await openConsole();
    await page.getByLabel("Lose the venue's answer").check();
    await fill(page, { price: '0.01' });
    await send(page);
    await answered(page, 'placed');
    await page.getByLabel('Venue down').check();
    await send(page);
    await answered(page, 'unsettled');
    await page.getByLabel('None').check();
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(2);
  });

  it('says why a book is not up to date', async () => {
    const { page } = await openConsole();
    await page.getByLabel('Venue down').check();
    await page.getByText(/^Not up to date: .* \(venue_unavailable\)$/).waitFor();
    await page.getByLabel('None').check();
    await page.locator('#book-error:empty').waitFor({ state: 'attached' });
  });

  it('lists the markets once the service is back', async () => {
    const { page } = await openConsole();
    await page.route('**/v1/markets**', (route) => route.abort());
    await page.reload();
    await page.locator('#market-list .error').getByText('The markets cannot be listed: No answer').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('#market-count').getByText('29 markets').waitFor();
    await page.locator('#ladder-rows th').first().waitFor();
  });

  it('ends a fault with the page that chose it', async () => {
    const { page } = await openConsole();
    await page.getByLabel('Venue down').check();
    await page.locator('#book-error', { hasText: 'venue_unavailable' }).waitFor();
    await page.reload();
    await page.locator('#ladder-rows th').first().waitFor();
    expect(await page.getByLabel('None').isChecked()).toBe(true);
  });

  it('finds a market by its words, and shows a book that has one side alone', async () => {
    const { page, faults } = await openConsole();
    await page.getByLabel('Search').fill('sea moon');
    await page.getByText('1 market', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Yes .*moon festival/ }).click();
    await page.getByText(/^\d+ bids, .* No asks\.$/).waitFor();
    await page.getByRole('heading', { name: 'Yes: Will the moon festival be held on the sea?' }).waitFor();
    expect(await page.locator('td.ask').count()).toBe(0);
    expect(faults).toStrictEqual([]);
  });

  it('shows what the venue writes as text, whatever it is', async () => {
    const { page } = await openConsole();
    const hostile = '<img src=x onerror="document.title=1"><b>bold</b>';
    await page.route('**/v1/markets*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll('Copper Lake', JSON.stringify(hostile).slice(1, -1));
      await route.fulfill({ response, body: text });
    });
    await page.reload();
    await page.getByRole('heading', { name: `Yes: Will the ${hostile} ferry run on Founders Day?` }).waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await page.title()).toBe('Order book console');
  });

  it('says why an order is refused, and offers what mends it', async () => {
    const { page, orders } = await openConsole();
    await fill(page, { price: '0.015' });
    await send(page);
    expect(await answered(page, 'refused')).toMatch(/multiple of 0\.01.*price_off_tick \(422\)/s);
    await page.getByRole('button', { name: 'Use the price 0.02' }).click();
    expect(await page.getByLabel('Price', { exact: true }).inputValue()).toBe('0.02');
    await fill(page, { price: await highestPrice(page), postOnly: true });
    expect(await page.locator('#cost').textContent()).toContain('Would be refused');
    expect(await orders()).toStrictEqual([]);
  });

  it('logs each request with the curl that repeats it as the same order', async () => {
    const { page, orders } = await openConsole();
    await fill(page, { price: '0.01' });
    await send(page);
    await answered(page, 'placed');
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

  it('keeps off a service that has come to the address of the one it was opened on', async () => {
    const { page } = await openConsole();
    const other = await startPaperService({ SERVICE_CORS_ORIGINS: consoleUrl });
    // The tab is left open, the service ends, and another one starts in its place.
    await page.route(`${service.url}/**`, async (route) => {
      await route.continue({ url: route.request().url().replace(service.url, other.url) });
    });
    await fill(page, { price: '0.01' });
    await send(page);
    expect(await answered(page, 'refused')).toContain('Another service has come to this address');
    expect(other.venue.orders()).toStrictEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'has nothing that axe finds wrong, and fits a narrow screen: %s',
    async (colorScheme) => {
      const { page } = await openConsole();
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toStrictEqual([]);
      await page.setViewportSize(NARROW);
      await page.getByLabel('Lose the answers to the next order').check();
      await send(page);
      await answered(page, 'unsettled');
      expect(await violations(page)).toStrictEqual([]);
      await page.getByRole('button', { name: 'Repeat with the same key' }).click();
      await answered(page, 'placed');
      await page.locator('#log summary').first().click();
      expect(await violations(page)).toStrictEqual([]);
      await fill(page, { price: '0.015' });
      await send(page);
      await answered(page, 'refused');
      expect(await violations(page)).toStrictEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width);
    },
  );

  it('steps the price by the tick, takes a quick size, and tells the depth under the pointer', async () => {
    const { page } = await openConsole();
    await fill(page, { price: '0.42' });
    await page.keyboard.press('Tab');
    await page.getByLabel('Price', { exact: true }).press('ArrowUp');
    expect(await page.locator('#send').textContent()).toBe('Buy 5 Yes at 0.43');
    await page.getByLabel('Price', { exact: true }).press('ArrowDown');
    await page.getByRole('button', { name: '100 shares' }).click();
    await page.locator('.sides .sell').click();
    expect(await page.locator('#send').textContent()).toBe('Sell 100 Yes at 0.42');
    expect(await page.locator('#send').getAttribute('class')).toBe('primary sell');
    expect(await page.locator('#stakes').textContent()).toMatch(
      /^Shares at their price42\.00 pUSD.*Proceeds, at least/,
    );
    await page.locator('svg').hover();
    await page.locator('svg text', { hasText: /^0\.\d\d: [\d,]+\.\d\d (bid|asked)$/ }).waitFor();
  });

  it('is used with the keyboard alone', async () => {
    const { page, orders } = await openConsole();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the order');
    await page.keyboard.press('Enter');
    for (const key of ['Tab', 'ArrowDown', 'Tab', 'Tab']) await page.keyboard.press(key);
    expect(await page.locator(':focus').getAttribute('id')).toBe('price');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('0.99');
    await page.keyboard.press('Enter');
    expect(await answered(page, 'placed')).toContain('Placed: sell 5 at 0.99');

    const level = page.getByRole('button', { name: 'Cancel 5.00 shares at 0.99' });
    await level.waitFor();
    await pressUntil(page, 'Shift+Tab', '[data-cancel="0.99"]');
    await page.keyboard.press('Enter');
    await level.waitFor({ state: 'detached' });

    await pressUntil(page, 'Tab', '[name="fault"]');
    await page.keyboard.press('ArrowDown');
    await pressUntil(page, 'Shift+Tab', '#send');
    await page.keyboard.press('Enter');
    await answered(page, 'unsettled');
    expect(await page.locator(':focus').textContent()).toBe('Repeat with the same key');
    await page.keyboard.press('Enter');
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED', 'LIVE']);
  });
});

describeInChromium('the console on another host', () => {
  async function openElsewhere(settings: (origin: string) => Record<string, string>, query = true) {
    const { origin } = await startSite(await buildConsole());
    const { url, venue } = await startPaperService(settings(origin));
    const page = await openFresh();
    await page.goto(query ? `${origin}/index.html?service=${encodeURIComponent(url)}` : `${origin}/index.html`);
    return { page, url, venue };
  }

  it('trades where its origin is listed, as with real money: each order wants a consent', async () => {
    const { page, venue } = await openElsewhere((origin) => ({ SERVICE_CORS_ORIGINS: origin }));
    await page.locator('#ladder-rows th').first().waitFor();
    expect(await page.locator('#badge').textContent()).toBe('NOT PAPER: real money');
    expect(await page.getByText('Lose the answers').isVisible()).toBe(false);
    await fill(page, { price: '0.01' });
    await send(page);
    expect(await page.locator('#consent:invalid').count()).toBe(1);
    await page.locator('#consent').check();
    await send(page);
    await answered(page, 'placed');
    expect(venue.orders()).toHaveLength(1);
    expect(await page.locator('#consent').isChecked()).toBe(false);
  });

  it('keeps an order that is not settled though its tab places one at another service meanwhile', async () => {
    const { page, url, venue } = await openElsewhere((origin) => ({ SERVICE_CORS_ORIGINS: origin }));
    const { origin } = new URL(page.url());
    const other = await startPaperService({ SERVICE_CORS_ORIGINS: origin });
    const order = async (price: string) => {
      await page.locator('#ladder-rows th').first().waitFor();
      await fill(page, { price });
      await page.locator('#consent').check();
      await send(page);
    };
    await page.route(`${url}/v1/orders`, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await order('0.01');
    await answered(page, 'unsettled');
    await page.unrouteAll({ behavior: 'wait' });
    await page.goto(`${origin}/index.html?service=${encodeURIComponent(other.url)}`);
    await order('0.02');
    await answered(page, 'placed');
    await page.goto(`${origin}/index.html?service=${encodeURIComponent(url)}`);
    expect(await answered(page, 'unsettled')).toContain('buy 5 at 0.01 may be live');
    await page.getByRole('button', { name: 'Repeat with the same key' }).click();
    expect(await answered(page, 'placed')).toContain('the answer is a replay');
    expect([venue.orders().length, other.venue.orders().length]).toStrictEqual([1, 1]);
  });

  it('reads where its origin is not listed, and says what orders need', async () => {
    const { page } = await openElsewhere(() => ({}));
    await page.locator('#ladder-rows th').first().waitFor();
    expect(await page.locator('#service-error').textContent()).toContain('SERVICE_CORS_ORIGINS');
    expect(await page.locator('#send').isDisabled()).toBe(true);
  });

  it('asks for the address of the service where nobody has told it', async () => {
    const { page, url } = await openElsewhere((origin) => ({ SERVICE_CORS_ORIGINS: origin }), false);
    await page.getByLabel('Address of the service').fill('localhost:8080');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText(/No orders: .* must begin with http:/).waitFor();
    await page.goBack();
    await page.getByLabel('Address of the service').fill(url);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('#ladder-rows th').first().waitFor();
  });
});

const SHOTS = join(import.meta.dirname, '../../build/shots');
const WIDTHS = { 1440: 900, 820: 1180, 390: 844 } as const;
const widths = [1440, 820, 390] as const;

/** Each state at each width; by default at one of them, another one for the next state. */
function atWidths<State>(states: readonly State[]) {
  return states.flatMap((state, index) =>
    widths.filter((_, each) => FULL_EXTENT || each === index % widths.length).map((width) => [width, state] as const),
  );
}

/** Sums up the shifts of the layout; the page begins with it, before anything is shown. */
const WATCH_SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Where the parts of the page begin, the spread of the ladder among them. */
const PLACES =
  "[...document.querySelectorAll('section, .spread, #send')].map((part) => Math.round(part.getBoundingClientRect().top))";

describeInChromium('the look of the console', () => {
  beforeAll(() => mkdir(SHOTS, { recursive: true }));

  async function order(page: Page, price: string, end: string): Promise<void> {
    await page.getByLabel('Price', { exact: true }).fill(price);
    await page.locator('#send').click();
    await page.locator(`#result.${end}`).waitFor();
  }

  /**
   * Takes the page at a width in both colour schemes; at the widest as the screen shows it, else all of it. Pictures are
   * for people, and take half of the time: by default there are none.
   */
  async function shoot(page: Page, state: string, width: number): Promise<void> {
    if (!FULL_EXTENT) return;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SHOTS, `${state}-${width}-${colorScheme}.png`), fullPage: width !== 1440 });
    }
  }

  /** Opens the page at a width; it counts the shifts of its layout. */
  async function openAt(width: keyof typeof WIDTHS): Promise<Page> {
    const page = await openFresh();
    await page.setViewportSize({ width, height: WIDTHS[width] });
    await page.addInitScript(WATCH_SHIFTS);
    return page;
  }

  it.each(widths)('does not move while it loads, and fits a screen %d px wide', async (width) => {
    const page = await openAt(width);
    await page.goto(consoleUrl);
    await page.locator('#ladder-rows th').first().waitFor();
    await page.getByText(/orders? at the venue/).waitFor();
    expect(await page.evaluate('shifts')).toBeLessThan(0.05);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    if (width === 1440) expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(900);
    await shoot(page, 'book', width);
    // In the middle of the bids an order rests on the screen, though the market moves on a busy machine.
    const bids = await page.locator('th.bid button').allTextContents();
    await order(page, bids[Math.floor(bids.length / 2)] ?? '', 'placed');
    await page.locator('td.own:not(:empty)').first().waitFor();
    await shoot(page, 'placed', width);
    // The worst price of the asks matches, wherever the market moves meanwhile.
    const [worst = ''] = await page.locator('th.ask button').allTextContents();
    await page.getByLabel('Size').fill('100');
    await order(page, worst, 'placed');
    await page.getByText('It was executed, wholly or partly.').waitFor();
    await page.locator('#trade-rows .bid').first().waitFor();
    await shoot(page, 'filled', width);
    await order(page, '0.015', 'refused');
    await shoot(page, 'refused', width);
    await page.getByLabel('Lose the answers to the next order').check();
    await order(page, '0.02', 'unsettled');
    await shoot(page, 'unsettled', width);
  });

  const PROBLEM = { request_id: 'r-1', detail: 'The venue does not answer.' };

  /** What stands in the place of the service's answers, and what the list of markets then says. */
  const STATES = {
    loading: { says: '', answer: () => new Promise<void>(() => undefined) },
    empty: {
      says: 'The venue lists no market now.',
      answer: (route: Route) => fulfil(route, 200, { items: [], has_more: false }),
    },
    error: {
      says: 'The markets cannot be listed: The venue does not answer. (venue_unavailable)',
      answer: (route: Route) => fulfil(route, 503, { ...PROBLEM, code: 'venue_unavailable' }),
    },
    disconnected: { says: 'The markets cannot be listed: No answer', answer: (route: Route) => route.abort() },
  } as const;

  function fulfil(route: Route, status: number, body: object): Promise<void> {
    const headers = { 'access-control-allow-origin': '*', 'retry-after': '0' };
    return route.fulfill({
      status,
      headers,
      json: status === 200 ? body : { title: 'x', status, ...body },
      contentType: status === 200 ? 'application/json' : 'application/problem+json',
    });
  }

  it.each(atWidths(['loading', 'empty', 'error', 'disconnected'] as const))(
    'does not move at %d px while it is %s',
    async (width, state) => {
      const { says, answer } = STATES[state];
      const page = await openAt(width);
      await page.route(state === 'disconnected' ? /:\d+\/(v1|health)/ : '**/v1/**', answer);
      await page.goto(consoleUrl);
      await page.locator('#market-list', { hasText: says }).waitFor();
      expect(await page.locator('#console.loading').count()).toBe(state === 'loading' ? 1 : 0);
      expect(await page.evaluate('shifts')).toBeLessThan(0.05);
      await shoot(page, state, width);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
  );

  /** What becomes of the book of a page that is in use, and what the page then says. */
  const TURNS = {
    stale: { says: 'Not up to date: No answer', answer: (route: Route) => route.abort() },
    'empty-book': {
      says: 'No orders',
      answer: async (route: Route) => {
        const headers = { ...route.request().headers(), 'if-none-match': '' };
        const book: object = await (await route.fetch({ headers })).json();
        return fulfil(route, 200, { ...book, bids: [], asks: [] });
      },
    },
  } as const;
  it.each(atWidths(['stale', 'empty-book'] as const))(
    'does not move at %d px when its book becomes %s, nor when that is over',
    async (width, turn) => {
      const { says, answer } = TURNS[turn];
      const page = await openAt(width);
      await page.goto(consoleUrl);
      await page.locator('#ladder-rows th').first().waitFor();
      await page.getByText(/orders? at the venue/).waitFor();
      const places = () => page.evaluate(PLACES);
      const before = await places();
      await page.route('**/v1/book/**', answer);
      await page.locator('.book').getByText(says).waitFor();
      await shoot(page, turn, width);
      expect(await places()).toStrictEqual(before);
      // Waits for an answer that is still being made: without the route, it could not be given any more.
      await page.unrouteAll({ behavior: 'wait' });
      await page.locator('.book').getByText(says).waitFor({ state: 'detached' });
      await page.locator('#ladder-rows th').first().waitFor();
      expect(await places()).toStrictEqual(before);
    },
  );
});

/** Runs an expression of `client` in a page: its value, or the members of the error. */
async function evaluate(page: Page, baseUrl: string, expression: string): Promise<unknown> {
  return page.evaluate(`(async () => {
    const { createClient } = await import('/client.js');
    const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });
    const tokenOf = async () => (await client.markets({ limit: 1 })).items[0].outcomes[0].token_id;
    const order = async () => ({ token_id: await tokenOf(), side: 'buy', price: '0.01', size: 5, post_only: true });
    try {
      return await (${expression});
    } catch (error) {
      return { ...error };
    }
  })()`);
}

/** The wallets of a page: `signText` is the hand of their user. */
const STAND_INS = `
  const ethereum = {
    request: async ({ method, params }) => (method === 'eth_requestAccounts' ? [walletAddress] : signText(params[0])),
  };
  const solana = {
    connect: async () => ({ publicKey: { toString: () => walletAddress } }),
    signMessage: async (bytes) => ({ signature: fromBase58(await signText(new TextDecoder().decode(bytes))) }),
  };
  const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const fromBase58 = (text) => {
    const value = [...text].reduce((sum, digit) => 58n * sum + BigInt(ALPHABET.indexOf(digit)), 0n);
    return Uint8Array.from(value.toString(16).padStart(128, '0').match(/../g), (byte) => parseInt(byte, 16));
  };
`;

async function openAll() {
  const { origin: listed, otherOrigin: stranger } = await startSite({ '/client.js': await bundleClient() });
  const service = await startPaperService({ SERVICE_CORS_ORIGINS: listed });
  const page = await openFresh();
  const visit = async (origin: string) => {
    await page.goto(origin);
    return (expression: string) => evaluate(page, service.url, expression);
  };
  return { ...service, listed, stranger, visit };
}

describeInChromium('a web page of another origin', () => {
  it('reads, and places orders where its origin is listed', async () => {
    const { visit, listed, venue } = await openAll();
    const run = await visit(listed);
    expect(await run('client.health()')).toMatchObject({ status: 'ok', mode: 'order-placing' });
    expect(await run('client.markets({ limit: 2 })')).toMatchObject({ items: [{}, {}], has_more: true });
    expect(await run('client.book(await tokenOf())')).toMatchObject({ tick_size: '0.01' });
    const placed = await run("client.placeOrder(await order(), { clientAddress: 'page' })");
    expect(placed).toMatchObject({ status: 'live', price: '0.01' });
    expect(venue.orders()).toHaveLength(1);
  });

  it('reads markets, but neither health nor places orders where its origin is not listed', async () => {
    const { url, visit, stranger, venue } = await openAll();
    const run = await visit(stranger);
    expect(await run('client.markets({ limit: 1 })')).toMatchObject({ items: [{}] });
    const detail =
      `No answer from ${url}. Is the service running? ` +
      `For orders and health, is ${stranger} in its SERVICE_CORS_ORIGINS?`;
    expect(await run('client.health()')).toMatchObject({ code: 'network_error', detail });
    expect(await run('client.placeOrder(await order())')).toMatchObject({ code: 'network_error', detail });
    // What a page can send without a preflight does not pass either.
    const init = "{ method: 'POST', mode: 'no-cors', body: JSON.stringify(await order()) }";
    expect(await run(`fetch('${url}/v1/orders', ${init}).then(({ type }) => type)`)).toBe('opaque');
    expect(venue.orders()).toStrictEqual([]);
  });

  // The examples of the README, with stand-ins for what wallets put into a page.
  it.each([
    ['MetaMask', 'eth_requestAccounts', async () => evmWallet('b')],
    ['Phantom', 'solana.connect()', () => solanaWallet(11)],
  ] as const)('places orders that a wallet in the page signs: %s', async (_name, holds, make) => {
    const { origin } = await startSite({ '/client.js': await bundleClient() });
    const { url, venue } = await startPaperService({
      SERVICE_CORS_ORIGINS: origin,
      SERVICE_CLIENT_VERIFICATION: 'required',
    });
    const page = await openFresh();
    await page.goto(origin);
    const { address, sign } = await make();
    await page.exposeFunction('signText', sign);
    const readme = await readFile(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
    const example = [...readme.matchAll(/```js\n(.*?)```/gs)]
      .map(([, code = '']) => code)
      .find((code) => code.includes(holds));
    const placed = await page.evaluate(`(async () => {
      const { createClient } = await import('/client.js');
      const [baseUrl, walletAddress] = ${JSON.stringify([url, address])};
      ${STAND_INS}
      ${example}
      const { items } = await client.markets({ limit: 1 });
      const token_id = items[0].outcomes[0].token_id;
      return client.placeOrder({ token_id, side: 'buy', price: '0.01', size: 5, post_only: true });
    })()`);
    expect(placed).toMatchObject({ status: 'live', price: '0.01' });
    expect(venue.orders()).toHaveLength(1);
  });
});
