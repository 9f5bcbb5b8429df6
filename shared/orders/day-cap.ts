import { type Decimal, formatDecimal, fromUnits, toUnits, UNIT_DECIMALS } from '../decimal.ts';
import { refuse } from '../errors.ts';
import type { Moment } from '../venue/port.ts';
import { type DayCount, notionalOf, type OrderRecord, type OrderStore } from './record.ts';

const DAY_MS = 86_400_000;

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the changes that move an order's notional to other days. A notional has at most 6 decimals. */
export function recount(record: OrderRecord, days: readonly string[], atMost?: bigint): readonly DayCount[] {
  const units = toUnits(notionalOf(record), UNIT_DECIMALS);
  if (units === undefined) throw new RangeError('a notional is finer than collateral');
  const { countedOn } = record;
  const added = days.filter((day) => !countedOn.includes(day));
  const removed = countedOn.filter((day) => !days.includes(day));
  return [
    ...added.map((day) => ({ day, units, ...(atMost !== undefined && { atMost }) })),
    ...removed.map((day) => ({ day, units: -units })),
  ];
}

/** Time between two looks: short enough for an alarm over five minutes. */
const LOOK_MS = 60_000;

/**
 * Creates the operator's cap on the notional of all orders of a UTC day: of the venue's day, and of ours. `max` is in
 * collateral, `wall` our own clock in milliseconds: a monotonic one may stand still with the process.
 */
export function createDayCap(max: Decimal, wall: () => number) {
  const { coefficient, scale } = max;
  // Rounded down to the millionths that are counted.
  const atMost = (coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(scale);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    /** In millionths of collateral. */
    atMost,
    /**
     * Returns the days in UTC on which an order counts if it is signed or sent now: two where the clocks do not agree. A
     * later day that it counts on is kept.
     */
    daysFor: ({ venue, own }: Moment, countedOn: readonly string[] = []): readonly string[] => {
      const days = [dayOf(venue), dayOf(own)].sort();
      return [...new Set([...days, ...countedOn.filter((day) => day > (days[0] ?? ''))])].sort();
    },
    /** Returns the last of an order's days on which the orders exceed the present cap. */
    fullDay: async (countedOn: readonly string[], store: OrderStore) => {
      const sums = await Promise.all(countedOn.map((day) => store.countedOn(day)));
      return countedOn.findLast((_, index) => (sums[index] ?? 0n) > atMost);
    },
    /**
     * Returns the fields of a warning if nine tenths of the cap are used on the last day of an order. Looks once a
     * minute, since it costs a read of the store. Rejects when the store fails.
     */
    nearlyUsed: async ({ countedOn }: OrderRecord, store: OrderStore) => {
      const day = countedOn.at(-1);
      const age = wall() - lookedAt;
      if (day === undefined || (age >= 0 && age < LOOK_MS)) return undefined;
      lookedAt = wall();
      const used = await store.countedOn(day);
      if (used * 10n < atMost * 9n) return undefined;
      const notional = formatDecimal(fromUnits(used, UNIT_DECIMALS));
      return { day, notional, max_daily_notional: formatDecimal(max) };
    },
    /** Creates 422 `daily_cap_reached`, until the end of that day. */
    refusal: (fullDay: string) =>
      refuse('daily_cap_reached', {
        maxDailyNotional: formatDecimal(max),
        resetsAt: `${dayOf(Date.parse(fullDay) + DAY_MS)}T00:00:00Z`,
      }),
  };
}

/** The cap of a day. */
export type DayCap = ReturnType<typeof createDayCap>;
