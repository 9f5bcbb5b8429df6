import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addDecimals,
  addTexts,
  compareDecimals,
  compareTexts,
  type Decimal,
  formatDecimal,
  formatUnits,
  fromUnits,
  isMultipleOf,
  multiplyDecimals,
  ONE,
  parseDecimal,
  parseNumber,
  subtractDecimals,
  subtractTexts,
  toDecimal,
  toUnits,
  ZERO,
} from '../../shared/decimal.ts';

/** Digits after the point, at most, of the numbers that are generated: all of them are whole in units of 10^-40. */
const UNITS = 40;
const BASE = 10n ** BigInt(UNITS);

const coefficients = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
const scales = fc.integer({ min: 0, max: 20 });

/** A number in plain notation, superfluous zeros included, and its value in units. */
const plain = fc.tuple(coefficients, scales, fc.nat({ max: 3 })).map(([coefficient, scale, zeros]) => {
  const sign = coefficient < 0n ? '-' : '';
  const all = String(coefficient)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const whole = all.slice(0, all.length - scale);
  const fraction = `${all.slice(all.length - scale)}${'0'.repeat(zeros)}`;
  return {
    text: fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`,
    units: coefficient * 10n ** BigInt(UNITS - scale),
  };
});

function unitsOf({ coefficient, scale }: Decimal): bigint {
  return coefficient * 10n ** BigInt(UNITS * 2 - scale);
}

describe('a decimal', () => {
  it('keeps every digit from text to text, without superfluous zeros', () => {
    const decimals = fc.integer({ min: 0, max: UNITS });
    const property = fc.property(plain, fc.nat({ max: 5 }), decimals, ({ text, units }, zeros, places) => {
      const value = toDecimal(text);
      const divisor = 10n ** BigInt(UNITS - places);
      expect(toUnits(value, places)).toBe(units % divisor === 0n ? units / divisor : undefined);
      expect(fromUnits(units, UNITS)).toStrictEqual(value);
      const written = formatDecimal(value);
      expect(written).toMatch(/^(0|-?(0\.|[1-9]\d*(\.|$))(\d*[1-9])?)$/);
      expect(formatUnits(units, UNITS)).toBe(written);
      const longer = `${text}${text.includes('.') ? '' : '.0'}${'0'.repeat(zeros)}`;
      for (const same of [written, longer]) expect(toDecimal(same)).toStrictEqual(value);
    });
    fc.assert(property);
    expect([toDecimal('0.00'), toDecimal('1.0'), fromUnits(12n, -2)]).toStrictEqual([ZERO, ONE, toDecimal('1200')]);
  });

  it('compares, adds, subtracts and multiplies as its units do', () => {
    const property = fc.property(plain, plain, (a, b) => {
      const [x, y] = [toDecimal(a.text), toDecimal(b.text)];
      expect(Math.sign(compareDecimals(x, y))).toBe(a.units < b.units ? -1 : a.units > b.units ? 1 : 0);
      expect(unitsOf(subtractDecimals(x, y))).toBe((a.units - b.units) * BASE);
      expect(unitsOf(addDecimals(x, y))).toBe((a.units + b.units) * BASE);
      expect(unitsOf(multiplyDecimals(x, y))).toBe(a.units * b.units);
      expect(compareTexts(a.text, b.text)).toBe(compareDecimals(x, y));
      expect(subtractTexts(a.text, b.text)).toBe(formatDecimal(subtractDecimals(x, y)));
      expect(addTexts(a.text, b.text)).toBe(formatDecimal(addDecimals(x, y)));
    });
    fc.assert(property);
  });

  it('recognises multiples of a step', () => {
    const steps = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 10 }));
    const times = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n });
    const property = fc.property(plain, steps, times, (any, [coefficient, scale], factor) => {
      const step = { coefficient, scale };
      expect(isMultipleOf({ coefficient: coefficient * factor, scale }, step)).toBe(true);
      const stepUnits = coefficient * 10n ** BigInt(UNITS - scale);
      expect(isMultipleOf(toDecimal(any.text), step)).toBe(any.units % stepUnits === 0n);
    });
    fc.assert(property);
  });
});

/** Texts and the numbers that they are; a text with an exponent is a JSON number, and no decimal. */
const NUMBERS: readonly (readonly [text: string, written: string])[] = [
  ['1e2', '100'],
  ['1E+2', '100'],
  ['1e-2', '0.01'],
  ['1.50e1', '15'],
  ['-1e0', '-1'],
  ['0e5', '0'],
  ['-0', '0'],
  ['1e100', `1${'0'.repeat(100)}`],
  [`0.${'1'.repeat(98)}`, `0.${'1'.repeat(98)}`],
];

describe('a text', () => {
  it.each(NUMBERS)('%s is the number %s', (text, written) => {
    const value = parseNumber(text);
    expect(value && formatDecimal(value)).toBe(written);
    expect(parseDecimal(text)).toStrictEqual(/e/i.test(text) ? undefined : value);
  });

  it('with an exponent is the number without it', () => {
    const property = fc.property(plain, fc.integer({ min: -15, max: 15 }), ({ text, units }, power) => {
      fc.pre(text.length + Math.abs(power) < 60);
      const value = parseNumber(`${text}e${power}`);
      const factor = 10n ** BigInt(Math.abs(power));
      expect(value && unitsOf(value)).toBe(power < 0 ? (units * BASE) / factor : units * BASE * factor);
    });
    fc.assert(property);
  });

  it.each([
    ...['', ' ', '-', '.', '.5', '5.', '+1', '01', '-01', '1 ', ' 1', '1_000', '1,5', '0x1', 'NaN', 'Infinity'],
    ...['1e', 'e1', '1e1.5', '٣', '1\n', '--1', `0.${'1'.repeat(99)}`, '1'.repeat(101)],
    ...['1e101', '1e-101', '1e400', '1e9999'],
  ])('is no number: %j', (text) => {
    expect([parseNumber(text), parseDecimal(text)]).toStrictEqual([undefined, undefined]);
    expect(() => toDecimal(text)).toThrow(new RangeError('a text is no decimal'));
  });
});
