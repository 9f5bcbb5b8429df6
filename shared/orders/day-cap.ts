import { type Decimal, formatDecimal, toUnits, UNIT_DECIMALS } from '../decimal.ts';
import { type AppError, refuse } from '../errors.ts';
import type { CapScope, DayCount } from './order-store.ts';
import { notionalOf, type OrderRecord, verifiedAddressOf } from './record.ts';

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

/** The caps on the notional of a UTC day, in collateral. */
export interface DayCaps {
  readonly maxDailyNotional?: Decimal | undefined;
  /** For each verified client. */
  readonly maxDailyNotionalPerClient?: Decimal | undefined;
}

/** Returns a cap in millionths, rounded down. */
function boundOf(cap: Decimal | undefined): Pick<DayCount, 'atMost'> {
  return cap ? { atMost: (cap.coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(cap.scale) } : {};
}

/** Returns the counts of an order's notional on its day: that of its verified client, then that of all orders. */
export function countsOf(record: OrderRecord, caps: DayCaps = {}): readonly DayCount[] {
  if (record.countedOn === null) return [];
  const count = { day: record.countedOn, units: unitsOf(record) };
  const client = verifiedAddressOf(record.client);
  const all = { ...count, ...boundOf(caps.maxDailyNotional) };
  return client === null ? [all] : [{ ...count, client, ...boundOf(caps.maxDailyNotionalPerClient) }, all];
}

/** Returns the counts that give an order's notional back. */
export function giveBack(record: OrderRecord): readonly DayCount[] {
  return countsOf(record).map((count) => ({ ...count, units: -count.units }));
}

/** Creates 422 `daily_cap_reached`, until the end of that day. */
export function dailyCapReached(
  caps: DayCaps,
  { fullDay, scope }: { readonly fullDay: string; readonly scope: CapScope },
): AppError {
  const cap = scope === 'client' ? caps.maxDailyNotionalPerClient : caps.maxDailyNotional;
  if (!cap) throw new Error('the store refused a count without a cap');
  const resetsAt = `${dayOf(Date.parse(fullDay) + DAY_MS)}T00:00:00Z`;
  return refuse('daily_cap_reached', { maxDailyNotional: formatDecimal(cap), resetsAt, scope });
}
