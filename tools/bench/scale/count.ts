/** The fates of the orders that were asked for under keys. */
export interface Count {
  /** Orders that the venue has got meanwhile. */
  readonly placed: number;
  /** Keys without an order at the venue. */
  readonly lost: number;
  /** Orders at the venue that no key was told of, and keys that were told of two. */
  readonly doubled: number;
}

/** Compares the ids that each key was told with those that the venue has got since `before`. */
export function countOrders(
  told: ReadonlyMap<string, ReadonlySet<string>>,
  before: readonly string[],
  after: readonly string[],
): Count {
  const known = new Set(before);
  const placed = new Set(after.filter((id) => !known.has(id)));
  const answers = [...told.values()];
  const ids = new Set(answers.flatMap((of) => [...of]));
  return {
    placed: placed.size,
    lost: answers.filter((of) => ![...of].some((id) => placed.has(id))).length,
    doubled: [...placed].filter((id) => !ids.has(id)).length + answers.filter((of) => of.size > 1).length,
  };
}
