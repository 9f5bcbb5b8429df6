import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { startOnPaper } from '../../../local/paper/paper-mode.ts';
import type { Service } from '../../../local/service/service.ts';
import { FULL_EXTENT } from '../../support/full-extent.ts';
import { describeInChromium, openPage } from '../../support/page/chromium.ts';

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
  let service: Service;
  let consoleUrl = '';

  beforeAll(async () => {
    await mkdir(SHOTS, { recursive: true });
    let screen = '';
    const print = (text: string) => {
      screen += text;
    };
    service = await startOnPaper({ SERVICE_PORT: '0' }, print, { write: () => undefined });
    [, consoleUrl = ''] = /^ *console +(\S+)/m.exec(screen) ?? [];
  });
  afterAll(() => service.stop());

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
    const page = await openPage();
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
    await page.close();
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
      await page.close();
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
      await page.close();
    },
  );
});
