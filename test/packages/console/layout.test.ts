import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { reasonOf } from '../../../packages/console/words.ts';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { bookShown } from '../../support/page/console-page.ts';
import { sharedConsole } from '../../support/page/console-world.ts';
import { describeInChromium } from '../../support/page/page.ts';

const { openFresh, consoleUrl, serviceUrl, walletAddress } = sharedConsole();

const WIDTHS = [320, 390, 768, 1024, 1280, 1366, 1440, 1920, 2560];
const QUESTION = `Will the ${'upper bound of the target range of the federal funds rate '.repeat(5)}be changed?`;
const OUTCOME = 'More than twenty-five basis points up or down';
const TERMS = { token_id: '71', side: 'buy', price: '0.53', size: '1000000' };
const DAY_MS = 86_400_000;

/** Orders as the page keeps them: one of each state, and a refusal with each code of the service. */
function keptOrders() {
  const left = { state: 'left', order: { ...TERMS, size: '77' } };
  const ended = { ...TERMS, expires_at: '2026-01-01T00:00:00Z' };
  const placed = (answer: string, filled: string, order: object = TERMS) => ({
    state: 'placed',
    answer,
    filled,
    order,
  });
  const rows = [
    ...ERROR_CODES.map((answer) => ({ state: 'refused', answer, order: TERMS })),
    ...[left, { ...left, wantedAt: Date.now() - 2 * DAY_MS }, { ...left, order: { ...TERMS, size: '78' } }],
    ...[placed('live', '0'), placed('live', '0', ended), placed('matched', '331.76'), placed('delayed', '0')],
    ...[placed('cancelled', '5'), { ...placed('live', '0', ended), orderId: 'ended' }],
  ];
  return rows.map((row, index) => ({
    key: `key-${index}`,
    market: QUESTION,
    outcome: OUTCOME,
    wantedAt: Date.now(),
    ...row,
  }));
}

/** Orders as the venue has them, with each of its states; the one of 78 shares may be one that is not settled, the one of 77 is older. */
function venueOrders() {
  const states = [
    ['LIVE', '0'],
    ['LIVE', '331.76'],
    ['MATCHED', '1000000'],
    ['CANCELED', '5'],
    ['CANCELED', '0'],
  ];
  const rows = states.map(([status, filled]) => ({ status, size_matched: filled, original_size: '1000000' }));
  const earlier = { ...rows[0], original_size: '77', accepted_at: 0 };
  const all = [...rows, { ...rows[0], original_size: '78' }, earlier, { ...rows[4], id: 'ended' }];
  const terms = { asset_id: '71', side: 'BUY', outcome: OUTCOME, price: '0.53', accepted_at: Date.now() };
  return all.map((row, index) => ({ id: `0x${index}`, ...terms, ...row }));
}

const STATUSES = [
  'resting',
  'resting, 331.76 of 1,000,000.00 filled',
  'filled',
  'cancelled',
  'cancelled, 5.00 of 1,000,000.00 filled',
  'expired',
  'resting when placed',
  'expired, unless filled before',
  'partly filled: 331.76 of 1,000,000.00',
  'held by the venue when placed',
  'not settled',
  'not settled, too old to be repeated',
  'not settled: perhaps resting',
  ...new Set(ERROR_CODES.map((code) => `not placed: ${reasonOf(code, 'buy')}`)),
];

/** Expression of what is wrong with the rows: a word in two lines, a cell over another one, a cell that leaves its row. */
const FAULTS_OF_LAYOUT = `(() => {
  const faults = [];
  const boxOf = (part) => part.getBoundingClientRect();
  const table = boxOf(document.querySelector('.of-orders'));
  for (const row of document.querySelectorAll('#own-orders li')) {
    for (const part of [row, ...row.querySelectorAll('button, summary')]) {
      if (boxOf(part).right > table.right + 1) faults.push('leaves the list: ' + part.textContent);
    }
    const cells = [...row.children].filter((cell) => cell.checkVisibility() && boxOf(cell).width > 0);
    for (const [index, cell] of cells.entries()) {
      const [own, whole] = [boxOf(cell), boxOf(row)];
      if (own.left < whole.left - 1 || own.right > whole.right + 1) faults.push('leaves its row: ' + cell.textContent);
      for (const other of cells.slice(index + 1).map(boxOf)) {
        const over = own.left < other.right - 1 && other.left < own.right - 1 && own.top < other.bottom - 1 && other.top < own.bottom - 1;
        if (over) faults.push('over another: ' + cell.textContent);
      }
    }
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      if (!texts.currentNode.parentElement.checkVisibility()) continue;
      for (const { index, 0: word } of texts.currentNode.data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) faults.push('broken: ' + word);
      }
    }
  }
  for (const cell of document.querySelectorAll('#ladder td')) {
    if (cell.scrollWidth > cell.clientWidth) faults.push('leaves its column: ' + cell.textContent);
  }
  return [...new Set(faults)];
})()`;

describeInChromium('the list of orders', () => {
  it('fits nine widths, whatever became of an order', async () => {
    const page = await openFresh();
    const sizes = ['123456789.12', '9999.99', '45678.9'];
    const levels = sizes.map((size, index) => ({ price: `0.4${9 - index}`, size }));
    await page.route('**/v1/book/**', async (route) => {
      const headers = { ...route.request().headers(), 'if-none-match': '' };
      const response = await route.fetch({ headers });
      await route.fulfill({ response, json: { ...z.looseObject({}).parse(await response.json()), bids: levels } });
    });
    await page.route('**/paper/orders', (route) => route.fulfill({ json: { orders: venueOrders() } }));
    const prefix = `order-of-this-page ${serviceUrl()} ${walletAddress()} `;
    const entries = keptOrders().map((kept) => [prefix + kept.key, JSON.stringify(kept)]);
    await page.addInitScript(`for (const [key, text] of ${JSON.stringify(entries)}) localStorage.setItem(key, text);`);
    await page.goto(consoleUrl());
    await bookShown(page);
    await page.getByText('resting, 331.76 of 1,000,000.00 filled').waitFor();
    const statuses = await page.locator('#own-orders summary').allTextContents();
    expect(new Set(statuses)).toStrictEqual(new Set(STATUSES));
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
      expect([width, await page.evaluate(FAULTS_OF_LAYOUT), scrollWidth]).toStrictEqual([width, [], width]);
    }
  });
});
