import { formatUnits, type OrderRequest, parseUnits } from '../client/client.ts';

/** Decimals of sums of collateral: a price and a size have 18 each. */
export const SUM_DECIMALS = 36;

/** Separates thousands and pads to a number of decimals; further digits are cut, never rounded. */
function fixed(decimal: string, decimals: number): string {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.slice(0, decimals).padEnd(decimals, '0')}`;
}

/** Formats a price with the decimals of its tick and at least two; it keeps all of its digits. */
export function formatPrice(price: string, tick = ''): string {
  return fixed(price, Math.max(2, ...[price, tick].map((decimal) => decimal.split('.')[1]?.length ?? 0)));
}

/** Formats a number of shares with two decimals: an order can have no more. */
export function formatShares(size: string): string {
  return fixed(size, 2);
}

/** Shortens a formatted figure for a narrow column: a large one leaves out its decimals, a larger one is in millions. */
export function shorten(figure: string): string {
  if (figure.length > 11) return `${figure.slice(0, -11)}.${figure.slice(-10, -8)}M`;
  return figure.length > 7 ? figure.slice(0, -3) : figure;
}

/** Formats a sum of collateral in whole cents: `up` for what the user pays, so that no cost looks smaller than it is. */
export function formatCents(sum: string, up = false): string {
  const [digits, cent] = [parseUnits(sum.replace('-', ''), SUM_DECIMALS), 10n ** BigInt(SUM_DECIMALS - 2)];
  const isDebt = sum.startsWith('-');
  // A loss grows where a gain would shrink.
  const cents = (digits + (up || isDebt ? cent - 1n : 0n)) / cent;
  return `${isDebt ? '−' : ''}${fixed(formatUnits(cents, 2), 2)}`;
}

/** Formats a sum of collateral with its unit. */
export function formatMoney(sum: string, up = false): string {
  return `${formatCents(sum, up)} pUSD`;
}

/** Returns the largest of some units; 0 if there are none. */
export function largest(units: readonly bigint[]): bigint {
  return units.toSorted((one, other) => (one > other ? -1 : 1))[0] ?? 0n;
}

/** Shortens the address of a wallet. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Multiplies a price by a number of shares: a sum of collateral. */
export function costOf(price: string | number, size: string | number): string {
  return formatUnits(parseUnits(price) * parseUnits(size), SUM_DECIMALS);
}

/** Formats an order in words, such as `buy 5.00 Yes at 0.51`. */
export function describeOrder(order: Pick<OrderRequest, 'side' | 'size' | 'price'> & { readonly outcome: string }) {
  const { side, size, price, outcome } = order;
  return `${side} ${formatShares(String(size))} ${outcome} at ${formatPrice(String(price))}`;
}

/** Formats a time in this machine's zone, such as `23:05:12`; of another day, with the date and without seconds. */
export function formatTime(at: Date, now = new Date()): string {
  const [date, time] = at.toLocaleString('sv').split(' ');
  return now.toLocaleString('sv').startsWith(`${date} `) ? `${time}` : `${date} ${time?.slice(0, 5)}`;
}
