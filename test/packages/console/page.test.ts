import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import * as z from 'zod/mini';
import { createClient } from '../../../packages/client/client.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import {
  answered,
  bookShown,
  fill,
  highestPrice,
  leaveUnsettled,
  openTicket,
  PLACES,
  place,
  routeHealth,
  violations,
  WATCH_SHIFTS,
  whatCoversButton,
} from '../../support/page/console-page.ts';
import { sharedConsole } from '../../support/page/console-world.ts';
import { describeInChromium } from '../../support/page/page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WIDTHS = [1280, 768, 390] as const;
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
/** The narrowest phone, and the least width of each layout. */
const LAYOUTS = FULL_EXTENT ? [320, 360, 390, 414, 600, 768, 1024, 1280, 1366, 1440, 1920] : [320, 768, 1024, 1280];

const { orders, arm, openFresh, openConsole, openElsewhere, consoleUrl, serviceUrl, site } = sharedConsole();

describeInChromium('the page of the console', () => {
  it('never covers or moves the order button, from 320 to 1920 px', async () => {
    const { page } = await openConsole({ prepared: WATCH_SHIFTS });
    const button = () => page.evaluate("document.querySelector('#send').offsetTop");
    for (const width of LAYOUTS) {
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
    for (const width of LAYOUTS) {
      await page.setViewportSize({ width, height: width < 768 ? 844 : 768 });
      await openTicket(page);
      expect([width, await whatCoversButton(page)]).toStrictEqual([width, ['send']]);
    }
  });

  it.each([
    ['READ ONLY', { mode: 'read-only', wallet_address: null, venue: 'polymarket' }, 'This service takes no orders'],
    ['PAPER', { client_verification: 'required' }, 'Connect a wallet to order'],
  ] as const)('says %s of a service with %j, before anything is filled in', async (badge, members, button) => {
    const page = await openFresh();
    await routeHealth(page, members);
    await page.goto(consoleUrl());
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe(badge);
    expect(await page.getByRole('button', { name: button }).isDisabled()).toBe(true);
    expect(await page.locator('#consent').isVisible()).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });
    const looks = await page.evaluate("getComputedStyle(document.querySelector('#bar'), '::before').content");
    expect(looks).toBe(badge === 'READ ONLY' ? '"Read only"' : 'none');
  });

  const GREY = ['#ladder', '#quote', '.pictures', '#stakes', '#own-orders', '#positions', '#account', '#bar'];
  const isGrey = (page: Page) =>
    page.evaluate(`${JSON.stringify(GREY)}.map((part) => getComputedStyle(document.querySelector(part)).filter)`);

  it('turns grey while the venue is down, says since when and why, and recovers', async () => {
    const { page } = await openConsole();
    const places = () => page.evaluate(PLACES);
    const before = await places();
    await arm('edge-503');
    await page.getByText(/^Not up to date since \d\d:\d\d:\d\d: The venue is unavailable\.$/).waitFor();
    await page.getByText(/^The book is from \d\d:\d\d:\d\d: no answer since\.$/).waitFor();
    expect(await isGrey(page)).toStrictEqual(GREY.map(() => 'grayscale(1)'));
    expect(await page.evaluate("getComputedStyle(document.querySelector('#order-count'), '::after').content")).toMatch(
      /^" as of \d\d:\d\d:\d\d"$/,
    );
    expect(await places()).toStrictEqual(before);
    await arm();
    await page.locator('#book-error:empty').waitFor({ state: 'attached' });
    expect(await isGrey(page)).toStrictEqual(GREY.map(() => 'none'));
    await page.locator('#depth:not(.blank) canvas').waitFor();
  });

  it.each([
    ['refuses connections', '**/v1/book/**', (route: Route) => route.abort()],
    ['hangs', '**/v1/book/**', () => undefined],
    ['does not answer for the paper venue', '**/paper/orders', (route: Route) => route.abort()],
  ])('turns grey as a whole within seconds if the service %s, at 390 px', async (_what, path, answer) => {
    const { page } = await openConsole({ width: 390 });
    await page.route(path, answer);
    await page.locator('body.stale').waitFor();
    expect(await isGrey(page)).toStrictEqual(GREY.map(() => 'grayscale(1)'));
    await page.locator('#book-error', { hasText: /^Not up to date since \d\d:\d\d:\d\d: ./ }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.locator('body:not(.stale)').waitFor();
  });

  it.each([
    [{ wallet_address: `0x${'1'.repeat(40)}` }],
    [{ venue: 'polymarket' }],
    [{ funder_address: `0x${'2'.repeat(40)}` }],
  ])('warns if another service answers at its address after a break: %j', async (members) => {
    const { page } = await openConsole();
    await page.route('**/v1/book/**', (route) => route.abort());
    await page.locator('body.stale').waitFor();
    await routeHealth(page, members);
    await page.unroute('**/v1/book/**');
    await page.getByText('Another service has come to this address').waitFor();
  });

  it('says what it waits for while nothing answers, and starts by itself afterwards', async () => {
    const page = await openFresh();
    await page.route(`${serviceUrl()}/**`, (route) => route.abort());
    await page.goto(consoleUrl());
    await page.getByText(`Asking ${new URL(serviceUrl()).host}…`).waitFor();
    expect(await page.locator('#send').textContent()).toBe('Waiting for the service…');
    await page.locator('#badge', { hasText: 'NO ANSWER' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.locator('#badge', { hasText: 'PAPER' }).waitFor();
    await bookShown(page);
    expect(await page.locator('#service-error').textContent()).toBe('');
  });

  it('updates the prices in the list each minute, and does not move a market', async () => {
    const page = await openFresh();
    await page.clock.install();
    await page.goto(consoleUrl());
    await bookShown(page);
    const questions = () => page.locator('.market span').allTextContents();
    const before = await questions();
    await page.route('**/v1/markets**', async (route) => {
      const response = await route.fetch();
      const { items, ...rest } = z.looseObject({ items: z.array(z.looseObject({})) }).parse(await response.json());
      const priced = items.map((item) => ({ ...item, best_ask: '0.123' })).toReversed();
      await route.fulfill({ response, json: { ...rest, items: priced } });
    });
    await page.clock.fastForward(60_000);
    await page.getByRole('button', { name: /Copper Lake.* 0\.123$/ }).waitFor();
    expect(await questions()).toStrictEqual(before);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('opens the market that its address names, also where that is not listed, and goes on to list it', async () => {
    const page = await openFresh();
    const { items } = await createClient({ baseUrl: serviceUrl() }).markets();
    const { question, outcomes = [] } = items.at(-1) ?? {};
    await page.route('**/v1/markets?limit=*', async (route) => {
      const response = await route.fetch();
      const { items: all, ...rest } = z.looseObject({ items: z.array(z.unknown()) }).parse(await response.json());
      await route.fulfill({ response, json: { ...rest, items: all.slice(0, 3) } });
    });
    await page.goto(`${consoleUrl()}#${outcomes[1]?.token_id}`);
    await page.getByRole('heading', { name: `${question} · ${outcomes[1]?.name}` }).waitFor();
    await page.getByText(/^4 listed/).waitFor();
  });

  it('shows the texts of the venue as text, finds a market by its words, and says where nothing is', async () => {
    const page = await openFresh();
    const hostile = '<img src=x onerror="document.body.id=1"><b>bold</b>';
    await page.route('**/paper/orders', (route) => route.fulfill({ json: { orders: [] } }));
    await page.route('**/v1/markets*', async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll(
        'Copper Lake',
        JSON.stringify(`\u202e\u0007${hostile}`).slice(1, -1),
      );
      await route.fulfill({ response, body: text });
    });
    await page.goto(consoleUrl());
    await page.getByRole('heading', { name: `Will the ${hostile} ferry run on Founders Day? · Yes` }).waitFor();
    await page.getByText('No orders yet.').waitFor();
    expect(await page.locator('main img, main b:text-is("bold")').count()).toBe(0);
    expect(await page.locator('body').getAttribute('id')).toBeNull();
    await page.getByLabel('Search').fill('sea moon');
    await page.getByText(/^1 listed · prices of /).waitFor();
    await page.getByRole('button', { name: /moon festival/ }).click();
    await page.getByText('No asks on this book.').waitFor();
    expect(await page.locator('tr.ask').count()).toBe(0);
    await page.getByLabel('Search').fill('nowhere');
    await page.getByText('No market has all of these words.').waitFor();
  });

  it.each(FULL_EXTENT ? WIDTHS : WIDTHS.slice(-1))(
    'has no violation that axe finds at %d px, light or dark, and fits the screen',
    async (width) => {
      const { page } = await openConsole({ width });
      const found = async (...byDefault: readonly Scheme[]) => {
        for (const colorScheme of FULL_EXTENT ? SCHEMES : byDefault) {
          await page.emulateMedia({ colorScheme });
          expect(await violations(page)).toStrictEqual([]);
        }
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      };
      await leaveUnsettled(page, '0.01');
      await found('dark');
      await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
      await answered(page, 'placed');
      await page.locator('#answer summary').click();
      await fill(page, { price: '0.015' });
      await found('light');
      await place(page, { price: await highestPrice(page), postOnly: true }, 'refused');
      await page.route('**/v1/book/**', (route) => route.abort());
      await page.locator('body.stale').waitFor();
      await found('light', 'dark');
      // The colours of the system hide every background: what is chosen still looks chosen.
      await page.emulateMedia({ forcedColors: 'active' });
      const back = (part: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${part}')).backgroundColor`);
      expect(await back('#order-form .buy')).not.toBe(await back('#order-form .sell'));
      expect(await back('#outcomes [aria-pressed="true"]')).not.toBe(await back('#outcomes [aria-pressed="false"]'));
    },
  );

  it('keeps its layout until the venue refuses the markets, at 390 px, and asks for them again', async () => {
    const page = await openFresh(390);
    await page.clock.install();
    await page.addInitScript(WATCH_SHIFTS);
    const problem = { request_id: 'r-1', code: 'venue_unavailable', detail: 'The venue does not answer.' };
    const headers = { 'access-control-allow-origin': '*', 'retry-after': '0' };
    const refused = { status: 503, headers, contentType: 'application/problem+json', json: problem };
    await page.route('**/v1/**', (route) => route.fulfill(refused));
    await page.goto(consoleUrl());
    const says = 'The markets cannot be listed: The venue is unavailable.';
    await page.locator('#markets').getByText(says).first().waitFor({ state: 'attached' });
    expect(await page.evaluate('shifts')).toBeLessThanOrEqual(0.05);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.clock.fastForward(10_000);
    await page
      .locator('#market-count')
      .getByText(/^29 listed/)
      .waitFor({ state: 'attached' });
  });

  it('asks for the address of the service where none is given', async () => {
    const page = await openElsewhere(site().origin);
    await page.getByLabel('Address of the service').fill('localhost:8080');
    expect(await page.locator('#badge').textContent()).toBe('');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('The address must begin with http:').waitFor();
    await page.goBack();
    await page.getByLabel('Address of the service').fill(serviceUrl());
    await page.getByRole('button', { name: 'Open' }).click();
    await bookShown(page);
  });
});

describeInChromium('a page of another host', () => {
  it('only reads if its origin is not listed, and says what orders and health need', async () => {
    const page = await openElsewhere(site().otherOrigin, serviceUrl());
    await bookShown(page);
    const unlisted = `Read only: the operator has to list this page, ${site().otherOrigin}, in SERVICE_CORS_ORIGINS.`;
    await page.getByText(unlisted).waitFor();
    expect(await page.locator('#badge').textContent()).toBe('READ ONLY');
    expect(await page.locator('#send').textContent()).toBe('This page may not place orders here');
    expect(await page.locator('#send').isDisabled()).toBe(true);
    /** Runs an expression of the typed client in the page. */
    const run = (expression: string) =>
      page.evaluate(`(async () => {
        const { createClient } = await import('/client.js');
        const client = createClient({ baseUrl: ${JSON.stringify(serviceUrl())} });
        const { items: [{ outcomes: [{ token_id }] }] } = await client.markets({ limit: 1 });
        const order = { token_id, side: 'buy', price: '0.01', size: 5, post_only: true };
        return (${expression}).catch((error) => ({ ...error }));
      })()`);
    const detail =
      `No answer from ${serviceUrl()}. Is the service running? ` +
      `For orders and health, is ${site().otherOrigin} in its SERVICE_CORS_ORIGINS?`;
    const failed = ['client.health()', 'client.placeOrder(order)'].map(run);
    for (const error of await Promise.all(failed)) expect(error).toMatchObject({ code: 'network_error', detail });
    // What a page can send without a preflight does not pass either.
    const init = "{ method: 'POST', mode: 'no-cors', body: JSON.stringify(order) }";
    expect(await run(`fetch('${serviceUrl()}/v1/orders', ${init}).then(({ type }) => type)`)).toBe('opaque');
    expect(await orders()).toStrictEqual([]);
  });

  it('places one order on a double click in the example of the documents for the typed client', async () => {
    const text = await readFile(join(ROOT, 'docs/clients.md'), 'utf8');
    const [, example = ''] = /\n## A browser\n.*?```html\n(.*?)```/s.exec(text) ?? [];
    site().serve('/example.html', example.replaceAll('http://127.0.0.1:8080', serviceUrl()));
    const page = await openFresh();
    await page.goto(`${site().origin}/example.html`);
    await page.dblclick('button:has-text("Buy 5 at 0.01")');
    await page.waitForSelector('output:has-text("live")');
    expect(await orders()).toMatchObject([{ price: '0.01', original_size: '5' }]);
  });
});
