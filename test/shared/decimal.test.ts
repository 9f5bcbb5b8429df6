import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  fromUnits,
  isMultipleOf,
  multiplyDecimals,
  ONE,
  parseDecimal,
  parseNumber,
  subtractDecimals,
  toUnits,
  ZERO,
} from '../../shared/decimal.ts';
import { isTokenId } from '../../shared/token-id.ts';

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

function parse(text: string): Decimal {
  const value = parseDecimal(text);
  if (!value) throw new Error(`not a decimal: ${text}`);
  return value;
}

function unitsOf({ coefficient, scale }: Decimal): bigint {
  return coefficient * 10n ** BigInt(UNITS * 2 - scale);
}

describe('a decimal', () => {
  it('keeps every digit from text to text, without superfluous zeros', () => {
    const property = fc.property(plain, ({ text, units }) => {
      const value = parse(text);
      expect(toUnits(value, UNITS)).toBe(units);
      const written = formatDecimal(value);
      expect(written).toMatch(/^(0|-?(0\.|[1-9]\d*(\.|$))(\d*[1-9])?)$/);
      expect(parse(written)).toStrictEqual(value);
    });
    fc.assert(property);
  });

  it('compares, subtracts and multiplies as its units do', () => {
    const property = fc.property(plain, plain, (a, b) => {
      const [x, y] = [parse(a.text), parse(b.text)];
      expect(Math.sign(compareDecimals(x, y))).toBe(a.units < b.units ? -1 : a.units > b.units ? 1 : 0);
      expect(unitsOf(subtractDecimals(x, y))).toBe((a.units - b.units) * BASE);
      expect(unitsOf(addDecimals(x, y))).toBe((a.units + b.units) * BASE);
      expect(unitsOf(multiplyDecimals(x, y))).toBe(a.units * b.units);
    });
    fc.assert(property);
  });

  it('has one record for each number, and equals itself', () => {
    const property = fc.property(plain, fc.nat({ max: 5 }), ({ text }, zeros) => {
      const longer = text.includes('.') ? `${text}${'0'.repeat(zeros)}` : `${text}.0${'0'.repeat(zeros)}`;
      expect(parse(longer)).toStrictEqual(parse(text));
      expect(compareDecimals(parse(longer), parse(text))).toBe(0);
    });
    fc.assert(property);
    expect([parse('0.00'), parse('1.0')]).toStrictEqual([ZERO, ONE]);
    expect([formatDecimal(ZERO), formatDecimal(ONE)]).toStrictEqual(['0', '1']);
  });

  it('knows its multiples', () => {
    const steps = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 10 }));
    const property = fc.property(
      plain,
      steps,
      fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
      (any, [coefficient, scale], times) => {
        const step = { coefficient, scale };
        const stepUnits = coefficient * 10n ** BigInt(UNITS - scale);
        expect(isMultipleOf({ coefficient: coefficient * times, scale }, step)).toBe(true);
        expect(isMultipleOf(parse(any.text), step)).toBe(any.units % stepUnits === 0n);
      },
    );
    fc.assert(property);
  });

  it('returns its units, or undefined with more decimals', () => {
    const property = fc.property(plain, fc.integer({ min: 0, max: 25 }), ({ text, units }, decimals) => {
      const divisor = 10n ** BigInt(UNITS - decimals);
      expect(toUnits(parse(text), decimals)).toBe(units % divisor === 0n ? units / divisor : undefined);
    });
    fc.assert(property);
  });

  it('is made of its units', () => {
    const property = fc.property(plain, ({ text, units }) => {
      expect(fromUnits(units, UNITS)).toStrictEqual(parse(text));
    });
    fc.assert(property);
  });

  it('is read from a text of 100 characters, and from none that is longer', () => {
    const longest = `0.${'1'.repeat(98)}`;
    expect(formatDecimal(parse(longest))).toBe(longest);
    expect(parseDecimal(`${longest}1`)).toBeUndefined();
  });
});

describe('a number with an exponent', () => {
  it('is the number without it', () => {
    const property = fc.property(plain, fc.integer({ min: -15, max: 15 }), ({ text, units }, power) => {
      fc.pre(text.length + Math.abs(power) < 60);
      const value = parseNumber(`${text}e${power}`);
      expect(value && unitsOf(value)).toBe(
        power < 0 ? (units * BASE) / 10n ** BigInt(-power) : units * BASE * 10n ** BigInt(power),
      );
      expect(parseDecimal(`${text}e${power}`)).toBeUndefined();
    });
    fc.assert(property);
  });

  it.each([
    ['1e2', '100'],
    ['1E+2', '100'],
    ['1e-2', '0.01'],
    ['1.50e1', '15'],
    ['-1e0', '-1'],
    ['0e5', '0'],
    ['-0', '0'],
    ['1e100', `1${'0'.repeat(100)}`],
  ])('%s is %s', (text, expected) => {
    const value = parseNumber(text);
    expect(value && formatDecimal(value)).toBe(expected);
  });

  it.each(['1e101', '1e-101', '1e400', '1e9999', '1'.repeat(101), '0'.padEnd(101, '.0')])(
    '%s is too large, small or long',
    (text) => {
      expect(parseNumber(text)).toBeUndefined();
    },
  );
});

describe('what is no number', () => {
  it.each([
    '',
    ' ',
    '-',
    '.',
    '.5',
    '5.',
    '+1',
    '01',
    '-01',
    '1 ',
    ' 1',
    '1_000',
    '1,5',
    '0x1',
    'NaN',
    'Infinity',
    '1e',
    'e1',
    '1e1.5',
    '٣',
    '1\n',
    '--1',
  ])('is not read: %j', (text) => {
    expect(parseNumber(text)).toBeUndefined();
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('is undefined for any other text, and never throws', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      const value = parseNumber(text);
      if (value) expect(text).toMatch(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/);
    });
    fc.assert(property);
  });
});

describe('a token id', () => {
  const largest = 2n ** 256n - 1n;

  it.each(['0', '7', '10', String(largest - 1n), String(largest)])('is %s', (text) => {
    expect(isTokenId(text)).toBe(true);
  });

  it.each([
    ['above a uint256', String(largest + 1n)],
    ['of 79 digits', '1'.repeat(79)],
    ['with a leading zero', '01'],
    ['with a sign', '-1'],
    ['in hex', '0x1'],
    ['with a space in front of it', ' 1'],
    ['with a line break behind it', '1\n'],
    ['without digits', ''],
  ])('is no number %s', (_name, text) => {
    expect(isTokenId(text)).toBe(false);
  });
});
