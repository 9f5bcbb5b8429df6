import * as z from 'zod/mini';

/** Parts of the service that the soak can take out, to see that its count can fail. */
export const FLAWS = ['no write-ahead', 'no conditions', 'no late arrivals'] as const;

/** Parses the argument of a process of the soak. */
export const serviceOptions = z.strictObject({
  settings: z.readonly(z.record(z.string(), z.string())),
  /** Added to the clock of the process. */
  clockOffsetMs: z.number(),
  flaw: z.exactOptional(z.enum(FLAWS)),
});
/** The options of a process of the soak. */
export type ServiceOptions = Readonly<z.infer<typeof serviceOptions>>;
