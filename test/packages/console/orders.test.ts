import { expect, it } from '@jest/globals';
import {
  answered,
  bookShown,
  fill,
  highestPrice,
  leaveUnsettled,
  place,
  pressUntil,
  routeHealth,
} from '../../support/page/console-page.ts';
import { sharedConsole } from '../../support/page/console-world.ts';
import { describeInChromium } from '../../support/page/page.ts';

const { orders, openConsole, openElsewhere, consoleUrl, serviceUrl, site } = sharedConsole();

describeInChromium('orders of the console', () => {
  it('walks from the list to resting, filled and cancelled orders, and keeps each of them', async () => {
    const { page, faults } = await openConsole();
    expect(await page.locator('#badge').textContent()).toBe('PAPER');
    const event = page.locator('.event', { hasText: 'Which bakery wins the Harbour Street rye prize?' });
    expect(await event.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: /Copper Lake ferry.* 0\.\d+$/ }).click();
    await page.locator('#outcomes').getByRole('button', { name: 'No' }).click();
    await page.getByRole('heading', { name: 'Will the Copper Lake ferry run on Founders Day? · No' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /Copper Lake ferry .* · No/ }).waitFor();
    await bookShown(page);
    expect(await page.title()).toMatch(/^0\.\d\d · Will the Copper Lake ferry/);

    expect(await place(page, { price: '0.01', postOnly: true })).toMatch(/Statusresting.*Value0.00 pUSD/s);
    expect(await page.locator(':focus').getAttribute('id')).toBe('send');
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).waitFor();
    expect(await place(page, { price: await highestPrice(page) })).toContain('Statusfilled');

    const row = page.locator('#own-orders li', { hasText: 'buy 5.00 No at 0.01' });
    await row.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByRole('button', { name: 'No', exact: true }).last().click();
    expect(await orders()).toMatchObject([{ status: 'LIVE' }, {}]);
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.01' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled: buy 5.00 No at 0.01.').waitFor();
    await row.getByText(/^cancelled/).waitFor();
    expect((await orders()).map(({ status }) => status)).toStrictEqual(['CANCELED', 'MATCHED']);
    await page.route('**/paper/cancel', (route) => route.fulfill({ status: 404, body: '{}' }));
    await place(page, { price: '0.02' });
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.02' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    const why = 'filled meanwhile, or the venue is unreachable';
    await page.getByText(`Not cancelled: buy 5.00 No at 0.02 (${why}).`).waitFor();
    // What is shown of the last order follows it.
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.02' }).click();
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.locator('#answer').getByText('cancelled').waitFor();
    await page.getByText('Positions').click();
    const position = page.locator('#positions li', { hasText: 'Copper Lake ferry' });
    expect(await position.textContent()).toMatch(/5\.00 No0\.\d+0\.\d+−?0\.\d\d pUSD$/);
    expect(faults).toStrictEqual([]);
  });

  it('keeps an order that is not settled through a reload, another tab and its dismissal, and asks at closing', async () => {
    const { page } = await openConsole();
    expect(await leaveUnsettled(page, '0.01')).toMatch(
      /Not settled: buy 5.00 Yes at 0.01 may be live.*The venue refuses this service/,
    );
    expect(await page.locator('#send').isDisabled()).toBe(true);
    // The order that the venue has on its terms is no second one.
    const row = page.locator('#own-orders li', { hasText: 'buy 5.00 Yes at 0.01' }).filter({ hasText: 'resting' });
    expect(await row.textContent()).toMatch(/not settled: perhaps resting.*Repeat.*Cancel/);
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
    await tab.goto(consoleUrl());
    await bookShown(tab);
    await tab.getByRole('button', { name: 'Leave it unsettled' }).click();
    // The ticket of the other tab is free again too.
    await page.getByRole('button', { name: /^Buy 5 Yes now/ }).waitFor();
    const kept = tab.locator('#own-orders li').first();
    expect(await kept.textContent()).toContain('not settled');
    await kept.locator('summary').click();
    await kept.getByText(/^Key: [\da-f]{32}$/).waitFor();
    expect(await tab.locator('#send').isDisabled()).toBe(false);
    await kept.getByRole('button', { name: /^Repeat safely/ }).click();
    await answered(tab, 'placed');
    await page
      .locator('#own-orders li')
      .first()
      .getByText(/^resting/)
      .waitFor();
    expect(await orders()).toHaveLength(1);
    await tab.close();
  });

  it('keeps an order that may be live open where its repeat finds no service', async () => {
    const { page } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.route('**/health', (route) => route.abort());
    await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
    expect(await answered(page, 'unsettled')).toMatch(/may be live.*The service does not answer/s);
    await page.unrouteAll();
    await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(1);
  });

  it('does not repeat an order that is so old that the service may have forgotten its key', async () => {
    const { page } = await openConsole();
    await leaveUnsettled(page, '0.01');
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
    await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
    await page.getByText('It is too old to be repeated').waitFor();
    await page.reload();
    expect(await answered(page, 'unsettled')).toContain('It is too old to be repeated');
    expect(await page.getByRole('button', { name: 'Repeat safely' }).count()).toBe(0);
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

  it.each([
    ['before the order', 1],
    ['before it leaves', 2],
  ])('sends no order that the browser cannot store: its storage is full %s', async (_when, full) => {
    const { page } = await openConsole();
    // Fills the storage but for the entries of the orders that are written before.
    await page.evaluate(`(() => {
      const write = Storage.prototype.setItem;
      let writes = 0;
      Storage.prototype.setItem = function (name, text) {
        writes += 1;
        if (writes < ${full}) return write.call(this, name, text);
        try {
          for (let size = 4_194_304; size >= 1; ) {
            try { write.call(this, 'full ' + localStorage.length, 'x'.repeat(size)); } catch { size = Math.floor(size / 2); }
          }
        } finally {
          write.call(this, name, text + ' '.repeat(99));
        }
      };
    })()`);
    expect(await place(page, { price: '0.01' }, 'refused')).toMatch(
      /Not (?:sent|placed).*This browser stores no more/s,
    );
    expect(await orders()).toStrictEqual([]);
  });

  it('lists what is not settled first, and then the newest, whoever placed it; the first screen counts what is not settled', async () => {
    const { page } = await openConsole({ width: 390 });
    for (const price of ['0.01', '0.02']) await place(page, { price });
    await leaveUnsettled(page, '0.03');
    // Another page of the wallet has placed the second one.
    const others = `for (const [key, text] of Object.entries(localStorage)) if (/"0.02"/.test(text)) localStorage.removeItem(key)`;
    await page.evaluate(others);
    await page.evaluate('dispatchEvent(new Event("storage"))');
    const listed = /at 0\.03.*at 0\.02.*at 0\.01/s;
    await page.locator('#own-orders', { hasText: listed }).waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    for (const id of ['#unsettled', '#bar-unsettled']) {
      expect(await page.locator(id).textContent()).toBe('1 not settled');
    }
    expect(await page.locator('#bar-unsettled').isVisible()).toBe(true);
  });

  it('warns before money is lost, reads decimals as people type them, and places one order for a double click', async () => {
    const { page } = await openConsole();
    const note = () => page.locator('#cost-note').textContent();
    const send = page.locator('#send');
    await fill(page, { price: ',4', size: '5,5' });
    expect(await send.textContent()).toBe('Bid for 5.50 Yes at 0.40');
    await page.locator('#order-form .sell').click();
    expect(await send.textContent()).toMatch(/^Sell 5.50 Yes now at 0/);
    await page.locator('#order-form .buy').click();
    await fill(page, { price: '0.99', size: '25' });
    expect(await send.textContent()).toBe('Buy 25 Yes now at most 0.99');
    expect(await note()).toMatch(/^\d\d ticks past the best ask of 0\.\d\d: up to 0.99\.$/);
    expect(await send.isDisabled()).toBe(true);
    await page.locator('#consent').check();
    expect(await send.isDisabled()).toBe(false);
    await page.getByRole('button', { name: '500 shares' }).click();
    expect(await page.locator('#consent').isChecked()).toBe(false);
    await fill(page, { price: '0.99', postOnly: true });
    expect(await note()).toMatch(/^Would be refused: 5 of 5 shares would match/);
    expect(await place(page, { price: '0.99', postOnly: true }, 'refused')).toContain('bid less');
    await fill(page, { price: '0.01' });
    await page.getByLabel('Amount in pUSD').fill('5');
    expect(await page.getByLabel('Size', { exact: true }).inputValue()).toBe('500');
    expect(await place(page, { price: '0.01', size: '500' })).toContain('Placed');
    await page.locator('#outcomes').getByRole('button', { name: 'No' }).click();
    await page.getByRole('button', { name: /^Buy 5 No now at/ }).waitFor();
    await fill(page, { price: '0.02' });
    await page.locator('#send').dblclick();
    await page.getByRole('button', { name: 'Cancel 5.00 shares at 0.02' }).waitFor();
    await routeHealth(page, { wallet_address: `0x${'1'.repeat(40)}` });
    expect(await place(page, { price: '0.03' }, 'refused')).toContain('Another service has come to this address');
    expect((await orders()).map(({ price }) => price)).toStrictEqual(['0.01', '0.02']);
  });

  it('shows sheets for markets and ticket, and a bar of the best prices, at 390 px', async () => {
    const { page } = await openConsole({ width: 390 });
    await page.getByRole('button', { name: 'Markets' }).click();
    await page.getByLabel('Search').fill('lighthouse');
    await page.getByRole('button', { name: /lighthouse/ }).click();
    await page.getByRole('heading', { name: /lighthouse/ }).waitFor();
    expect(await page.locator(':focus').getAttribute('id')).toBe('book-title');
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByRole('button', { name: /^Sell 0\.\d/ }).click();
    await page.getByRole('button', { name: /^Sell 5 Yes now at 0\.\d/ }).waitFor();
    const small = `[...document.querySelectorAll('button, input:not([type=radio], [type=checkbox]), select')]
      .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < (part.closest('#ladder, .line') ? 34 : 42))
      .map((part) => part.outerHTML)`;
    expect(await page.evaluate(small)).toStrictEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.locator('#send').isVisible()).toBe(false);
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await openConsole();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the order');
    await page.keyboard.press('Enter');
    await pressUntil(page, 'Tab', '[name="side"]');
    for (const key of ['ArrowDown', 'Tab']) await page.keyboard.press(key);
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

  it('trades on another host where its origin is listed, with a consent to each order, and keeps the orders of each service', async () => {
    // Two addresses are two services to the page.
    const [url, other] = [serviceUrl(), serviceUrl().replace('127.0.0.1', 'localhost')];
    const page = await openElsewhere(site().origin);
    await routeHealth(page, { venue: 'polymarket' });
    await page.goto(`${site().origin}/index.html?service=${encodeURIComponent(url)}`);
    await bookShown(page);
    expect(await page.locator('#badge').textContent()).toBe('REAL MONEY');
    await fill(page, { price: '0.01' });
    expect(await page.locator('#send').isDisabled()).toBe(true);
    await leaveUnsettled(page, '0.01');
    expect(await page.locator('#consent').isChecked()).toBe(false);
    await page.goto(`${site().origin}/index.html?service=${encodeURIComponent(other)}`);
    await bookShown(page);
    await place(page, { price: '0.02' });
    expect(await page.locator('#own-orders li').textContent()).toMatch(/buy 5.00 Yes at 0.02.*resting when placed/);
    await page.goto(`${site().origin}/index.html?service=${encodeURIComponent(url)}`);
    expect(await answered(page, 'unsettled')).toContain('buy 5.00 Yes at 0.01 may be live');
    await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
    await answered(page, 'placed');
    expect(await orders()).toHaveLength(2);
  });
});
