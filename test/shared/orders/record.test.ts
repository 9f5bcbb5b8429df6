import { describe, expect, it } from '@jest/globals';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { countOf, createDayCap, givenBack } from '../../../shared/orders/day-cap.ts';
import { decodeRecord, encodeRecord, isOfOrder, signedOrderOf, termsOf } from '../../../shared/orders/record.ts';
import { createMemoryOrderStore } from '../../support/orders/memory-order-store.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from '../../support/orders/order-records.ts';

const DAY = '2026-09-21';
const ORDER = { tokenId: '7', side: 'buy', postOnly: false, expiresAt: null } as const;

const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** An unfinished order for one share at a price. */
function orderOf(price: string, isCounted = true) {
  const record = unfinishedOrder('me');
  return { ...record, isCounted, terms: { ...record.terms, price, size: '1' } };
}

describe('an order', () => {
  const order = { ...ORDER, price: decimal('0.50'), size: decimal('10.0') };
  const record = { ...unfinishedOrder('me'), terms: termsOf(order) };

  it('is that of its record, however it was written', () => {
    expect(isOfOrder(record, { ...order, price: decimal('0.5'), size: decimal('10') })).toBe(true);
    expect(isOfOrder(decodeRecord(encodeRecord(record)), order)).toBe(true);
  });

  it.each([
    { tokenId: '8' },
    { side: 'sell' },
    { price: decimal('0.51') },
    { size: decimal('10.01') },
    { postOnly: true },
    { expiresAt: 1_790_000_000_000 },
  ] as const)('is another with %j', (change) => {
    expect(isOfOrder(record, { ...order, ...change })).toBe(false);
  });
});

describe('a record', () => {
  it('is read as it was written', () => {
    const facts = { venueReason: 'the book', maxDecimals: 2 };
    for (const record of [
      orderOf('5'),
      { ...orderOf('5', false), requestId: null, client: null, conditionId: null, unprovenAt: null, isFreed: true },
      finishedOrder(PLACED),
      finishedOrder({ result: 'refused', code: 'size_precision', detail: 'Too fine.', facts }),
      finishedOrder(REFUSED),
      finishedOrder({ result: 'not_taken' }),
    ]) {
      expect(decodeRecord(encodeRecord(record))).toStrictEqual(record);
    }
  });

  it('of a later version is refused, whose meaning is not known', () => {
    const text = encodeRecord(orderOf('5'));
    expect(() => decodeRecord(text.replace('"v":1', '"v":2'))).toThrow();
  });

  it.each(['{}', '{"v":1}', 'null', ''])('is not read from %j', (text) => {
    expect(() => decodeRecord(text)).toThrow();
  });

  it('has the end of its order, if there is one', () => {
    const record = orderOf('5');
    const ends = { ...record, terms: { ...record.terms, expiresAt: 1_790_000_600_000 } };
    expect([record, ends].map((order) => signedOrderOf(order).expiresAt)).toStrictEqual([null, 1_790_000_600_000]);
  });
});

describe('what is counted for a day', () => {
  it('is the notional in millionths, and given back only where it was counted', () => {
    expect(countOf(orderOf('5.000001'))).toStrictEqual({ day: DAY, units: 5_000_001n });
    expect(givenBack(orderOf('5.000001'))).toStrictEqual({ day: DAY, units: -5_000_001n });
    expect(givenBack(orderOf('5', false))).toBeUndefined();
  });

  it('is never rounded', () => {
    expect(() => countOf(orderOf('0.0000001'))).toThrow(RangeError);
  });

  it('may be all of the cap, and is told to the operator from nine tenths of it on', async () => {
    const ends: unknown[] = [];
    for (const used of ['8.999999', '9', '10', '10.000001']) {
      const store = createMemoryOrderStore();
      const record = orderOf(used);
      await store.create('key', record, countOf(record));
      const cap = createDayCap(decimal('10'), () => 0);
      const warning = await cap.nearlyUsed(record, store);
      ends.push([used, await cap.isExceeded(record, store), warning?.['notional']]);
    }
    expect(ends).toStrictEqual([
      ['8.999999', false, undefined],
      ['9', false, '9'],
      ['10', false, '10'],
      ['10.000001', true, '10.000001'],
    ]);
  });

  it('is not looked at for an order that does not count', async () => {
    const store = createMemoryOrderStore();
    await store.create('key', orderOf('10'), countOf(orderOf('10')));
    expect(await createDayCap(decimal('10'), () => 0).nearlyUsed(orderOf('1', false), store)).toBeUndefined();
  });

  it('is rounded down where the cap is finer', () => {
    expect(createDayCap(decimal('1.2345678'), () => 0).admit(orderOf('1'))).toMatchObject({ atMost: 1_234_567n });
  });
});
