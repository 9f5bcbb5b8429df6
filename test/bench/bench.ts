import type { RunningProcess } from './processes.ts';
import type { ServiceOptions } from './services.ts';

/** A ratio of ours to the baseline; `atMost` where less is better, `exactly` where any other is a fault, and any error. */
export type Target = { readonly atMost: number } | { readonly atLeast: number } | { readonly exactly: number };

/** One line of the table. */
export interface Row {
  /** For `--only`. */
  readonly name: string;
  readonly figure: string;
  readonly baseline: string;
  readonly unit: 'ms' | 'req/s' | 'MB' | 'trips' | 'orders';
  /** Absent where the line only informs. */
  readonly target?: Target;
  /** The start of the service is a part of what is measured. */
  readonly withStart?: true;
}

/** One round of one row. */
export interface Sample {
  readonly value: number;
  readonly baseline: number;
  /** Requests that failed on either side. */
  readonly errors: number;
}

export type Samples = Readonly<Record<string, Sample>>;

/** What a run grants its rows. */
export interface Stage {
  /** The service as `npm start` runs it. `row`: the only one that it works for, where its bench has several. */
  startService(venueUrl: string, options?: ServiceOptions & { readonly row?: string }): Promise<RunningProcess>;
  /** A load that takes this many seconds in a full run. */
  seconds(full: number): number;
  /** A count in a full run. */
  count(full: number): number;
}

/** Some rows that are measured together; each round yields one sample of each, by the row's name. */
export interface Bench {
  readonly rows: readonly Row[];
  rounds(stage: Stage): AsyncGenerator<Samples>;
}

/** Runs both, the baseline first in every other round, so that neither always profits from what the other left. */
export async function inTurn<A, B>(
  round: number,
  ours: () => Promise<A>,
  baseline: () => Promise<B>,
): Promise<readonly [A, B]> {
  if (round % 2 === 0) {
    const other = await baseline();
    return [await ours(), other];
  }
  return [await ours(), await baseline()];
}
