/** A decimal of the service as text, such as `0.52`; prices and sizes are never binary floating point here. */
export type Decimal = string;

/** Reads plain notation as whole units of 10^-scale. Throws `RangeError` for anything else. */
function parse(text: Decimal): { readonly units: bigint; readonly scale: number } {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  if (whole === undefined)
    throw new RangeError(`${text === '' ? 'Nothing' : `"${text}"`} is not a decimal such as 0.25.`);
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

function format(units: bigint, scale: number): Decimal {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return sign + `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}

/** Brings two decimals to one scale. */
function align(left: Decimal, right: Decimal): readonly [left: bigint, right: bigint, scale: number] {
  const [a, b] = [parse(left), parse(right)];
  const scale = Math.max(a.scale, b.scale);
  return [a.units * 10n ** BigInt(scale - a.scale), b.units * 10n ** BigInt(scale - b.scale), scale];
}

/** Adds exactly. This and the others throw `RangeError` for what is no decimal. */
export function add(left: Decimal, right: Decimal): Decimal {
  const [a, b, scale] = align(left, right);
  return format(a + b, scale);
}

/** Subtracts exactly; the result may have a minus sign. */
export function subtract(left: Decimal, right: Decimal): Decimal {
  const [a, b, scale] = align(left, right);
  return format(a - b, scale);
}

export function multiply(left: Decimal, right: Decimal): Decimal {
  const [a, b] = [parse(left), parse(right)];
  return format(a.units * b.units, a.scale + b.scale);
}

/** Tells the order of two decimals: below 0 where the left one is the smaller one, 0 where they are equal. */
export function compare(left: Decimal, right: Decimal): number {
  const [a, b] = align(left, right);
  return Number(a > b) - Number(a < b);
}
