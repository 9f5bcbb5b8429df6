import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatUnits, parseUnits, roundToTick, takerFee } from '../../../packages/client/amounts.ts';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  isMultipleOf,
  multiplyDecimals,
  ONE,
  parseDecimal,
  subtractDecimals,
  ZERO,
} from '../../../shared/decimal.ts';

function decimal(text: string | null): Decimal {
  const parsed = parseDecimal(text ?? '');
  if (!parsed) throw new Error(`not a decimal: ${text}`);
  return parsed;
}

function add(a: Decimal, b: Decimal): Decimal {
  return subtractDecimals(a, subtractDecimals(ZERO, b));
}

function power(base: Decimal, exponent: number): Decimal {
  return Array.from({ length: exponent }).reduce<Decimal>((product) => multiplyDecimals(product, base), ONE);
}

function fees(taker_rate: string, exponent: string | null = '1') {
  return { taker_rate, exponent, taker_only: true };
}

const scaled = (digits: number, scale: number) => formatDecimal({ coefficient: BigInt(digits), scale });

const orders = fc.record({
  price: fc.oneof(
    fc.integer({ min: 1, max: 9_999 }).map((units) => scaled(units, 4)),
    fc.integer({ min: 1, max: 999_999_999 }).map((units) => scaled(units, 9)),
  ),
  size: fc.oneof(
    fc.integer({ min: 1, max: 10_000_000 }).map((units) => scaled(units, 2)),
    fc.stringMatching(/^[1-9]\d{0,30}\.\d{1,6}$/),
  ),
});
const rates = fc.integer({ min: 0, max: 10_000 }).map((units) => scaled(units, 4));

/** Size × rate × (price × (1 − price)) ^ exponent, not rounded. */
function exactFee(order: { readonly price: string; readonly size: string }, rate: string, exponent: number): Decimal {
  const price = decimal(order.price);
  const curve = power(multiplyDecimals(price, subtractDecimals(ONE, price)), exponent);
  return multiplyDecimals(multiplyDecimals(decimal(order.size), decimal(rate)), curve);
}

describe('units', () => {
  it('are read and written without a loss, negative ones too', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.integer({ min: 0, max: 30 }), (units, decimals) => {
        const text = formatUnits(units, decimals);
        expect(text).toBe(formatDecimal(subtractDecimals({ coefficient: units, scale: decimals }, ZERO)));
        if (units >= 0n) expect(parseUnits(text, decimals)).toBe(units);
      }),
    );
  });

  it.each(['', '-1', '1e3', '0,5', '.5', '1.', 'NaN', '0.0000000000000000001'])('are not read from %j', (text) => {
    expect(() => parseUnits(text)).toThrow(RangeError);
  });
});

