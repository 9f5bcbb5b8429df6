import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatUnits, parseUnits, roundToTick, takerFee } from '../../../packages/client/amounts.ts';
import { formatDecimal, subtractDecimals, ZERO } from '../../../shared/decimal.ts';

function fees(taker_rate: string, exponent: string | null = '1') {
  return { taker_rate, exponent, taker_only: true };
}

describe('units', () => {
  it('are read and written as the decimals of the service, negative ones too', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 30 }), (units, decimals) => {
        const text = formatUnits(units, decimals);
        expect(text).toBe(formatDecimal(subtractDecimals({ coefficient: units, scale: decimals }, ZERO)));
        if (units >= 0n) expect(parseUnits(text, decimals)).toBe(units);
      }),
    );
  });

  it.each(['', '-1', '1e3', '0,5', '.5', '1.', '0.0000000000000000001'])('are not read from %j', (text) => {
    expect(() => parseUnits(text)).toThrow(
      /^The number (?:must be a decimal such as 0\.25, not|0.* has more than 18 decimals\.$)/,
    );
  });
});

describe('the fee of a taker', () => {
  it.each([
    // Of the table in https://docs.polymarket.com/trading/fees.
    ['0.5', '100', fees('0.07'), '1.75'],
    // Of the official client's tests.
    ['0.5', '100', fees('0.25', '2'), '1.5625'],
    [0.53, 100, fees('0.04'), '0.9964'],
    ['0.530', '100.00', fees('0.040'), '0.9964'],
    ['0.5', '100', fees('0.07', '0'), '7'],
    ['0.5', '4', fees('0', null), '0'],
    ['0.5', '4', null, null],
    ['0.5', '4', fees('0.04', null), null],
    ['0.5', '4', fees('0.04', '-1'), null],
    ['0.5', '4', fees('0.04', '100'), null],
    ['0.5', '4', fees('-0.04'), null],
    ['0.5', '4', fees(''), null],
  ])('of price %p, size %p under %j is %s', (price, size, schedule, fee) => {
    expect(takerFee({ price, size }, schedule)).toBe(fee);
  });

  it('is the exact one cut after five decimals, for every whole exponent', () => {
    const whole = {
      price: fc.bigInt(1n, 10n ** 9n - 1n),
      size: fc.bigInt(1n, 10n ** 30n),
      rate: fc.bigInt(0n, 10_000n),
    };
    const property = fc.property(fc.record(whole), fc.nat(6), ({ price, size, rate }, exponent) => {
      const curve = (price * (10n ** 9n - price)) ** BigInt(exponent);
      const cut = (size * rate * curve * 10n ** 5n) / (10n ** 6n * 10n ** 4n * 10n ** BigInt(18 * exponent));
      const order = { price: formatUnits(price, 9), size: formatUnits(size, 6) };
      expect(takerFee(order, fees(formatUnits(rate, 4), String(exponent)))).toBe(formatUnits(cut, 5));
    });
    fc.assert(property);
  });

  it.each([
    [{ price: '0', size: '5' }, 'The price must be between 0 and 1, not "0".'],
    [{ price: 1, size: '5' }, 'The price must be between 0 and 1, not "1".'],
    [{ price: 'half', size: '5' }, 'The price must be a decimal such as 0.25, not "half".'],
    [{ price: '0.5', size: -5 }, 'The size must be a decimal such as 0.25, not "-5".'],
  ])('refuses %j', (order, sentence) => {
    expect(() => takerFee(order, fees('0'))).toThrow(new RangeError(sentence));
    expect(() => takerFee(order, null)).toThrow(RangeError);
  });
});

describe('rounding to a tick', () => {
  it.each([
    ['0.5149999999999999999999', '0.01', '0.51', '0.52', '0.51'],
    [0.1 + 0.2, 0.1, '0.3', '0.4', '0.3'],
    ['0.50', '0.500', '0.5', '0.5', '0.5'],
  ])('takes %p on a tick of %p down to %s, up to %s and to the nearest, %s', (price, tick, down, up, nearest) => {
    expect(roundToTick(price, tick, 'down')).toBe(down);
    expect(roundToTick(price, tick, 'up')).toBe(up);
    expect(roundToTick(price, tick, 'nearest')).toBe(nearest);
  });

  it('gives the multiple next below, next above or nearest, the upper one of two, and none beyond the grid', () => {
    const one = 10n ** 8n;
    const ticks = fc.constantFrom('0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001');
    const prices = fc.oneof(
      fc.bigInt(0n, one),
      fc.bigInt(0n, 2_000n).map((step) => step * (one / 2_000n)),
    );
    const property = fc.property(prices, ticks, (price, tickSize) => {
      const tick = parseUnits(tickSize, 8);
      const down = price - (price % tick);
      const up = price % tick === 0n ? price : down + tick;
      const nearest = 2n * (price - down) >= tick ? down + tick : down;
      const results = [
        ['down', down],
        ['up', up],
        ['nearest', nearest],
      ] as const;
      for (const [direction, result] of results) {
        const rounded = () => roundToTick(formatUnits(price, 8), tickSize, direction);
        if (result >= tick && result <= one - tick) expect(rounded()).toBe(formatUnits(result, 8));
        else expect(rounded).toThrow(RangeError);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    ['0.004', '0.01', 'The price 0.004 becomes 0; it must be from 0.01 to 0.99.'],
    ['-0.5', '0.1', 'The price must be a decimal such as 0.25, not "-0.5".'],
    ['0.5', '0', 'The tick size must be above 0 and at most 0.5.'],
    ['0.5', '0.6', 'The tick size must be above 0 and at most 0.5.'],
    ['0.5', 'a cent', 'The tick size must be a decimal such as 0.25, not "a cent".'],
  ])('refuses %p on a tick of %p', (price, tick, sentence) => {
    expect(() => roundToTick(price, tick, 'down')).toThrow(new RangeError(sentence));
  });

  it('refuses a direction that it does not know', () => {
    const floor = JSON.parse('"floor"');
    const sentence = 'A price is rounded down, up or nearest, not "floor".';
    expect(() => roundToTick('0.5', '0.1', floor)).toThrow(new RangeError(sentence));
  });
});
