import { type Decimal, formatDecimal, fromUnits, parseDecimal, toUnits, UNIT_DECIMALS, ZERO } from '../decimal.ts';
import { type AppError, refuse } from '../errors.ts';
import type { DayCount, OrderRecord, OrderStore } from './record.ts';

const DAY_MS = 86_400_000;

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Counts the notional of an order for the day of its signing; `undefined` for a record that does not say it. */
export function countOf({ signing }: OrderRecord): DayCount | undefined {
  const units = toUnits(parseDecimal(signing?.notional ?? '') ?? ZERO, UNIT_DECIMALS);
  return signing && units !== undefined ? { day: dayOf(signing.at), units } : undefined;
}

/** Gives back what is counted for an order that came to nothing. */
export function givenBack(record: OrderRecord): DayCount | undefined {
  const count = record.counted ? countOf(record) : undefined;
  return count && { ...count, units: -count.units };
}

/** The operator's cap on the notional of all orders of a UTC day, by the venue's clock. */
export interface DayCap {
  /** The count by which a new order is stored. */
  admit(record: OrderRecord): DayCount | undefined;
  /** Tells that the orders of the day on which an order was signed are above the cap of today. */
  isExceeded(record: OrderRecord, store: OrderStore): Promise<boolean>;
  /**
   * Says in the words of the log that nine tenths of the cap or more are used on the day on which an order was signed.
   * Looks once a minute: it costs a read of the store. Rejects when the store fails.
   */
  nearlyUsed(record: OrderRecord, store: OrderStore): Promise<Readonly<Record<string, string>> | undefined>;
  /** 422 `daily_cap_reached`, until the end of the day of that time. */
  refusal(time: number): AppError;
}

/** Short for an alarm that looks at five minutes. */
const LOOK_MS = 60_000;

/** Makes the cap; `max` is in collateral, `elapsed` a monotonic clock in milliseconds. */
export function createDayCap(max: Decimal, elapsed: () => number): DayCap {
  const { coefficient, scale } = max;
  // Rounded down where it is finer than what is counted.
  const atMost = (coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(scale);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    admit: (record) => {
      const count = countOf(record);
      return count && { ...count, atMost };
    },
    isExceeded: async (record, store) => {
      const count = countOf(record);
      return count !== undefined && (await store.countedOn(count.day)) > atMost;
    },
    nearlyUsed: async (record, store) => {
      const count = countOf(record);
      if (!record.counted || count === undefined || elapsed() - lookedAt < LOOK_MS) return undefined;
      lookedAt = elapsed();
      const used = await store.countedOn(count.day);
      if (used * 10n < atMost * 9n) return undefined;
      const notional = formatDecimal(fromUnits(used, UNIT_DECIMALS));
      return { day: count.day, notional, max_daily_notional: formatDecimal(max) };
    },
    refusal: (time) =>
      refuse('daily_cap_reached', {
        maxDailyNotional: formatDecimal(max),
        resetsAt: `${dayOf(time + DAY_MS)}T00:00:00Z`,
      }),
  };
}
