import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** Order to write into the form. */
interface Draft {
  readonly price: string;
  readonly size?: string;
  readonly postOnly?: boolean;
}

/** Waits until the page shows a book. */
export async function bookShown(page: Page): Promise<void> {
  await page.locator('#ladder-rows th').first().waitFor();
}

/** Writes an order into the form. */
export async function fill(page: Page, { price, size = '5', postOnly = false }: Draft): Promise<void> {
  await page.getByLabel('Price', { exact: true }).fill(price);
  await page.getByLabel('Size').fill(size);
  await page.getByLabel('Post-only').setChecked(postOnly);
}

/** Waits for the answer in the page, and returns its text. */
export async function answered(page: Page, end: 'placed' | 'cancelled' | 'refused' | 'unsettled'): Promise<string> {
  const result = page.locator(`#result.${end}`);
  await result.waitFor();
  return (await result.textContent()) ?? '';
}

/** Places an order, and returns the text of its answer. */
export async function place(page: Page, draft: Draft, end: Parameters<typeof answered>[1] = 'placed'): Promise<string> {
  await fill(page, draft);
  await page.locator('#send').click();
  return answered(page, end);
}

/** Places an order whose answers the page loses, and returns what the page says of it. */
export async function leaveUnsettled(page: Page, price: string): Promise<string> {
  await page.locator('#fault').selectOption('lost-answer');
  return place(page, { price }, 'unsettled');
}

/** Returns the worst price of the asks: a purchase at it matches, wherever the market moves meanwhile. */
export async function highestPrice(page: Page): Promise<string> {
  return (await page.locator('#ladder-rows th.ask button').first().textContent()) ?? '';
}

/** Presses a key until the element of a selector has the focus. */
export async function pressUntil(page: Page, key: string, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 300; pressed += 1) {
    await page.keyboard.press(key);
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`No ${key} comes to ${selector}.`);
}

/** Returns the violations that axe finds; the policy of the page would not let it load axe. */
export async function violations(page: Page): Promise<unknown> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(`axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + failureSummary)]))`);
}

/** Returns what the screen shows at the corners and in the middle of the toast: `toast` where nothing covers it. */
export async function whatCoversToast(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const toast = document.querySelector('#toast');
    const { left, right, top, bottom } = toast.getBoundingClientRect();
    const [xs, ys] = [[left + 6, (left + right) / 2, right - 6], [top + 6, (top + bottom) / 2, bottom - 6]];
    const found = xs.flatMap((x) => ys.map((y) => document.elementFromPoint(x, y)));
    return [...new Set(found.map((at) => (toast.contains(at) ? 'toast' : at?.outerHTML.slice(0, 80))))];
  })()`);
}

/** Sums up the shifts of the layout; a page begins with it, before anything is shown. */
export const WATCH_SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Expression of where the parts of the page begin, the spread of the ladder among them. */
export const PLACES =
  "[...document.querySelectorAll('section, .spread, #send')].map((part) => Math.round(part.getBoundingClientRect().top))";
