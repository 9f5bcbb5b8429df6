import { describe, expect, it } from '@jest/globals';
import { quote } from '../../../packages/client/quote.ts';
import { BOOK, FEES } from '../../support/service/client-book.ts';

// test/packages/paper-venue/exchange.test.ts compares quotes with what the venue then does.
describe('a quote', () => {
  it('of a purchase through two levels has exact sums, and an average that is rounded up', () => {
    expect(quote(BOOK, { fees: FEES }, { side: 'buy', price: 0.9, size: '40' })).toStrictEqual({
      matched_size: '30.5',
      matched_value: '16.575',
      average_price: '0.543443',
      worst_price: '0.55',
      ticks_moved: 2,
      // 10 × 0.04 × 0.53 × 0.47 and 20.5 × 0.04 × 0.55 × 0.45
      fee: '0.30259',
      resting_size: '9.5',
      total: '25.42759',
      bound: '36.144',
      profit_if_wins: '14.57241',
      would_be_refused: null,
    });
  });

  it('of a sale has an average that is rounded down, its proceeds, and no profit', () => {
    expect(quote(BOOK, { fees: FEES }, { side: 'sell', price: '0.5', size: '70' })).toMatchObject({
      matched_value: '35.4',
      average_price: '0.505714',
      ticks_moved: 1,
      total: '34.70016',
      bound: '34.3',
      profit_if_wins: null,
    });
  });

  it.each([
    ['no fees', null, { fee: null, total: null, bound: null, profit_if_wins: null }],
    ['fees that a resting order may pay', { ...FEES, taker_only: null }, { fee: '0.09964', total: null }],
  ])('with %s has null for each sum that a fee would change', (_what, fees, expected) => {
    expect(quote(BOOK, { fees }, { side: 'buy', price: '0.53', size: '12' })).toMatchObject(expected);
  });

  it.each([
    [FEES, '0.52', '5.2', '5.2'],
    // It would be refused, and pays nothing in any case.
    [FEES, '0.53', '5.3', '5.3'],
    [{ ...FEES, taker_only: null }, '0.52', null, '5.29984'],
    [null, '0.52', null, null],
  ])('of a post-only order contains no taker fee: %j at %s', (fees, price, total, bound) => {
    const order = { side: 'buy', price, size: '10', post_only: true } as const;
    expect(quote(BOOK, { fees }, order)).toMatchObject({ total, bound });
  });

  it.each([
    ['0.994', '5', 'price_out_of_range', 'The price must be from 0.01 to 0.99.'],
    ['0.515', '5', 'price_off_tick', 'The price must be a multiple of 0.01.'],
    ['0.51', '1000000000.01', 'invalid_request', 'The size must be at most 1000000000 shares.'],
    ['0.51', '5.001', 'size_precision', 'The size must have at most 2 decimals.'],
    ['0.51', '4.99', 'size_below_minimum', 'The size must be at least 5 shares.'],
    ['0.51', '20', 'order_above_cap', 'Price × size must be at most 10.'],
    ['0.53', '12', 'post_only_would_cross', '10 of 12 shares would match at once; a post-only order must rest.'],
  ])('at %s of %s predicts the refusal %s', (price, size, code, detail) => {
    const order = { side: 'buy', price, size, post_only: true } as const;
    const { would_be_refused } = quote(BOOK, { fees: FEES }, order, { maxNotional: '10' });
    expect(would_be_refused).toStrictEqual({ code, detail });
  });

  it('throws if price or size is not a decimal', () => {
    expect(() => quote(BOOK, { fees: null }, { side: 'buy', price: '5e-1', size: '5' })).toThrow(RangeError);
  });
});
