/** One request as the venue saw it, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Counts the longest chain of requests in which each begins after the one before ended. */
export function sequentialDepth(spans: readonly Span[]): number {
  let depth = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans.toSorted((a, b) => a.to - b.to)) {
    if (from < end) continue;
    depth += 1;
    end = to;
  }
  return depth;
}
