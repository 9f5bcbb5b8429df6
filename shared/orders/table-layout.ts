// What a deployment has to know of the items in a table of orders.

/** The index by the UTC day and the time of signing; a deployment has it for what becomes of its orders. */
export const SIGNED_INDEX = { name: 'by-signing', day: 'signed_on', time: 'signed_at' } as const;

/** An index follows its table within a second. */
export const INDEX_LAG_MS = 5_000;

/** What the keys of the topic's own items begin with. No idempotency key has a control character. */
export const TOPIC_STATE = '\u0000follow topic ';