describe('the fee of a taker', () => {
  it.each([
    // Of the table in https://docs.polymarket.com/trading/fees.
    ['0.5', '100', fees('0.07'), '1.75'],
    ['0.5', '100', fees('0.05'), '1.25'],
    ['0.5', '100', fees('0.04'), '1'],
    // Of the official client's tests.
    ['0.5', '100', fees('0.25', '2'), '1.5625'],
    [0.53, 100, fees('0.04'), '0.9964'],
    ['0.530', '100.00', fees('0.040'), '0.9964'],
    ['0.3', '0.01', fees('0.07'), '0.00014'],
    ['0.01', '0.01', fees('0.07'), '0'],
    ['0.5', '100', fees('0.07', '0'), '7'],
    ['0.5', '4', fees('0'), '0'],
    ['0.5', '4', fees('0', null), '0'],
    ['0.5', '0', fees('0.07'), '0'],
  ])('of price %p, size %p under %j is %s', (price, size, schedule, fee) => {
    expect(takerFee({ price, size }, schedule)).toBe(fee);
  });

  it('is the exact one cut after five decimals, for every whole exponent', () => {
    const property = fc.property(orders, rates, fc.nat(6), (order, rate, exponent) => {
      const [whole = '', fraction = ''] = formatDecimal(exactFee(order, rate, exponent)).split('.');
      const cut = formatDecimal(decimal(`${whole}.${fraction.padEnd(5, '0').slice(0, 5)}`));
      expect(takerFee(order, fees(rate, String(exponent)))).toBe(cut);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it.each([
    ['no fees', null],
    ['no exponent', fees('0.04', null)],
    ['an exponent below zero', fees('0.04', '-1')],
    ['an exponent of three digits', fees('0.04', '100')],
    ['an exponent with a fraction', fees('0.04', '0.5')],
    ['a rate below zero', fees('-0.04')],
    ['an empty rate', fees('')],
  ])('is null with %s', (_what, schedule) => {
    expect(takerFee({ price: '0.5', size: '5' }, schedule)).toBeNull();
  });

  it.each([
    [{ price: '0', size: '5' }, 'The price must be between 0 and 1, not "0".'],
    [{ price: 1, size: '5' }, 'The price must be between 0 and 1, not "1".'],
    [{ price: '51', size: '5' }, 'The price must be between 0 and 1, not "51".'],
    [{ price: 'half', size: '5' }, 'The price must be a decimal such as 0.25, not "half".'],
    [{ price: Number.NaN, size: '5' }, 'The price must be a decimal such as 0.25, not "NaN".'],
    [{ price: '0.5', size: -5 }, 'The size must be a decimal such as 0.25, not "-5".'],
    [{ price: '0.5', size: '1e3' }, 'The size must be a decimal such as 0.25, not "1e3".'],
    [{ price: '0.5', size: '' }, 'The size must be a decimal such as 0.25, not "".'],
  ])('refuses %j', (order, sentence) => {
    expect(() => takerFee(order, fees('0'))).toThrow(new RangeError(sentence));
    expect(() => takerFee(order, null)).toThrow(RangeError);
  });
});

const TICKS = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'] as const;
const prices = fc.oneof(
  fc.integer({ min: 0, max: 10_000 }).map((units) => scaled(units, 4)),
  fc.stringMatching(/^0\.\d{1,30}$/),
);

/** The rounded price, or `undefined` where there is none on the grid. */
function rounded(price: string, tick: string, direction: 'down' | 'up' | 'nearest'): Decimal | undefined {
  try {
    return decimal(roundToTick(price, tick, direction));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

describe('rounding to a tick', () => {
  it.each([
    ['0.5239', '0.01', '0.52', '0.53', '0.52'],
    ['0.52', '0.01', '0.52', '0.52', '0.52'],
    ['0.525', '0.01', '0.52', '0.53', '0.53'],
    ['0.5149999999999999999999', '0.01', '0.51', '0.52', '0.51'],
    ['0.4137', '0.0025', '0.4125', '0.415', '0.4125'],
    [0.35, 0.1, '0.3', '0.4', '0.4'],
    [0.1 + 0.2, '0.1', '0.3', '0.4', '0.3'],
    ['0.50', '0.100', '0.5', '0.5', '0.5'],
  ])('takes %p on a tick of %p down to %s, up to %s and to the nearest, %s', (price, tick, down, up, nearest) => {
    expect(roundToTick(price, tick, 'down')).toBe(down);
    expect(roundToTick(price, tick, 'up')).toBe(up);
    expect(roundToTick(price, tick, 'nearest')).toBe(nearest);
  });

  it('gives the multiple that is next below, next above or nearest, the upper one of two', () => {
    const property = fc.property(prices, fc.constantFrom(...TICKS), (price, tick) => {
      const [exact, step] = [decimal(price), decimal(tick)];
      const [down, up, nearest] = [
        rounded(price, tick, 'down'),
        rounded(price, tick, 'up'),
        rounded(price, tick, 'nearest'),
      ];
      for (const result of [down, up, nearest]) expect(result === undefined || isMultipleOf(result, step)).toBe(true);
      if (down) {
        expect(compareDecimals(down, exact)).toBeLessThanOrEqual(0);
        expect(compareDecimals(exact, add(down, step))).toBeLessThan(0);
      }
      if (up) {
        expect(compareDecimals(up, exact)).toBeGreaterThanOrEqual(0);
        expect(compareDecimals(subtractDecimals(up, step), exact)).toBeLessThan(0);
      }
      if (down && up && nearest) {
        const [below, above] = [subtractDecimals(exact, down), subtractDecimals(up, exact)];
        expect(nearest).toStrictEqual(compareDecimals(below, above) < 0 ? down : up);
      }
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('gives a price from one tick to 1 − tick, and none exactly where there is none on that side', () => {
    const property = fc.property(prices, fc.constantFrom(...TICKS), (price, tick) => {
      const [exact, step] = [decimal(price), decimal(tick)];
      const last = subtractDecimals(ONE, step);
      const [down, up] = [rounded(price, tick, 'down'), rounded(price, tick, 'up')];
      expect(down !== undefined).toBe(compareDecimals(exact, step) >= 0 && compareDecimals(exact, ONE) < 0);
      expect(up !== undefined).toBe(compareDecimals(exact, ZERO) > 0 && compareDecimals(exact, last) <= 0);
      const half = multiplyDecimals(step, decimal('0.5'));
      const isNear = compareDecimals(exact, half) >= 0 && compareDecimals(exact, add(last, half)) < 0;
      expect(rounded(price, tick, 'nearest') !== undefined).toBe(isNear);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it.each([
    ['0.004', '0.01', 'The price 0.004 becomes 0; it must be from 0.01 to 0.99.'],
    [1.5, '0.1', 'The price 1.5 becomes 1.5; it must be from 0.1 to 0.9.'],
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
