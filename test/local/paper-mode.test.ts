import { describe, expect, it } from '@jest/globals';
import { restingPrice } from '../../local/paper-mode.ts';

describe('the price to try', () => {
  it.each([
    ['0.50', '0.01', '0.49'],
    ['0.02', '0.01', '0.01'],
    ['0.01', '0.01', '0.01'],
    ['0.005', '0.001', '0.004'],
    ['0.4', '0.0001', '0.3999'],
  ])('below a lowest bid of %s with ticks of %s is %s', (bid, tick, price) => {
    expect(restingPrice(bid, tick)).toBe(price);
  });
});
