import { type Decimal, formatDecimal, toUnits, UNIT_DECIMALS } from '../decimal.ts';
import { type AppError, refuse } from '../errors.ts';
import type { DayCount } from './order-store.ts';
import { notionalOf, type OrderRecord } from './record.ts';

const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, such as `2026-11-21`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the notional in millionths of collateral; a notional has at most 6 decimals. */
function unitsOf(record: Pick<OrderRecord, 'terms'>): bigint {
  const units = toUnits(notionalOf(record), UNIT_DECIMALS);
  if (units === undefined) throw new RangeError('a notional is finer than collateral');
  return units;
}

/** Returns the count of an order's notional on its day, at most up to a cap in collateral. */
export function countOf(record: OrderRecord, cap?: Decimal): readonly DayCount[] {
  if (record.countedOn === null) return [];
  // Rounded down to the millionths that are counted.
  const atMost = cap && (cap.coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(cap.scale);
  return [{ day: record.countedOn, units: unitsOf(record), ...(atMost !== undefined && { atMost }) }];
}

/** Returns the count that gives an order's notional back. */
export function giveBack(record: OrderRecord): readonly DayCount[] {
  return countOf(record).map(({ day, units }) => ({ day, units: -units }));
}

/** Creates 422 `daily_cap_reached`, until the end of that day. */
export function dailyCapReached(cap: Decimal, fullDay: string): AppError {
  const resetsAt = `${dayOf(Date.parse(fullDay) + DAY_MS)}T00:00:00Z`;
  return refuse('daily_cap_reached', { maxDailyNotional: formatDecimal(cap), resetsAt });
}
