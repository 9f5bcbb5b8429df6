/**
 * Every budget of time on one page, in milliseconds, and the sizes that errors name. test/shared/limits.test.ts holds the
 * sums of this drawing.
 *
 *   An order under an idempotency key                         A read
 *    0 s ┬ it arrives (at the gateway, where there is one):    0 s ┬ it arrives: one attempt of READ_ATTEMPT_MS
 *        │ store, rules, credentials, signature, write-ahead   3 s ┼ a second one, on a new connection
 *    5 s ┼ the latest start of an attempt with all of SEND_MS   6 s ┼ where its answer is lost too: answered, or the
 *        │                                                         │ next page of the list
 *        │                                                     9 s ┼ READ_BUDGET_MS: answered
 *   16 s ┼ rules and credentials are awaited no longer        10 s ┼ the contract's promise
 *        │ (SENDING_RESERVE_MS); nothing is sent from here    12 s ┴ LAMBDA_TIMEOUT_MS.reads
 *        │ on (MIN_SEND_MS)
 *   17 s ┼ the attempt ends (LOOK_UP_RESERVE_MS are left)
 *        │ look-ups, where its answer proved nothing
 *   22 s ┼ the look-ups end (STORE_CALL_MS are left)
 *        │ the final answer is stored
 *   24 s ┼ ORDER_BUDGET_MS: answered
 *   25 s ┼ the contract's promise (WAY_MS)
 *   28 s ┼ LAMBDA_TIMEOUT_MS.orders, STOP_MS: what still runs is cut off
 *   30 s ┴ LEASE_MS: a repeat may take the order over; GATEWAY_LIMIT_MS: the gateway answers by itself
 */

/** The contract promises a response to an order within 25 s; the rest is the way back and what cannot be interrupted. */
export const ORDER_BUDGET_MS = 24_000;
/** The contract promises a read within 10 s. */
export const READ_BUDGET_MS = 9_000;
/** The budget of an answer without calls upstream. */
export const LOCAL_BUDGET_MS = 1_000;
/** The network time between a budget and its promise; a cold start takes more of it. */
export const WAY_MS = 1_000;

/** One attempt to send an order. */
export const SEND_MS = 12_000;
/** Left of an order's budget when the attempt ends, so that an order of unknown fate can be looked up. */
export const LOOK_UP_RESERVE_MS = 5_000;
/** An order is not sent with less time than this for the venue to answer. */
export const MIN_SEND_MS = 1_000;
/** One call of the store of orders (normally 5 ms). Every response to an order waits for one. */
export const STORE_CALL_MS = 2_000;
/** The time that an order needs once its rules and credentials are there: for the write-ahead, the attempt and look-ups. */
export const SENDING_RESERVE_MS = MIN_SEND_MS + LOOK_UP_RESERVE_MS + STORE_CALL_MS;
/** One look-up of an order or a page of trades. */
export const LOOK_UP_MS = 3_000;
/** Before each look-up after an attempt without a usable answer: an accepted order shows at once, or within seconds. */
export const LOOK_UP_PAUSES_MS = [0, 300, 700, 1_500, 2_500] as const;
/** The pauses before look-ups of an order that an earlier request may have sent: one failure proves nothing. */
export const SETTLE_PAUSES_MS = [0, 300] as const;
/** The wait after an unknown message before a repeat: orders have appeared in look-ups after 8 s. */
export const UNKNOWN_WORDS_RETRY_MS = 10_000;
/** How long a sent order may still arrive: the venue queues what it throttles, and users have seen 40 s. */
export const LATE_ARRIVAL_MS = 120_000;

/** How long before its expiration the venue ends an order (docs.polymarket.com, "place orders"). */
export const EARLY_EXPIRY_MS = 60_000;
/** The least life of an order with an end: the venue takes no expiration within three minutes. */
export const MIN_LIFE_MS = 180_000 - EARLY_EXPIRY_MS;

/** The longest wait for a connection to the venue: nothing was sent on it. */
export const CONNECT_MS = 2_500;
/** One attempt of a read: after a lost answer there is time for another one, on another connection. */
export const READ_ATTEMPT_MS = 3_000;
/** The venue's edge closes idle connections; a frozen Lambda does not notice, and an order written there is lost. */
export const MAX_IDLE_MS = 4_000;
/** A second attempt of a read with less time than this would only turn the venue's answer into a time-out. */
export const MIN_RETRY_MS = 500;
/** The range of the random pause before a read's second attempt: clients must not retry in step. */
export const RETRY_PAUSE_MS = { min: 50, max: 200 } as const;

/** One attempt of a call of the deployed store; two that say nothing and the pause between them fit into a call. */
export const STORE_ATTEMPT_MS = { connect: 400, attempt: 900 } as const;
/** One attempt to connect to the secret store, one attempt, and all of them: a fraction of an order's budget. */
export const SECRET_MS = { connect: 1_000, attempt: 2_000, read: 4_500 } as const;
/** One attempt to connect to KMS, one attempt, and one call with its repeat: a signature normally takes 10 ms. */
export const KMS_MS = { connect: 400, attempt: 900, call: 2_000 } as const;
/** All calls of the clients' chain about one signature, connections included. */
export const CLIENT_CHAIN_MS = 3_000;
/**
 * The sole right to send an order: longer than its budget, so that none is taken over while it is being sent, even by another
 * clock, and short enough for a client that repeats for a minute.
 */
export const LEASE_MS = 30_000;
/** A clock that differs from the venue's by more is wrong. A lease and `LATE_ARRIVAL_MS` allow for twice this between two. */
export const WRONG_CLOCK_MS = 10_000;
/** A tick can change at any time; the venue refuses what an old one let through. */
export const RULES_MAX_AGE_MS = 60_000;

/** Lambda ends the order function: after its budget, before the gateway gives up. */
export const LAMBDA_TIMEOUT_MS = { orders: 28_000, reads: 12_000, health: 5_000, events: 55_000 } as const;
/** The local server stops waiting for orders in flight when it is told to stop. */
export const STOP_MS = 28_000;
/** API Gateway's own hard limit (AWS: quotas of HTTP APIs). */
export const GATEWAY_LIMIT_MS = 30_000;

export const DAY_MS = 24 * 3_600_000;
/** Clients are promised that a key is kept for 24 h after its last use. */
export const KEPT_AFTER_USE_MS = 24 * 3_600_000;
/** A finished order is kept this long, so that an operator can match clients to fills over a year of business. */
export const KEEP_MS = 400 * DAY_MS;
/** The sum of a day is kept longer than any of its orders can still be given back. */
export const DAY_KEPT_MS = 7 * DAY_MS;

/** The largest body of an order. */
export const MAX_BODY_BYTES = 16_384;
/** The longest target of a request. */
export const MAX_TARGET_BYTES = 8_192;
/** The request line and the headers of a request together, on the local server. */
export const MAX_HEADER_BYTES = 16_384;

/** The largest answers of the venue: a market takes some 10 KB, a trade 2 KB, and larger ones would stop the process for seconds. */
export const MAX_ANSWER_BYTES = { usual: 2_097_152, page: 4_194_304, order: 262_144, refusal: 16_384 } as const;
/** The most rows on a page of orders or trades; the venue has hundreds. */
export const MAX_PAGE_ROWS = 1_000;
/** Only this many characters of a venue's sentence count. */
export const MAX_SENTENCE_LENGTH = 500;
