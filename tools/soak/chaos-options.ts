import * as z from 'zod/mini';

/** The steps at which the process dies. */
export const STEPS = [
  'before store',
  'after store',
  'while sending',
  'after send',
  'before answer',
  'after answer',
  'after lease',
] as const;
/** A step at which a process may die. */
export type Step = (typeof STEPS)[number];

/** Reads what a process of the chaos does from its argument. */
export const chaosOptions = z.strictObject({
  settings: z.readonly(z.record(z.string(), z.string())),
  /** Set on the clock of the process from its start. */
  clockOffsetMs: z.exactOptional(z.number()),
  dieAt: z.exactOptional(z.readonly(z.strictObject({ step: z.enum(STEPS), passage: z.number() }))),
  flaw: z.exactOptional(z.enum(['no write-ahead', 'no conditions', 'no late arrivals'])),
});
/** What a process of the chaos does. */
export type ChaosOptions = Readonly<z.infer<typeof chaosOptions>>;

/** As much as the adapter keeps back for look-ups, and two seconds for a venue that hangs. */
export const BUDGET_MS = 9_500;
/** Longer than the budget, as in production. */
export const LEASE_MS = 10_000;
/** Longer than the faults of the paper venue hold an order up. */
export const LATE_ARRIVAL_MS = 12_000;
