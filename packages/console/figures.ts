import { formatUnits, parseUnits } from '../client/client.ts';

/** Decimals of a number of shares: the venue takes no more. */
export const SHARES_DECIMALS = 2;

/** Formats a decimal with thousands separated and a fixed number of decimals; further digits are cut, never rounded. */
export function fixed(decimal: string, decimals: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === 0 ? grouped : `${grouped}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
}

/** Formats a sum of money with two decimals or, where a charge has more, with all of them. */
export function money(decimal: string): string {
  return fixed(decimal, Math.max(2, decimalsOf(decimal)));
}

/** Formats a bound of a sum of money with two decimals: one from above is rounded up, one from below down. */
export function bounded(decimal: string, bound: 'at least' | 'at most'): string {
  const cent = 10n ** 34n;
  const isNegative = decimal.startsWith('-');
  const size = parseUnits(decimal.replace('-', ''), 36);
  // Away from zero is up for a positive sum, and down for a negative one.
  const cents = size / cent + ((bound === 'at most') !== isNegative && size % cent > 0n ? 1n : 0n);
  return fixed(formatUnits(isNegative ? -cents : cents, 2), 2);
}

/** Returns the number of decimals that a decimal is written with, such as 2 for a tick of `0.01`. */
export function decimalsOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}
