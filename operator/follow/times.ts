/**
 * The follower's times on one page, in milliseconds.
 *
 *   Back from the newest trade                        On from the look that misses an order
 *       0 ┬                                              0 s ┬ the order is off the book
 *   1 min ┼ RECENT_MS: each look reads from here        20 s ┼ QUIET_MS without a trade: the follower looks the order up,
 *  10 min ┼ MARGIN_MS: once in WHOLE_WINDOW_MS a             │ again after each QUIET_MS, and closes it once its trades
 *         │ look reads from here, or from before the         │ add up to the venue's size
 *         │ oldest unsettled trade                      2 min ┼ UNKNOWN_QUIET_MS without a trade: it closes an order that
 *         │                                                  │ no look-up finds
 *  7 days ┴ LONGEST_WINDOW_MS: the oldest trade          1 h ┴ LONGEST_WAIT_MS: it closes an order whose trades do not
 *                                                              add up
 *
 * It reports a trade when it sees it, and waits up to FEE_WAIT_MS for the fees of its market.
 */

/** A first start reports what happened this long before it: clocks differ, and a start takes time. */
export const FIRST_MS = 120_000;

export const RECENT_MS = 60_000;
export const WHOLE_WINDOW_MS = 55_000;
/** Rows may appear late: a whole window begins this long before the newest. */
export const MARGIN_MS = 600_000;
/** The follower then drops an unsettled trade: some stay matched forever. */
export const LONGEST_WINDOW_MS = 7 * 86_400_000;

/** Fees may be unreadable for a moment. The follower reports an older trade without its fee. */
export const FEE_WAIT_MS = 300_000;

/** Trades may appear after an order's end: the follower closes an order once it had none for this long. */
export const QUIET_MS = 20_000;
/** The same for an order that no look-up finds: the venue may find it later. */
export const UNKNOWN_QUIET_MS = 120_000;
/** The follower then closes an order, even if its trades do not add up to the venue's size. */
export const LONGEST_WAIT_MS = 3_600_000;
/** Times have whole seconds, and clocks differ a little. */
export const EXPIRY_TOLERANCE_MS = 5_000;
