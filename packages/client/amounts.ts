import type { components } from './api.ts';

type Schemas = components['schemas'];

/** Decimal number as text; a JavaScript number counts with the digits that it prints. */
type Decimal = string | number;

/** Decimals of a fee, in collateral. */
const FEE_DECIMALS = 5;

/** Reads plain notation as whole units of 10^-scale; `undefined` for anything else, such as a sign or an exponent. */
function parse(value: Decimal): { readonly units: bigint; readonly scale: number } | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  return whole === undefined ? undefined : { units: BigInt(whole + fraction), scale: fraction.length };
}

function read(name: string, value: Decimal) {
  const decimal = parse(value);
  if (!decimal) throw new RangeError(`The ${name} must be a decimal such as 0.25, not "${value}".`);
  return decimal;
}

function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Reads a decimal as a whole number of 10^-decimals. Throws RangeError for no plain decimal, and for one that is finer. */
export function parseUnits(value: Decimal, decimals = 18): bigint {
  const { units, scale } = read('number', value);
  if (scale > decimals) throw new RangeError(`The number ${value} has more than ${decimals} decimals.`);
  return units * tenTo(decimals - scale);
}

/** Formats a whole number of 10^-decimals as a decimal without superfluous zeros. */
export function formatUnits(units: bigint, decimals = 18): string {
  const digits = units
    .toString()
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return (units < 0n ? '-' : '') + `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0*$/, '');
}

/**
 * Fee of an order that is filled wholly, at once and at its price, in collateral: size × rate × (price × (1 − price)) ^
 * exponent, rounded down to 5 decimals (the venue documents that less than 0.00001 is nothing). What rests pays none where
 * the market's fees are `taker_only`. `null` if they do not define it: no rate, or no exponent of one or two digits. Throws RangeError for a price or a size that is no decimal, and for a price that is not between 0 and 1.
 */
export function takerFee(
  order: Pick<Schemas['OrderRequest'], 'price' | 'size'>,
  fees: Schemas['MarketFees'] | null,
): string | null {
  const price = read('price', order.price);
  const size = read('size', order.size);
  const left = tenTo(price.scale) - price.units;
  if (price.units === 0n || left <= 0n)
    throw new RangeError(`The price must be between 0 and 1, not "${order.price}".`);
  const rate = parse(fees?.taker_rate ?? '');
  if (!rate) return null;
  if (rate.units === 0n) return '0';
  const [exponent] = /^\d{1,2}$/.exec(fees?.exponent ?? '') ?? [];
  if (exponent === undefined) return null;
  const power = size.units * rate.units * tenTo(FEE_DECIMALS) * (price.units * left) ** BigInt(exponent);
  const unit = tenTo(size.scale + rate.scale) * tenTo(2 * price.scale) ** BigInt(exponent);
  return formatUnits(power / unit, FEE_DECIMALS);
}

/**
 * Rounds a price to a multiple of the tick size; `nearest` takes the upper of two that are equally near. Throws RangeError
 * if the result is not from one tick to 1 − tick, where orders can be, and for what is no decimal.
 */
export function roundToTick(price: Decimal, tickSize: Decimal, direction: 'down' | 'up' | 'nearest'): string {
  const scale = Math.max(read('price', price).scale, read('tick size', tickSize).scale);
  const [from, tick, one] = [parseUnits(price, scale), parseUnits(tickSize, scale), tenTo(scale)];
  if (tick === 0n || 2n * tick > one) throw new RangeError('The tick size must be above 0 and at most 0.5.');
  const shift = { down: 0n, up: tick - 1n, nearest: tick / 2n }[direction];
  if (shift === undefined) throw new RangeError(`A price is rounded down, up or nearest, not "${direction}".`);
  const rounded = ((from + shift) / tick) * tick;
  const last = one - tick;
  if (rounded >= tick && rounded <= last) return formatUnits(rounded, scale);
  const [result, lowest, highest] = [rounded, tick, last].map((units) => formatUnits(units, scale));
  throw new RangeError(`The price ${price} becomes ${result}; it must be from ${lowest} to ${highest}.`);
}
