import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { countOf, createDayCap, givenBack } from '../../../shared/orders/day-cap.ts';
import { decodeRecord, encodeRecord, fingerprintOf, signedOrderOf } from '../../../shared/orders/record.ts';
import { createMemoryOrderStore } from '../../support/orders/memory-order-store.ts';
import { finishedOrder, PLACED, REFUSED, SIGNED_FOR, unfinishedOrder } from '../../support/orders/order-records.ts';

const DAY = '2026-09-21';
const ORDER = { tokenId: '7', side: 'buy', postOnly: false, expiresAt: null } as const;

const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** An unfinished order that was signed for so much. */
function signedFor(notional: string, counted = true) {
  return {
    ...unfinishedOrder('me'),
    counted,
    signing: { for: SIGNED_FOR, notional, at: 1_790_000_000_000, expiresAt: null },
  };
}

/** An order of version 1, which does not say what it was signed for. */
function unsaid() {
  const { signing: _unknown, ...order } = unfinishedOrder('me');
  return { ...order, version: 1, counted: true };
}

describe('the fingerprint of an order', () => {
  const terms = { ...ORDER, price: decimal('0.50'), size: decimal('10.0') };
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

  it('stays what it has been for the records of before', () => {
    expect(fingerprintOf(terms)).toBe(hash('["7","buy","0.5","10",false]'));
    expect(fingerprintOf({ ...terms, side: 'sell', postOnly: true })).toBe(hash('["7","sell","0.5","10",true]'));
  });

  it('tells ends apart', () => {
    expect(fingerprintOf({ ...terms, expiresAt: 1_790_000_000_000 })).toBe(
      hash('["7","buy","0.5","10",false,1790000000000]'),
    );
  });
});

describe('a record', () => {
  it('is read as it was written', () => {
    const facts = { venueReason: 'the book', maxDecimals: 2 };
    for (const record of [
      signedFor('5'),
      unsaid(),
      finishedOrder(PLACED),
      finishedOrder({ result: 'refused', code: 'size_precision', detail: 'Too fine.', facts }),
      finishedOrder(REFUSED),
      finishedOrder({ result: 'not_taken' }),
    ]) {
      expect(decodeRecord(encodeRecord(record))).toStrictEqual(record);
    }
  });

  it('counts for no day where it does not say so', () => {
    const { counted: _absent, ...old } = unfinishedOrder('me');
    expect(decodeRecord(JSON.stringify(old)).counted).toBe(false);
  });

  it('has the end of its order, if there is one', () => {
    const record = signedFor('5');
    const ends = { ...record, signing: { ...record.signing, expiresAt: 1_790_000_600_000 } };
    expect([record, ends, unsaid()].map((order) => signedOrderOf(order).expiresAt)).toStrictEqual([
      null,
      1_790_000_600_000,
      null,
    ]);
  });
});

describe('what is counted for a day', () => {
  it('is the notional in millionths, and given back only where it was counted', () => {
    expect(countOf(signedFor('5.000001'))).toStrictEqual({ day: DAY, units: 5_000_001n });
    expect(givenBack(signedFor('5.000001'))).toStrictEqual({ day: DAY, units: -5_000_001n });
    expect(givenBack(signedFor('5', false))).toBeUndefined();
  });

  it.each([
    ['that does not say it', unsaid()],
    ['of less than a millionth', signedFor('0.0000001')],
  ])('is nothing for a record %s', async (_what, record) => {
    expect([countOf(record), givenBack(record)]).toStrictEqual([undefined, undefined]);
    const cap = createDayCap(decimal('1'), () => 0);
    const store = createMemoryOrderStore();
    expect(cap.admit(record)).toBeUndefined();
    expect([await cap.isExceeded(record, store), await cap.nearlyUsed(record, store)]).toStrictEqual([
      false,
      undefined,
    ]);
  });

  it('may be all of the cap, and is told to the operator from nine tenths of it on', async () => {
    const ends: unknown[] = [];
    for (const used of ['8.999999', '9', '10', '10.000001']) {
      const store = createMemoryOrderStore();
      const record = signedFor(used);
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
    await store.create('key', signedFor('10'), countOf(signedFor('10')));
    expect(await createDayCap(decimal('10'), () => 0).nearlyUsed(signedFor('1', false), store)).toBeUndefined();
  });

  it('is rounded down where the cap is finer', () => {
    expect(createDayCap(decimal('1.2345678'), () => 0).admit(signedFor('1'))).toMatchObject({ atMost: 1_234_567n });
  });
});
