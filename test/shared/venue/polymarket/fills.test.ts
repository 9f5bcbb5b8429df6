import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillsInAnswer, fillsInRecord } from '../../../../shared/venue/polymarket/fills.ts';
import type { Fills } from '../../../../shared/venue/port.ts';

const NOTHING: readonly null[] = [null, null, null];

const listed = ({ filledSize, remainingSize, filledValue }: Fills) => [filledSize, remainingSize, filledValue];

/** An order of shares at a price, both in millionths, as far as its amounts go. */
function signed(side: 'BUY' | 'SELL', shares: bigint, price: bigint) {
  const collateral = String((shares * price) / 1_000_000n);
  const [makerAmount, takerAmount] = side === 'BUY' ? [collateral, String(shares)] : [String(shares), collateral];
  const payload = JSON.stringify({ side, makerAmount, takerAmount });
  return {
    orderId: '0x1',
    tokenId: '7',
    conditionId: null,
    postOnly: false,
    expiresAt: null,
    payload,
    signedAt: 0,
  };
}

const TEN = signed('BUY', 10_000_000n, 420_000n);
const TEN_SOLD = signed('SELL', 10_000_000n, 420_000n);

describe('the fills in an answer', () => {
  it.each([
    // A purchase gives collateral and takes shares.
    ['wholly filled', TEN, '4.2', '10', ['10', '0', '4.2']],
    ['partly filled', TEN, '1.05', '2.5', ['2.5', '7.5', '1.05']],
    ['filled at a better price', TEN, '3.9', '10', ['10', '0', '3.9']],
    ['with superfluous zeros', TEN, '4.200000', '10.000000', ['10', '0', '4.2']],
    ['in millionths', TEN, '4200000', '10000000', ['10', '0', '4.2']],
    ['a part in millionths', TEN, '1050000', '2500000', ['2.5', '7.5', '1.05']],
    ['a sale', TEN_SOLD, '10', '4.2', ['10', '0', '4.2']],
    ['a sale at a better price', TEN_SOLD, '2', '1.9', ['2', '8', '1.9']],
    ['a sale in millionths', TEN_SOLD, '2000000', '900000', ['2', '8', '0.9']],
    [
      'to the millionth, rounded by the venue',
      signed('BUY', 10_000_000n, 300_000n),
      '1',
      '3.333333',
      ['3.333333', '6.666667', '1'],
    ],
    // More than was asked for cannot be true, in no unit.
    ['more shares than the size', TEN, '4.2', '10.000001', NOTHING],
    ['more shares than the size, in millionths', TEN, '4.2', '10000001', NOTHING],
    ['nothing for something', TEN, '4.2', '0', NOTHING],
    ['no shares', TEN, '4.2', '', NOTHING],
    ['finer than a millionth', TEN, '4.2', '9.9999999', NOTHING],
    ['below zero', TEN, '-4.2', '-10', NOTHING],
    ['no number', TEN, '4.2', 'ten', NOTHING],
    ['an exponent', TEN, '4.2', '1e1', NOTHING],
    // The value alone.
    ['a price worse than the limit', TEN, '4.200001', '10', ['10', '0', null]],
    ['a price worse than the limit of a sale', TEN_SOLD, '10', '4.199999', ['10', '0', null]],
    ['a price of one', TEN_SOLD, '10', '10', ['10', '0', null]],
    ['a price of nothing', TEN, '0', '10', ['10', '0', null]],
    ['no value', TEN, '', '10', ['10', '0', null]],
    ['a value in another unit', TEN, '4200000', '10', ['10', '0', null]],
    // Both units are possible for an order so large: it is in decimals.
    ['10000 shares', signed('BUY', 10_000_000_000n, 520_000n), '5200', '10000', ['10000', '0', '5200']],
    ['20000 shares', signed('BUY', 20_000_000_000n, 520_000n), '10400', '20000', ['20000', '0', '10400']],
    ['a sale of 20000 shares', signed('SELL', 20_000_000_000n, 520_000n), '20000', '10400', ['20000', '0', '10400']],
    [
      'a part of a large order',
      signed('BUY', 50_000_000_000n, 500_000n),
      '10000',
      '20000',
      ['20000', '30000', '10000'],
    ],
    [
      '20000 shares in millionths',
      signed('BUY', 20_000_000_000n, 520_000n),
      '10400000000',
      '20000000000',
      ['20000', '0', '10400'],
    ],
    [
      'a fraction of a large order',
      signed('BUY', 50_000_000_000n, 500_000n),
      '10000.25',
      '20000.5',
      ['20000.5', '29999.5', '10000.25'],
    ],
  ])('are read: %s', (_what, order, makingAmount, takingAmount, expected) => {
    expect(listed(fillsInAnswer(order, 'matched', { makingAmount, takingAmount }))).toStrictEqual(expected);
  });

  it.each([
    ['live', ['0', '10', '0']],
    ['matched', NOTHING],
    ['delayed', NOTHING],
  ] as const)('are of a %s order without amounts', (status, expected) => {
    for (const [makingAmount, takingAmount] of [
      ['', ''],
      ['0', '0'],
      ['0.000000', ''],
    ] as const) {
      expect(listed(fillsInAnswer(TEN, status, { makingAmount, takingAmount }))).toStrictEqual(expected);
    }
  });

  it.each(['live', 'delayed'] as const)('are null for a %s order with the amounts of the whole order', (status) => {
    for (const order of [TEN, TEN_SOLD]) {
      const { makerAmount, takerAmount } = JSON.parse(order.payload);
      const inMillionths = { makingAmount: makerAmount, takingAmount: takerAmount };
      const inDecimals = order === TEN ? ['4.2', '10'] : ['10', '4.2'];
      const [makingAmount = '', takingAmount = ''] = inDecimals;
      for (const amounts of [inMillionths, { makingAmount, takingAmount }]) {
        expect(listed(fillsInAnswer(order, status, amounts))).toStrictEqual(NOTHING);
        expect(listed(fillsInAnswer(order, 'matched', amounts))).toStrictEqual(['10', '0', '4.2']);
      }
    }
    const part = { makingAmount: '1.05', takingAmount: '2.5' };
    expect(listed(fillsInAnswer(TEN, status, part))).toStrictEqual(['2.5', '7.5', '1.05']);
  });

  const amount = fc.oneof(
    fc.string(),
    fc.bigInt({ min: 0n, max: 20_000_000n }).map(String),
    fc.tuple(fc.nat(12), fc.nat(999_999)).map(([whole, rest]) => `${whole}.${String(rest).padStart(6, '0')}`),
  );

  it('are part of the order at its limit or better, else null', () => {
    fc.assert(
      fc.property(fc.constantFrom(TEN, TEN_SOLD), amount, amount, (order, makingAmount, takingAmount) => {
        const fills = fillsInAnswer(order, 'matched', { makingAmount, takingAmount });
        if (fills.filledSize === null) return listed(fills).every((value) => value === null);
        const units = (text: string | null) => Math.round(Number(text) * 1e6);
        const [filled, rest, value] = [fills.filledSize, fills.remainingSize, fills.filledValue].map(units);
        const atLimit = (filled ?? 0) * 0.42;
        const isWorse = order === TEN ? (value ?? 0) > Math.ceil(atLimit) : (value ?? 0) < Math.floor(atLimit);
        return (filled ?? 0) > 0 && (filled ?? 0) + (rest ?? 0) === 10e6 && (fills.filledValue === null || !isWorse);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the fills in a record', () => {
  it.each([
    ['live', '0', ['0', '10', null]],
    ['cancelled', '0', ['0', '10', null]],
    ['matched', '0', NOTHING],
    ['delayed', '0', NOTHING],
    ['matched', '2.5', ['2.5', '7.5', null]],
    ['matched', '2500000', ['2.5', '7.5', null]],
    ['cancelled', '2.5', ['2.5', '7.5', null]],
    ['matched', '11', NOTHING],
    ['cancelled', '', NOTHING],
    ['live', '', NOTHING],
  ] as const)('of a %s order: %j', (status, sizeMatched, expected) => {
    expect(listed(fillsInRecord(TEN, status, sizeMatched))).toStrictEqual(expected);
  });

  it.each([10_000n, 20_000n])('are known for a whole order of %s shares', (size) => {
    const order = signed('BUY', size * 1_000_000n, 520_000n);
    expect(listed(fillsInRecord(order, 'matched', String(size)))).toStrictEqual([String(size), '0', null]);
  });
});
