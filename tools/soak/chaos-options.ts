import * as z from 'zod/mini';

/** Parses the argument of a process of the soak. */
export const chaosOptions = z.strictObject({
  settings: z.readonly(z.record(z.string(), z.string())),
  /** Set on the clock of the process from its start. */
  clockOffsetMs: z.exactOptional(z.number()),
  flaw: z.exactOptional(z.enum(['no write-ahead', 'no conditions', 'no late arrivals'])),
});
/** The options of a process of the soak. */
export type ChaosOptions = Readonly<z.infer<typeof chaosOptions>>;

/** As much as the adapter keeps back for look-ups, and two seconds for a venue that hangs. */
export const BUDGET_MS = 9_500;
/** Longer than the budget, as in production. */
export const LEASE_MS = 10_000;
/** Longer than the faults of the paper venue hold an order up. */
export const LATE_ARRIVAL_MS = 12_000;
