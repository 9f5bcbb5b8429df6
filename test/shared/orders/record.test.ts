import { describe, expect, it } from '@jest/globals';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { countsOf, dayOf, giveBack } from '../../../shared/orders/order-store.ts';
import { decodeRecord, encodeRecord } from '../../../shared/orders/record.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from '../../support/orders/order-records.ts';

const [DAY, NEXT] = ['2026-09-21', '2026-09-22'];

const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** An unfinished order for one share at a price. */
function orderOf(price: string, countedOn: string | null = DAY) {
  const record = unfinishedOrder('me');
  return { ...record, client: null, countedOn, terms: { ...record.terms, price, size: '1' } };
}

describe('a record', () => {
  it('is read as it was written', () => {
    const facts = { venueReason: 'the book', maxDecimals: 2 };
    for (const record of [
      orderOf('5'),
      { ...orderOf('5'), terms: { ...orderOf('5').terms, side: 'sell' as const, expiresAt: 1_790_000_600_000 } },
      { ...orderOf('5', null), requestId: null, client: null, conditionId: null, unconfirmedAt: null },
      { ...orderOf('5'), venueReason: 'words', signedAt: 1, unconfirmedAt: 3 },
      finishedOrder(PLACED),
      finishedOrder({ result: 'refused', code: 'price_off_tick', detail: 'Too fine.', facts }),
      finishedOrder(REFUSED),
      finishedOrder({ result: 'not_taken' }),
    ]) {
      expect(decodeRecord(encodeRecord(record))).toStrictEqual(record);
    }
  });

  it.each([
    [1, 'it has orders of an earlier version of the service (1, not 2); see "Upgrading" in CHANGELOG.md'],
    [3, 'it has orders of a later version of the service (3, not 2); see "Upgrading" in CHANGELOG.md'],
  ])('of version %d is refused in one sentence', (version, sentence) => {
    const text = encodeRecord(orderOf('5'));
    expect(() => decodeRecord(text.replace('"version":2', `"version":${version}`))).toThrow(sentence);
  });

  it.each(['{}', '{"version":2}', 'null', ''])('is not read from %j', (text) => {
    expect(() => decodeRecord(text)).toThrow();
  });
});

describe('what is counted for a day', () => {
  const units = 5_000_001n;
  const record = orderOf('5.000001');
  const client = '0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD';
  const ofClient = { ...record, client: { address: client, isVerified: true } };
  const caps = { maxDailyNotional: decimal('9'), maxDailyNotionalPerClient: decimal('7') };

  it.each([
    ['the notional in millionths, on the UTC day of the record', record, {}, [{ day: DAY, units }]],
    ['at most the cap', record, caps, [{ day: DAY, units, atMost: 9_000_000n }]],
    [
      "on the day of the verified client too, before everybody's",
      ofClient,
      caps,
      [
        { day: DAY, units, client, atMost: 7_000_000n },
        { day: DAY, units, atMost: 9_000_000n },
      ],
    ],
    [
      'at most the cap rounded down where that is finer',
      orderOf('1'),
      { maxDailyNotional: decimal('1.2345678') },
      [{ day: DAY, units: 1_000_000n, atMost: 1_234_567n }],
    ],
    ['nothing for an order that does not count', orderOf('5', null), caps, []],
  ])('is %s, and is given back in full', (_what, order, limits, counts) => {
    expect(countsOf(order, limits)).toStrictEqual(counts);
    const back = counts.map(({ day, units: counted, ...of }) => ({ ...of, day, units: -counted, atMost: undefined }));
    expect(giveBack(order)).toEqual(back);
  });

  it('is never rounded', () => {
    expect(() => countsOf(orderOf('0.0000001'))).toThrow(RangeError);
  });

  it('belongs to the UTC day of its signing', () => {
    const midnight = Date.parse(`${NEXT}T00:00:00Z`);
    expect([dayOf(midnight - 1), dayOf(midnight)]).toStrictEqual([DAY, NEXT]);
  });
});
