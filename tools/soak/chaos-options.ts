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

/** What a process of the chaos does. */
export interface ChaosOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** Set on the clock of the process from its start. */
  readonly clockOffsetMs?: number;
  readonly dieAt?: { readonly step: Step; readonly passage: number };
  readonly flaw?: 'no write-ahead' | 'no conditions' | 'no late arrivals';
}

/** As much as the adapter keeps back for look-ups, and two seconds for a venue that hangs. */
export const BUDGET_MS = 9_500;
/** Longer than the budget, as in production. */
export const LEASE_MS = 10_000;
/** Longer than the faults of the paper venue hold an order up. */
export const LATE_ARRIVAL_MS = 12_000;
