import { describe, expect, it } from '@jest/globals';
import { type Book, formatUnits } from '../../../packages/client/client.ts';
import { costOf, listCost, noteOn } from '../../../packages/console/cost.ts';
import { largestSize, mistakesIn, movePrice } from '../../../packages/console/draft.ts';
import { formatMoney, formatPrice, formatShares, formatTime, formatVolume } from '../../../packages/console/figures.ts';

const BOOK = {
  token_id: '1',
  condition_id: null,
  bids: [
    { price: '0.51', size: '40' },
    { price: '0.5', size: '60' },
  ],
  asks: [
    { price: '0.53', size: '10' },
    { price: '0.54', size: '20.5' },
  ],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: null,
  timestamp: null,
  hash: null,
} satisfies Book;

const FEES = { taker_rate: '0.04', exponent: '1', taker_only: true };

describe('the cost of an order', () => {
  it.each([
    // 10 × 0.04 × 0.53 × 0.47 = 0.09964; the rest waits at 0.53.
    ['buy', '0.53', '100', '10.00 × 0.53 = 5.30', '0.09964 pUSD', '90.00 × 0.53 = 47.70', '53.09964 pUSD'],
    // Each level pays the fee of its own price, however high the limit is.
    ['buy', '0.9', '30.5', '30.50 × 0.5367 ≈ 16.37', '0.30332 pUSD', 'nothing', '16.67332 pUSD'],
    ['buy', '0.52', '5', 'nothing', '0.00 pUSD', '5.00 × 0.52 = 2.60', '2.60 pUSD'],
    ['sell', '0.5', '80', '80.00 × 0.505 = 40.40', '0.79984 pUSD', 'nothing', '39.60016 pUSD'],
  ] as const)('of a %s at %s of %s is %s, %s, %s, %s', (side, price, size, matches, fee, rests, total) => {
    const order = { side, price, size };
    const sum = side === 'buy' ? 'Cost' : 'Proceeds';
    expect(listCost(order, costOf(order, BOOK, FEES))).toMatchObject({
      Matches: matches,
      Fee: fee,
      Rests: rests,
      [sum]: total,
    });
  });

  it('is not known where the market does not publish its fee', () => {
    const order = { side: 'buy', price: '0.53', size: '5' } as const;
    expect(listCost(order, costOf(order, BOOK, null))).toMatchObject({ Fee: 'not known', Cost: 'not known' });
  });

  it.each([
    ['buy', '0.53', '5', false, FEES, 'At most 2.69982 pUSD if the book moves.'],
    ['sell', '0.51', '80', false, FEES, 'At least 40.00032 pUSD if the book moves.'],
    ['buy', '0.1', '5', true, FEES, ''],
    ['buy', '0.53', '20', true, FEES, 'Would be refused: it is post-only, and 10.00 of 20.00 shares would match.'],
    ['buy', '0.1', '5', false, null, 'What rests may pay a fee: the market does not publish it.'],
    [
      'buy',
      '0.1',
      '5',
      false,
      { ...FEES, taker_only: null },
      'What rests may pay a fee: the market does not publish it.',
    ],
  ] as const)(
    'of a %s at %s of %s (post-only: %s, fees: %j) comes with: %s',
    (side, price, size, postOnly, fees, note) => {
      const order = { side, price, size };
      expect(noteOn(order, costOf(order, BOOK, fees), postOnly, fees)).toBe(note);
    },
  );

  it.each(['0', '1', '1.5', 'a'])('cannot be computed at a price of %s', (price) => {
    expect(() => costOf({ side: 'buy', price, size: '5' }, BOOK, FEES)).toThrow(RangeError);
  });
});

describe('a draft', () => {
  it.each([
    ['0.555', '5', 'Steps of 0.01: use 0.55 or 0.56', ''],
    ['1', '4.99', '0.01 to 0.99 in steps of 0.01', 'At least 5.00 shares'],
    ['abc', '1e3', 'A decimal, such as 0.51', 'A number with at most 2 decimals'],
    ['0.50', '5.001', '', 'A number with at most 2 decimals'],
    ['', '', '', ''],
  ])('at %s of %s is corrected by: %s, %s', (price, size, wrongPrice, wrongSize) => {
    expect(mistakesIn({ side: 'buy', price, size }, BOOK)).toStrictEqual({ price: wrongPrice, size: wrongSize });
  });

  it.each([
    ['0.59', 'up', '0.60'],
    ['0.555', 'down', '0.55'],
    ['0.01', 'down', '0.01'],
    ['0.99', 'up', '0.99'],
    ['x', 'up', 'x'],
  ] as const)('at %s steps %s to %s', (price, direction, next) => {
    expect(movePrice(price, '0.01', direction)).toBe(next);
  });

  it('buys at most what the free collateral pays with the fee, and sells at most the free shares', () => {
    const holdings = { freeCollateral: '10', freeShares: '7.129', shares: '9' };
    const size = largestSize({ side: 'buy', price: '0.54', size: '' }, BOOK, FEES, holdings);
    const { bound } = costOf({ side: 'buy', price: '0.54', size }, BOOK, FEES);
    const { bound: next } = costOf({ side: 'buy', price: '0.54', size: '18.19' }, BOOK, FEES);
    expect(
      [size, bound, next].map((value) => (typeof value === 'bigint' ? formatUnits(value, 36) : value)),
    ).toStrictEqual(['18.18', '9.99783', '10.00333']);
    expect(largestSize({ side: 'sell', price: '0.54', size: '' }, BOOK, FEES, holdings)).toBe('7.12');
  });
});

it('writes prices, shares, sums and times in one way each', () => {
  expect([formatPrice('0.6'), formatPrice('0.6', '0.001'), formatPrice('0.5345')]).toStrictEqual([
    '0.60',
    '0.600',
    '0.5345',
  ]);
  expect([formatShares('1123'), formatShares('900.567')]).toStrictEqual(['1,123.00', '900.56']);
  expect([formatMoney('20000'), formatMoney('0.09964'), formatVolume('8945.96')]).toStrictEqual([
    '20,000.00 pUSD',
    '0.09964 pUSD',
    '8,945 pUSD',
  ]);
  const now = new Date(2026, 10, 25, 16, 32, 0);
  expect(formatTime(new Date(2026, 10, 25, 9, 5, 1), now)).toBe('09:05:01');
  expect(formatTime(new Date(2026, 10, 24, 23, 3, 45), now)).toBe('2026-11-24 23:03');
});
