import type { LoadResult } from './load.ts';
import type { RunningProcess } from './processes.ts';
import type { ServiceOptions } from './services.ts';
import { percentile } from './statistics.ts';

/** A ratio of ours to the baseline; `atMost` where less is better, `exactly` where any other is a fault, and any error. */
export type Target = { readonly atMost: number } | { readonly atLeast: number } | { readonly exactly: number };

/** The share of response times that are at most as long as the figure. */
export type Percentile = 0.5 | 0.99;

/** One line of the table. */
export interface Row {
  /** For `--only`. */
  readonly name: string;
  readonly figure: string;
  readonly baseline: string;
  readonly unit: 'ms' | 'req/s' | 'MB' | 'trips' | 'orders' | 'USD';
  /** Absent where the line only informs. */
  readonly target?: Target;
  /** For a figure that is a percentile of response times, which is compared with the same one of the baseline's. */
  readonly percentile?: Percentile;
  /** The start of the service is a part of what is measured. */
  readonly withStart?: true;
}

/** One round of one row. */
export interface Sample {
  readonly value: number;
  readonly baseline: number;
  /** Requests that failed on either side. */
  readonly errors: number;
  /** All response times in milliseconds, where the figure is a percentile of them. */
  readonly times?: { readonly value: readonly number[]; readonly baseline: readonly number[] };
}

type Samples = Readonly<Record<string, Sample>>;

/** The means that a run grants its rows. */
export interface Stage {
  /** The service as `npm start` runs it. `rows`: those that it works for, if not for all of its bench. */
  startService(
    venueUrl: string,
    options?: ServiceOptions & { readonly rows?: readonly string[] },
  ): Promise<RunningProcess>;
  /** Returns the duration of a load in seconds, at least one; `full` is that of a full run. */
  seconds(full: number): number;
  /** A count in a full run. */
  count(full: number): number;
  /** Requests of a round on each side of a percentile: in a full run, all rounds together are 20 000. */
  readonly percentileCount: number;
}

/** Some rows that are measured together; each round yields one sample of each, by the row's name. */
export interface Bench {
  readonly rows: readonly Row[];
  rounds(stage: Stage): AsyncGenerator<Samples>;
}

/** Compares a percentile of two loads. */
export function percentilesOf(share: Percentile, ours: LoadResult, baseline: LoadResult): Sample {
  return {
    value: percentile(ours.times, share),
    baseline: percentile(baseline.times, share),
    errors: ours.errors + baseline.errors,
    times: { value: ours.times, baseline: baseline.times },
  };
}

/** Compares the rates of two loads. */
export function ratesOf(
  ours: Pick<LoadResult, 'rate' | 'errors'>,
  baseline: Pick<LoadResult, 'rate' | 'errors'>,
): Sample {
  return { value: ours.rate, baseline: baseline.rate, errors: ours.errors + baseline.errors };
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
