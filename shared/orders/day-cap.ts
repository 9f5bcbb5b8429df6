import { type Decimal, formatDecimal, fromUnits, toUnits, UNIT_DECIMALS } from '../decimal.ts';
import { type AppError, refuse } from '../errors.ts';
import { type DayCount, notionalOf, type OrderRecord, type OrderStore } from './record.ts';

const DAY_MS = 86_400_000;

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the count of an order's notional for the day of its signing. A price times a size has no more than 6 decimals. */
export function countOf(record: OrderRecord): DayCount {
  const units = toUnits(notionalOf(record), UNIT_DECIMALS);
  if (units === undefined) throw new RangeError('a notional is finer than collateral');
  return { day: dayOf(record.signedAt), units };
}

/** Returns the count that takes back what an order which came to nothing has counted. */
export function givenBack(record: OrderRecord): DayCount | undefined {
  if (!record.isCounted) return undefined;
  const { day, units } = countOf(record);
  return { day, units: -units };
}

/** The operator's cap on the notional of all orders of a UTC day, by the venue's clock. */
export interface DayCap {
  /** The count by which a new order is stored. */
  admit(record: OrderRecord): DayCount;
  /** Returns true if the orders of the day on which an order was signed are above the cap of today. */
  isExceeded(record: OrderRecord, store: OrderStore): Promise<boolean>;
  /**
   * Returns the fields of the log line which says that nine tenths of the cap or more are used on the day on which an
   * order was signed. Looks once a minute: it costs a read of the store. Rejects when the store fails.
   */
  nearlyUsed(record: OrderRecord, store: OrderStore): Promise<Readonly<Record<string, string>> | undefined>;
  /** Creates 422 `daily_cap_reached`, until the end of the day of that time. */
  refusal(time: number): AppError;
}

/** Short for an alarm that looks at five minutes. */
const LOOK_MS = 60_000;

/** Creates the cap; `max` is in collateral, `elapsed` a monotonic clock in milliseconds. */
export function createDayCap(max: Decimal, elapsed: () => number): DayCap {
  const { coefficient, scale } = max;
  // Rounded down where it is finer than what is counted.
  const atMost = (coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(scale);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    admit: (record) => ({ ...countOf(record), atMost }),
    isExceeded: async (record, store) => (await store.countedOn(countOf(record).day)) > atMost,
    nearlyUsed: async (record, store) => {
      if (!record.isCounted || elapsed() - lookedAt < LOOK_MS) return undefined;
      lookedAt = elapsed();
      const { day } = countOf(record);
      const used = await store.countedOn(day);
      if (used * 10n < atMost * 9n) return undefined;
      const notional = formatDecimal(fromUnits(used, UNIT_DECIMALS));
      return { day, notional, max_daily_notional: formatDecimal(max) };
    },
    refusal: (time) =>
      refuse('daily_cap_reached', {
        maxDailyNotional: formatDecimal(max),
        resetsAt: `${dayOf(time + DAY_MS)}T00:00:00Z`,
      }),
  };
}
