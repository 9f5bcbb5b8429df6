import { type Decimal, formatDecimal, parseDecimal, toUnits } from '../decimal.ts';
import { type AppError, refuse } from '../errors.ts';
import type { DayCount, OrderRecord, OrderStore } from './record.ts';

/** Decimals of collateral: amounts are counted in millionths. */
const UNIT_DECIMALS = 6;
const DAY_MS = 86_400_000;

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Counts the notional of an order for the day of its signing; `undefined` for a record that does not say it. */
export function countOf({ signing }: OrderRecord): DayCount | undefined {
  const units = toUnits(parseDecimal(signing?.notional ?? '') ?? { coefficient: 0n, scale: 0 }, UNIT_DECIMALS);
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
  /** 422 `daily_cap_reached`. */
  refusal(now: number): AppError;
}

/** Makes the cap; `max` is in collateral. */
export function createDayCap(max: Decimal): DayCap {
  const { coefficient, scale } = max;
  // Rounded down where it is finer than what is counted.
  const atMost = (coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(scale);
  return {
    admit: (record) => {
      const count = countOf(record);
      return count && { ...count, atMost };
    },
    isExceeded: async (record, store) => {
      const count = countOf(record);
      return count !== undefined && (await store.countedOn(count.day)) > atMost;
    },
    refusal: (now) =>
      refuse('daily_cap_reached', {
        maxDailyNotional: formatDecimal(max),
        resetsAt: `${dayOf(now + DAY_MS)}T00:00:00Z`,
      }),
  };
}
