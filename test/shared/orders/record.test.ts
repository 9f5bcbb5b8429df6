import { describe, expect, it } from '@jest/globals';
import { toDecimal } from '../../../shared/decimal.ts';
import { countsOf, dayOf } from '../../../shared/orders/order-store.ts';
import { unfinishedOrder } from '../../support/orders/order-records.ts';

const DAY = '2026-09-21';

/** An unfinished order of a verified client for one share at a price. */
function orderOf(price: string) {
  const record = unfinishedOrder('me');
  const client = { address: '0xa', isVerified: true };
  return { ...record, client, countedOn: DAY, terms: { ...record.terms, price, size: '1' } };
}

describe('what is counted for a day', () => {
  it("is the notional in millionths, the client's first, at most the cap, which is rounded down", () => {
    const caps = { maxDailyNotional: toDecimal('1.2345678'), maxDailyNotionalPerClient: toDecimal('7') };
    const count = { day: DAY, units: 5_000_001n };
    const counts = [
      { ...count, client: '0xa', atMost: 7_000_000n },
      { ...count, atMost: 1_234_567n },
    ];
    expect(countsOf(orderOf('5.000001'), caps)).toStrictEqual(counts);
  });

  it('belongs to the UTC day of its signing', () => {
    const midnight = Date.parse('2026-09-22T00:00:00Z');
    expect([dayOf(midnight - 1), dayOf(midnight)]).toStrictEqual([DAY, '2026-09-22']);
  });

  it('is never rounded', () => {
    expect(() => countsOf(orderOf('0.0000001'))).toThrow(RangeError);
  });
});
