import type { LoadResult } from './load.ts';
import { percentile } from './statistics.ts';

/** A ratio of ours to the baseline: `atMost` where less is better. */
export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** The share of response times that are at most as long as the figure. */
export type Percentile = 0.5 | 0.99;

/** One line of the table. */
export interface Row {
  /** For `--only`. */
  readonly name: string;
  readonly figure: string;
  readonly baseline: string;
  readonly unit: 'ms' | 'req/s' | 'MB' | 'trips' | 'USD';
  readonly target: Target;
  /** For a figure that is a percentile of response times; the baseline is the same percentile. */
  readonly percentile?: Percentile;
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

/** The size of a run: a quick one has smaller loads. */
export interface Extent {
  readonly rounds: number;
  /** Returns the duration of a load in seconds, at least one; `full` is the duration in a full run. */
  seconds(full: number): number;
  /** Returns a count; `full` is the count in a full run. */
  count(full: number): number;
}

/** Rows that are measured together. Each round yields one sample of each row, by its name. */
export interface Bench {
  readonly rows: readonly Row[];
  rounds(extent: Extent): AsyncGenerator<Readonly<Record<string, Sample>>>;
}

/** A shorter load would mostly measure its beginning. */
const LEAST_SECONDS = 1;

/** Creates an extent. `scale` is the share of the full load. */
export function extentOf(rounds: number, scale: number): Extent {
  return {
    rounds,
    seconds: (full) => Math.max(LEAST_SECONDS, full * scale),
    count: (full) => Math.ceil(full * scale),
  };
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

/** Runs both, the baseline first in every other round: the second of two loads finds the machine warmer. */
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
