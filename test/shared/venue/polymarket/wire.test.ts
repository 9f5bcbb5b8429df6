import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareDecimals, formatDecimal, parseNumber, ZERO } from '../../../../shared/decimal.ts';
import { decimalOrNull } from '../../../../shared/venue/polymarket/wire.ts';

function plainly(text: string): string | null {
  const isLoose = text.length <= 100 && /^\d{0,50}(?:\.\d{0,50})?$/.test(text) && /\d/.test(text);
  const spelt = isLoose ? `0${text}`.replace(/^0+(?=\d)/, '').replace(/\.$/, '') : text;
  const decimal = parseNumber(spelt);
  return decimal && compareDecimals(decimal, ZERO) >= 0 ? formatDecimal(decimal) : null;
}

it('puts a decimal into canonical form as reading and writing it would', () => {
  const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^\\d{0,${maxLength}}$`));
  const zeros = fc.nat(40).map((length) => '0'.repeat(length));
  const written = fc.tuple(fc.constantFrom('', '-'), digits(34), fc.constantFrom('', '.'), digits(34), zeros);
  const text = fc.oneof(
    written.map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom('0.', '1', '10.', '.', '0.5'), zeros).map((parts) => parts.join('')),
    fc.string({ maxLength: 5 }),
  );
  const property = fc.property(text, (decimal) => expect(decimalOrNull(decimal)).toBe(plainly(decimal)));
  fc.assert(property, {
    numRuns: 5_000,
    examples: [['.48'], ['48.'], ['.'], ['0.0'], ['0.50'], ['100'], ['100.00'], ['.0'], ['0.'], ['00.0']],
  });
});
