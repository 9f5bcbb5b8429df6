import { describe, expect, it } from '@jest/globals';
import type { Book } from '../../../packages/client/client.ts';
import { costOf, explainCost } from '../../../packages/console/cost.ts';
import { bounded } from '../../../packages/console/figures.ts';

const BOOK = {
  bids: [
    { price: '0.51', size: '40' },
    { price: '0.5', size: '60' },
  ],
  asks: [
    { price: '0.53', size: '10' },
    { price: '0.54', size: '20.5' },
  ],
} satisfies Pick<Book, 'bids' | 'asks'>;

const FEES = { taker_rate: '0.04', exponent: '1', taker_only: true };

describe('the cost of an order', () => {
  it.each([
    // 100 × 0.04 × 0.53 × 0.47 = 0.9964
    [
      { side: 'buy', price: '0.53', size: '100' },
      { notional: '53', fee: '0.9964', bound: '53.9964', matching: '10' },
    ],
    [
      { side: 'buy', price: '0.54', size: '30.5' },
      { notional: '16.47', fee: '0.30304', bound: '16.77304', matching: '30.5' },
    ],
    [
      { side: 'buy', price: '0.52', size: '5' },
      { notional: '2.6', fee: '0.04992', bound: '2.64992', matching: '0' },
    ],
    [
      { side: 'sell', price: '0.5', size: '80' },
      { notional: '40', fee: '0.8', bound: '39.2', matching: '80' },
    ],
    [
      { side: 'sell', price: '0.51', size: '80' },
      { notional: '40.8', fee: '0.79968', bound: '40.00032', matching: '40' },
    ],
  ] as const)('of %j is %j', (order, cost) => {
    expect(costOf(order, BOOK, FEES)).toStrictEqual(cost);
  });

  it('is not known where the market does not tell its fee', () => {
    const cost = costOf({ side: 'buy', price: '0.53', size: '5' }, BOOK, null);
    expect(cost).toMatchObject({ fee: null, bound: null });
  });

  it.each([
    [
      'buy',
      '0.53',
      '5',
      false,
      'All of it matches at once by this book. With a fee of 0.04982 pUSD at this price it costs 2.69982 pUSD at most.',
    ],
    [
      'sell',
      '0.51',
      '80',
      false,
      '40 of 80 shares match at once by this book. With a fee of 0.79968 pUSD at this price it brings 40.00032 pUSD at least where all of it is filled.',
    ],
    // At 0.53 and 0.54, where it matches, the fee is 0.298 pUSD: the one at its own price is no bound.
    [
      'buy',
      '0.9',
      '30',
      false,
      'All of it matches at once by this book. With a fee of 0.108 pUSD at this price it costs 27.108 pUSD at most.',
    ],
    ['buy', '0.1', '5', true, 'Rests on the book: nothing matches at this price now, and what rests pays no fee.'],
    ['buy', '0.53', '20', true, 'Would be refused: 10 of 20 shares would match at once, and it is post-only.'],
  ] as const)('of a %s at %s of %s (post-only: %s) reads: %s', (side, price, size, postOnly, words) => {
    const order = { side, price, size };
    const [, ...lines] = explainCost(order, costOf(order, BOOK, FEES), postOnly, FEES);
    expect(lines.join(' ')).toBe(words);
  });

  it.each([
    [null, '.'],
    [{ ...FEES, taker_only: false }, '.'],
    [{ ...FEES, taker_only: null }, '.'],
    [{ taker_rate: '0', exponent: null, taker_only: null }, ', and what rests pays no fee.'],
  ])('promises no fee of what rests only where the market says so: %j', (fees, end) => {
    const order = { side: 'buy', price: '0.1', size: '5' } as const;
    const [, line] = explainCost(order, costOf(order, BOOK, fees), false, fees);
    expect(line).toBe(`Rests on the book: nothing matches at this price now${end}`);
  });

  it.each(['0', '1', '1.5', 'a'])('is undefined at a price of %s', (price) => {
    expect(() => costOf({ side: 'buy', price, size: '5' }, BOOK, FEES)).toThrow(RangeError);
  });
});

it.each([
  ['61.9516', 'at most', '61.96'],
  ['61.9516', 'at least', '61.95'],
  ['6338.49', 'at most', '6,338.49'],
  ['0.000001', 'at most', '0.01'],
  ['-0.001', 'at least', '-0.01'],
  ['-0.001', 'at most', '0.00'],
] as const)('shows %s, as a bound %s, as %s', (sum, bound, shown) => {
  expect(bounded(sum, bound)).toBe(shown);
});
