/**
 * Milliseconds. The contract promises a read within 10 s and an order within 25 s; the gateway gives up after 30 s.
 * The difference is for the way back and for what cannot be interrupted.
 */
export const READ_BUDGET = 9_000;
export const ORDER_BUDGET = 24_000;
/** Bytes of an order's body. */
export const MAX_BODY_BYTES = 16_384;
