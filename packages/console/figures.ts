import { formatUnits, parseUnits } from '../client/client.ts';

/** Separates thousands and pads to a number of decimals; further digits are cut, never rounded. */
function fixed(decimal: string, decimals: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === 0 ? grouped : `${grouped}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
}

/** Returns the number of decimals that a decimal is written with, such as 2 for a tick of `0.01`. */
export function decimalsOf(decimal: string): number {
  return decimal.split('.')[1]?.length ?? 0;
}

/** Formats a price with the decimals of its tick and at least two; it keeps all of its digits. */
export function formatPrice(price: string, tick = ''): string {
  return fixed(price, Math.max(2, decimalsOf(price), decimalsOf(tick)));
}

/** Formats a number of shares with two decimals: an order can have no more. */
export function formatShares(size: string): string {
  return fixed(size, 2);
}

/** Formats a sum of collateral with at least two decimals; it keeps all of its digits. */
export function formatMoney(sum: string): string {
  return `${formatPrice(sum)} pUSD`;
}

/** Formats a volume in whole pUSD. */
export function formatVolume(sum: string): string {
  return `${fixed(sum, 0)} pUSD`;
}

/** Returns the average price of shares that cost a sum, with four decimals: further digits are cut. */
export function averagePrice(value: bigint, size: bigint): string {
  return formatUnits((value * 10_000n) / size / parseUnits('1'), 4);
}

/** Formats a time in this machine's zone, such as `23:05:12`; of another day, with the date and without seconds. */
export function formatTime(at: Date, now = new Date()): string {
  const [date, time] = at.toLocaleString('sv').split(' ');
  return now.toLocaleString('sv').startsWith(`${date} `) ? `${time}` : `${date} ${time?.slice(0, 5)}`;
}
