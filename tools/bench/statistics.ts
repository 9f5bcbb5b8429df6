/** The middle, lowest and highest of some values. */
export interface Summary {
  /** The median; where the values are percentiles of rounds, the percentile of all rounds together. */
  readonly middle: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which the share `p` (0 to 1) of the values lies; `NaN` of none. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (below + above) / 2;
}

/** Sums up samples. */
export function summarise(values: readonly number[]): Summary {
  return { middle: median(values), min: percentile(values, 0), max: percentile(values, 1) };
}
