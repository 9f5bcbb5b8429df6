/** One call of the service: its deadline, its requests to the venue, and the time of its other parts. */
export interface Call {
  /** End of the time budget, in milliseconds of `performance.now()`. */
  readonly deadline: number;
  /** Appended to by the venue adapter. `result`: HTTP status, or the kind of transport failure. */
  readonly venueRequests: { readonly name: string; readonly result: number | string; readonly milliseconds: number }[];
  /** The milliseconds of the other parts; appended to by `timed`. */
  readonly spentMs?: Map<TimedPart, number>;
  /** Names the request in log lines before its own: its id, who asked. */
  readonly trace?: Readonly<Record<string, unknown>>;
}

type TimedPart = 'store' | 'sign';

/** Returns `run`, which adds its time to a part of the call. */
export function timed<Args extends readonly unknown[], T>(
  { spentMs }: Call,
  part: TimedPart,
  run: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const startedAt = performance.now();
    try {
      return await run(...args);
    } finally {
      spentMs?.set(part, (spentMs.get(part) ?? 0) + performance.now() - startedAt);
    }
  };
}
