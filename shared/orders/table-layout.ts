// The layout of the orders table, as a deployment needs it.

/** The two indexes of the table, with the types of their keys: partition, then sort. They hold keys only. */
export const INDEXES = {
  order: { name: 'by-order', keys: { order_id: 'S' } },
  /** By the UTC day and the time of signing. */
  signing: { name: 'by-signing', keys: { signed_on: 'S', signed_at: 'N' } },
} as const;

export type Index = (typeof INDEXES)[keyof typeof INDEXES];

/** Thrown for a table without an index, or whose index is still being built. */
export class IndexMissingError extends Error {
  override readonly name = 'Error';
  readonly index: Index;

  constructor(index: Index, options: ErrorOptions) {
    super(`its index ${index.name} is missing or not ready: npm run doctor tells how to add it`, options);
    this.index = index;
  }
}

/** An index follows its table within a second. */
export const INDEX_LAG_MS = 5_000;

/** What the keys of the topic's own items begin with. No idempotency key has a control character. */
export const TOPIC_STATE = '\u0000follow topic ';
