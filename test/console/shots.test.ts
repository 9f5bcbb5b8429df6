import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import type { Service } from '../../local/service/service.ts';
import { describeInChromium, openPage } from '../support/page/chromium.ts';

const SHOTS = join(import.meta.dirname, '../../build/shots');
const WIDTHS = { 1440: 900, 820: 1180, 390: 844 } as const;

/** Sums up the shifts of the layout; the page begins with it, before anything is shown. */
const WATCH_SHIFTS = `
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

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

  it.each([1440, 820, 390] as const)('does not move while it loads, and fits a screen %d px wide', async (width) => {
    const page = await openPage();
    const shoot = async (state: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(SHOTS, `${state}-${width}-${colorScheme}.png`), fullPage: width !== 1440 });
      }
    };
    await page.setViewportSize({ width, height: WIDTHS[width] });
    await page.addInitScript(WATCH_SHIFTS);
    await page.goto(consoleUrl);
    await page.locator('#ladder-rows tr').first().waitFor();
    await page.getByText(/orders? at the venue/).waitFor();
    expect(await page.evaluate('shifts')).toBeLessThan(0.05);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    if (width === 1440) expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(900);
    await shoot('book');
    const [best = ''] = await page.locator('th.bid button').allTextContents();
    await order(page, best, 'placed');
    await page.locator('td.own:not(:empty)').first().waitFor();
    await shoot('placed');
    await order(page, '0.015', 'refused');
    await shoot('refused');
    await page.getByLabel('Lose the answers to the next order').check();
    await order(page, '0.02', 'unsettled');
    await shoot('unsettled');
    await page.close();
  });
});
