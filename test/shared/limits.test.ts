import { describe, expect, it } from '@jest/globals';
import * as limits from '../../shared/limits.ts';

/** The contract's promises. */
const PROMISED_ORDER_MS = 25_000;
const PROMISED_READ_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

const sum = (pauses: readonly number[]) => pauses.reduce((total, pause) => total + pause, 0);
const lookUpsEnd = limits.ORDER_BUDGET_MS - limits.STORE_CALL_MS;
const sendingEnds = lookUpsEnd - limits.LOOK_UP_RESERVE_MS;
const released = limits.LOOK_UP_MS + 2 * limits.STORE_CALL_MS;
const secretRead = limits.SECRET_MS.read + limits.STORE_CALL_MS + limits.LOOK_UP_RESERVE_MS + limits.MIN_SEND_MS;
const { orders: ORDERS_MS, reads: READS_MS } = limits.LAMBDA_TIMEOUT_MS;
const twoReads = 2 * limits.READ_ATTEMPT_MS + limits.RETRY_PAUSE_MS.max;

/** Times that grow from one to the next. */
const GROWING: Readonly<Record<string, readonly number[]>> = {
  'an order is not cut off': [limits.ORDER_BUDGET_MS, PROMISED_ORDER_MS, ORDERS_MS, limits.GATEWAY_LIMIT_MS],
  'a read is not cut off': [limits.READ_BUDGET_MS, PROMISED_READ_MS, READS_MS, limits.GATEWAY_LIMIT_MS],
  'a process waits for its orders at the end': [PROMISED_ORDER_MS, limits.STOP_MS],
  // The time of the venue, the record and its release.
  'what follows rules and credentials has its time': [16_000 + released - 1, limits.ORDER_BUDGET_MS],
  'look-ups after a sending fit into their reserve': [sum(limits.LOOK_UP_PAUSES_MS) - 1, limits.LOOK_UP_RESERVE_MS],
  'look-ups of an earlier sending do too': [sum(limits.SETTLE_PAUSES_MS), limits.LOOK_UP_RESERVE_MS],
  'a lease is longer than an order': [limits.ORDER_BUDGET_MS, limits.LEASE_MS],
  'two attempts fit into a call of the store': [2 * limits.STORE_ATTEMPT_MS.attempt, limits.STORE_CALL_MS],
  'two attempts fit into a read of the secret': [2 * limits.SECRET_MS.attempt, limits.SECRET_MS.read],
  'a first order has time to read the secret': [secretRead, limits.ORDER_BUDGET_MS],
  'two attempts of a read fit into it': [twoReads, limits.READ_BUDGET_MS],
  'two attempts at the rules fit before the sending': [twoReads, limits.ORDER_BUDGET_MS - limits.SENDING_RESERVE_MS],
  'a key is kept for longer than is promised': [limits.KEPT_AFTER_USE_MS, limits.KEEP_MS],
};

describe('the budgets of time', () => {
  it('match the drawing of an order and the contract', () => {
    const sending = [sendingEnds - limits.SEND_MS, sendingEnds - limits.MIN_SEND_MS, sendingEnds, lookUpsEnd];
    expect(sending).toStrictEqual([5_000, 16_000, 17_000, 22_000]);
    expect(limits.ORDER_BUDGET_MS - limits.SENDING_RESERVE_MS).toBe(16_000);
    expect(limits.ORDER_BUDGET_MS + limits.WAY_MS).toBe(PROMISED_ORDER_MS);
    expect(limits.READ_BUDGET_MS + limits.WAY_MS).toBe(PROMISED_READ_MS);
    expect([limits.KEPT_AFTER_USE_MS, limits.KEEP_MS]).toStrictEqual([DAY_MS, 400 * DAY_MS]);
    expect(limits.CLIENT_CHAIN_MS).toBe(3_000);
  });

  it.each(Object.entries(GROWING))('%s', (_promise, times) => {
    for (const [index, time] of times.slice(1).entries()) expect(time).toBeGreaterThan(times[index] ?? Number.NaN);
  });
});
