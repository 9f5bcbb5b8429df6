import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import * as z from 'zod/mini';

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

/** Opens the ticket where it is a sheet. */
export async function openTicket(page: Page): Promise<void> {
  const send = page.locator('#send');
  await send.or(page.locator('#bar-buy')).filter({ visible: true }).first().waitFor();
  if (!(await send.isVisible())) await page.locator('#bar-buy').click();
}

/** Writes an order into the form. */
export async function fill(page: Page, { price, size = '5', postOnly = false }: Draft): Promise<void> {
  await openTicket(page);
  await page.getByLabel('Price', { exact: true }).fill(price);
  await page.getByLabel('Size', { exact: true }).fill(size);
  await page.getByLabel('Post-only').setChecked(postOnly);
}

/** Waits for the answer in the ticket, and returns its text. */
export async function answered(page: Page, end: 'placed' | 'refused' | 'unsettled'): Promise<string> {
  const answer = page.locator(`#answer.${end}`);
  await answer.waitFor();
  return (await answer.textContent()) ?? '';
}

/** Places an order, in spite of a warning, and returns the text of its answer. */
export async function place(page: Page, draft: Draft, end: Parameters<typeof answered>[1] = 'placed'): Promise<string> {
  await fill(page, draft);
  if (await page.locator('#consent').isVisible()) await page.locator('#consent').check();
  await page.locator('#send').click();
  return answered(page, end);
}

/** Places an order of which the page learns no more than that it may be live. */
export async function leaveUnsettled(page: Page, price: string): Promise<string> {
  const problem = { title: 'x', status: 502, code: 'venue_refused_service', detail: 'Refused.', request_id: 'r-1' };
  await page.route('**/v1/orders', async (route) => {
    const { status } = await route.fetch().then((answer) => ({ status: answer.status() }));
    const headers = { 'access-control-allow-origin': '*' };
    await route.fulfill({ status: status === 201 ? 502 : status, headers, json: problem });
  });
  const text = await place(page, { price }, 'unsettled');
  await page.unrouteAll({ behavior: 'wait' });
  return text;
}

/** Returns the worst price of the asks: a purchase at it matches, wherever the market moves meanwhile. */
export async function highestPrice(page: Page): Promise<string> {
  return (await page.locator('#ladder-rows .ask th button').first().textContent()) ?? '';
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

/** Returns what the screen shows at the corners and in the middle of the order button, scrolled into view. */
export async function whatCoversButton(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const send = document.querySelector('#send');
    send.scrollIntoView({ block: 'nearest' });
    const { left, right, top, bottom } = send.getBoundingClientRect();
    const [xs, ys] = [[left + 4, (left + right) / 2, right - 4], [top + 4, (top + bottom) / 2, bottom - 4]];
    const found = xs.flatMap((x) => ys.map((y) => document.elementFromPoint(x, y)));
    return [...new Set(found.map((at) => at?.id ?? at?.outerHTML.slice(0, 80)))];
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

/** Answers each health of a page as the service does, with other members. */
export async function routeHealth(page: Page, members: object): Promise<void> {
  await page.route('**/health', async (route) => {
    const response = await route.fetch();
    const health = z.looseObject({}).parse(await response.json());
    await route.fulfill({ response, json: { ...health, ...members } });
  });
}
