import { describe, expect, it } from '@jest/globals';
import {
  CONNECT_MS,
  DOCTOR_MS,
  GATEWAY_LIMIT_MS,
  KEEP_MS,
  KEPT_AFTER_USE_MS,
  LAMBDA_TIMEOUT_MS,
  LEASE_MS,
  LOOK_UP_MS,
  LOOK_UP_PAUSES_MS,
  LOOK_UP_RESERVE_MS,
  MIN_RETRY_MS,
  MIN_SEND_MS,
  ORDER_BUDGET_MS,
  READ_ATTEMPT_MS,
  READ_BUDGET_MS,
  RETRY_PAUSE_MS,
  SECRET_MS,
  SEND_MS,
  SENDING_RESERVE_MS,
  SETTLE_PAUSES_MS,
  STOP_MS,
  STORE_ATTEMPT_MS,
  STORE_CALL_MS,
  WAY_MS,
} from '../../shared/limits.ts';

/** The contract's promises. */
const PROMISED_ORDER_MS = 25_000;
const PROMISED_READ_MS = 10_000;

const sum = (pauses: readonly number[]) => pauses.reduce((total, pause) => total + pause, 0);

describe('the budgets of time', () => {
  it('add up as the drawing of an order says', () => {
    const lookUpsEnd = ORDER_BUDGET_MS - STORE_CALL_MS;
    const sendingEnds = lookUpsEnd - LOOK_UP_RESERVE_MS;
    expect([sendingEnds - SEND_MS, sendingEnds - MIN_SEND_MS, sendingEnds, lookUpsEnd]).toStrictEqual([
      5_000, 16_000, 17_000, 22_000,
    ]);
  });

  it('await rules and credentials until nothing can be sent any more, and leave time to say so', () => {
    expect(ORDER_BUDGET_MS - SENDING_RESERVE_MS).toBe(16_000);
    // The time of the venue, the record and its release.
    expect(16_000 + LOOK_UP_MS + 2 * STORE_CALL_MS).toBeLessThanOrEqual(ORDER_BUDGET_MS);
  });

  it('leave time for every look-up after a sending', () => {
    expect(sum(LOOK_UP_PAUSES_MS)).toBeLessThanOrEqual(LOOK_UP_RESERVE_MS);
    expect(sum(SETTLE_PAUSES_MS)).toBeLessThan(LOOK_UP_RESERVE_MS);
  });

  it('keep the promises, each before the next one that would cut it off', () => {
    const order = [ORDER_BUDGET_MS, PROMISED_ORDER_MS, LAMBDA_TIMEOUT_MS.orders, GATEWAY_LIMIT_MS];
    const read = [READ_BUDGET_MS, PROMISED_READ_MS, LAMBDA_TIMEOUT_MS.reads, GATEWAY_LIMIT_MS];
    for (const times of [order, read]) {
      expect(times).toStrictEqual(times.toSorted((a, b) => a - b));
      expect(new Set(times).size).toBe(times.length);
    }
    expect([ORDER_BUDGET_MS + WAY_MS, READ_BUDGET_MS + WAY_MS]).toStrictEqual([PROMISED_ORDER_MS, PROMISED_READ_MS]);
    expect(STOP_MS).toBeGreaterThan(PROMISED_ORDER_MS);
  });

  it("keep a lease longer than an order's budget", () => {
    expect(LEASE_MS).toBeGreaterThan(ORDER_BUDGET_MS);
  });

  it('fit both attempts of a call of the deployed stores into the call', () => {
    expect(2 * STORE_ATTEMPT_MS.attempt).toBeLessThan(STORE_CALL_MS);
    expect(2 * SECRET_MS.attempt).toBeLessThan(SECRET_MS.read);
    expect(SECRET_MS.read + STORE_CALL_MS + LOOK_UP_RESERVE_MS + MIN_SEND_MS).toBeLessThan(ORDER_BUDGET_MS);
  });

  it('leave a second attempt of a read some time', () => {
    expect(READ_ATTEMPT_MS + RETRY_PAUSE_MS.max + MIN_RETRY_MS).toBeLessThan(READ_BUDGET_MS);
  });

  it('leave two whole attempts of a read time, and of the rules of an order too', () => {
    const both = 2 * READ_ATTEMPT_MS + RETRY_PAUSE_MS.max;
    expect(both).toBeLessThan(READ_BUDGET_MS);
    expect(both).toBeLessThan(ORDER_BUDGET_MS - SENDING_RESERVE_MS);
  });

  it('tell a connection that is not made from an answer that is lost', () => {
    expect(CONNECT_MS).toBeLessThan(READ_ATTEMPT_MS);
  });

  it('let the doctor, two of whose checks wait for each other, end within its promise and the start of a process', () => {
    expect(2 * DOCTOR_MS.check).toBeLessThan(DOCTOR_MS.run);
    expect(DOCTOR_MS.run + WAY_MS).toBeLessThan(PROMISED_READ_MS);
  });

  it('keep a key for longer than is promised', () => {
    expect(KEEP_MS).toBeGreaterThan(KEPT_AFTER_USE_MS);
    expect(KEPT_AFTER_USE_MS).toBe(24 * 60 * 60 * 1_000);
  });
});
