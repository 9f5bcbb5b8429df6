// The layout of the orders table, as a deployment needs it.

/** The index by the UTC day and the time of signing, which the function of events reads. */
export const SIGNED_INDEX = { name: 'by-signing', day: 'signed_on', time: 'signed_at' } as const;

/** An index follows its table within a second. */
export const INDEX_LAG_MS = 5_000;

/** What the keys of the topic's own items begin with. No idempotency key has a control character. */
export const TOPIC_STATE = '\u0000follow topic ';
