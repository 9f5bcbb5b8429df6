/** Milliseconds since a time of `performance.now()`, to a tenth: further digits say nothing in a log. */
export function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
