import { describe, expect, it } from '@jest/globals';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { createDayCap, recount } from '../../../shared/orders/day-cap.ts';
import { decodeRecord, encodeRecord, isOfOrder, signedOrderOf, termsOf } from '../../../shared/orders/record.ts';
import { createMemoryOrderStore } from '../../support/orders/memory-order-store.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from '../../support/orders/order-records.ts';

const [DAY, NEXT] = ['2026-09-21', '2026-09-22'];
const ORDER = { tokenId: '7', side: 'buy', postOnly: false, expiresAt: null } as const;

const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** An unfinished order for one share at a price. */
function orderOf(price: string, countedOn: readonly string[] = [DAY]) {
  const record = unfinishedOrder('me');
  return { ...record, countedOn, terms: { ...record.terms, price, size: '1' } };
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
      { ...orderOf('5'), terms: { ...orderOf('5').terms, side: 'sell' as const } },
      { ...orderOf('5', []), requestId: null, client: null, conditionId: null, unprovenAt: null, isFreed: true },
      { ...orderOf('5'), venueReason: 'words', signedAt: { venue: 1, own: 2 }, unprovenAt: { venue: 3, own: 4 } },
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
  const midnight = Date.parse(`${NEXT}T00:00:00Z`);
  const cap = (max: string) => createDayCap(decimal(max), () => 0);

  it('is the notional in millionths, on the days on which it did not count yet', () => {
    const units = 5_000_001n;
    expect(recount(orderOf('5.000001', []), [DAY], 9n)).toStrictEqual([{ day: DAY, units, atMost: 9n }]);
    expect(recount(orderOf('5.000001'), [])).toStrictEqual([{ day: DAY, units: -units }]);
    expect(recount(orderOf('5.000001'), [NEXT])).toStrictEqual([
      { day: NEXT, units },
      { day: DAY, units: -units },
    ]);
    expect(recount(orderOf('5.000001'), [DAY])).toStrictEqual([]);
  });

  it('is never rounded', () => {
    expect(() => recount(orderOf('0.0000001', []), [DAY])).toThrow(RangeError);
  });

  it.each([
    ['on one day, where the clocks agree', { venue: midnight, own: midnight }, [], [NEXT]],
    ["on the venue's day and on ours, where ours is behind", { venue: midnight, own: midnight - 1 }, [], [DAY, NEXT]],
    ["on the venue's day and on ours, where ours is ahead", { venue: midnight - 1, own: midnight }, [], [DAY, NEXT]],
    ['on a later day in the place of the first', { venue: midnight, own: midnight }, [DAY], [NEXT]],
    [
      'on the later day too, where a clock was set back',
      { venue: midnight - 1, own: midnight - 1 },
      [NEXT],
      [DAY, NEXT],
    ],
    [
      'on a day between, where the clocks are days apart',
      { venue: midnight + 48 * 3_600_000, own: midnight - 1 },
      [NEXT],
      [DAY, NEXT, '2026-09-24'],
    ],
  ] as const)('counts %s', (_where, now, before, days) => {
    expect(cap('1').daysFor(now, before)).toStrictEqual(days);
  });

  it('may be all of the cap, and is told to the operator from nine tenths of it on', async () => {
    const ends: unknown[] = [];
    for (const used of ['8.999999', '9', '10', '10.000001']) {
      const store = createMemoryOrderStore();
      const record = orderOf(used);
      await store.create('key', record, recount(orderOf(used, []), [DAY]));
      const warning = await cap('10').nearlyUsed(record, store);
      ends.push([used, await cap('10').fullDay([DAY, NEXT], store), warning?.['notional']]);
    }
    expect(ends).toStrictEqual([
      ['8.999999', undefined, undefined],
      ['9', undefined, '9'],
      ['10', undefined, '10'],
      ['10.000001', DAY, '10.000001'],
    ]);
  });

  it('is not looked at for an order that does not count', async () => {
    const store = createMemoryOrderStore();
    await store.create('key', orderOf('10'), recount(orderOf('10', []), [DAY]));
    const used = cap('10');
    expect(await used.nearlyUsed(orderOf('1', []), store)).toBeUndefined();
    expect(await used.nearlyUsed(orderOf('10'), store)).toMatchObject({ day: DAY });
  });

  it('is rounded down where the cap is finer', () => {
    expect(cap('1.2345678').atMost).toBe(1_234_567n);
  });

  it('resets at the end of the day that is full', () => {
    expect(cap('1').refusal(DAY).facts).toMatchObject({ resetsAt: `${NEXT}T00:00:00Z` });
  });
});
