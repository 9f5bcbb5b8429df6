/** One whole, in millionths: the unit in which the venue counts shares, collateral and (here) prices. */
export const ONE = 1_000_000n;

/**
 * Hundredth of a share, in millionths. The venue takes limit sizes with at most two decimals and prices with at most
 * four, so a whole number of lots times a price is a whole number of millionths: no fill is ever rounded.
 */
export const LOT = 10_000n;

/** Formats millionths as a plain decimal without superfluous zeros: 1500000n is "1.5". */
export function toDecimal(millionths: bigint): string {
  const sign = millionths < 0n ? '-' : '';
  const digits = (millionths < 0n ? -millionths : millionths).toString().padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Reads a plain decimal into millionths; RangeError for anything else or for more than six decimals. */
export function fromDecimal(text: string): bigint {
  const match = /^(\d{1,30})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) throw new RangeError(`not a decimal with at most six places: ${text}`);
  return BigInt(match[1] ?? '0') * ONE + BigInt((match[2] ?? '').padEnd(6, '0'));
}

/** Collateral for `size` shares at `price`, all in millionths; exact for whole lots at a price of four decimals. */
export function notional(size: bigint, price: bigint): bigint {
  return (size * price) / ONE;
}

/** Counts the decimals that an amount in millionths needs: 1500000n needs one. */
export function decimalsOf(millionths: bigint): number {
  return (toDecimal(millionths).split('.')[1] ?? '').length;
}
