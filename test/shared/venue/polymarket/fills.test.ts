import { describe, expect, it } from '@jest/globals';
import { fillsInAnswer, fillsInRecord } from '../../../../shared/venue/polymarket/fills.ts';
import type { Fills, Placement } from '../../../../shared/venue/port.ts';

const listed = ({ filledSize, remainingSize, filledValue }: Fills) => [filledSize, remainingSize, filledValue];

/** An order of whole shares at a price in hundredths, as far as its amounts go. */
function signed(side: 'BUY' | 'SELL', shares: number, price: number) {
  const [collateral, size] = [`${shares * price * 10_000}`, `${shares * 1_000_000}`];
  const [makerAmount, takerAmount] = side === 'BUY' ? [collateral, size] : [size, collateral];
  const payload = JSON.stringify({ side, makerAmount, takerAmount });
  return { orderId: '0x1', tokenId: '7', conditionId: null, postOnly: false, expiresAt: null, payload, signedAt: 0 };
}

const TEN = signed('BUY', 10, 42);
const TEN_SOLD = signed('SELL', 10, 42);
const MANY = signed('BUY', 20_000, 52);
const MOST = signed('BUY', 50_000, 50);

type Expected = readonly (string | null)[];
const NOTHING: Expected = [null, null, null];
const WHOLE: Expected = ['10', '0', '4.2'];
const PART: Expected = ['2.5', '7.5', '1.05'];
const NO_VALUE: Expected = ['10', '0', null];

describe('the fills in an answer', () => {
  // Making and taking amount: a purchase gives collateral and takes shares.
  it.each<readonly [string, typeof TEN, making: string, taking: string, Expected, status?: Placement['status']]>([
    ['wholly filled', TEN, '4.2', '10', WHOLE],
    ['partly filled', TEN, '1.05', '2.5', PART],
    ['filled at a better price', TEN, '3.9', '10', ['10', '0', '3.9']],
    ['with superfluous zeros', TEN, '4.200000', '10.000000', WHOLE],
    ['in millionths', TEN, '4200000', '10000000', WHOLE],
    ['a part in millionths', TEN, '1050000', '2500000', PART],
    ['a sale', TEN_SOLD, '10', '4.2', WHOLE],
    ['a sale at a better price', TEN_SOLD, '2', '1.9', ['2', '8', '1.9']],
    ['a sale in millionths', TEN_SOLD, '2000000', '900000', ['2', '8', '0.9']],
    ['rounded by the venue to the millionth', signed('BUY', 10, 30), '1', '3.333333', ['3.333333', '6.666667', '1']],
    // More than was asked for cannot be true, in no unit.
    ...['10.000001', '10000001', '0', '', '9.9999999', '-10', 'ten', '1e1'].map(
      (taking) => [`${taking} shares of 10`, TEN, '4.2', taking, NOTHING] as const,
    ),
    // The value alone.
    ['a price worse than the limit', TEN, '4.200001', '10', NO_VALUE],
    ['a price worse than the limit of a sale', TEN_SOLD, '10', '4.199999', NO_VALUE],
    ['a price of one', TEN_SOLD, '10', '10', NO_VALUE],
    ...['0', '', '-4.2', '4200000'].map((making) => [`a value of ${making}`, TEN, making, '10', NO_VALUE] as const),
    // Both units are possible for an order so large: it is in decimals.
    ['20000 shares', MANY, '10400', '20000', ['20000', '0', '10400']],
    ['a sale of 20000 shares', signed('SELL', 20_000, 52), '20000', '10400', ['20000', '0', '10400']],
    ['20000 shares in millionths', MANY, '10400000000', '20000000000', ['20000', '0', '10400']],
    ['a part of a large order', MOST, '10000', '20000', ['20000', '30000', '10000']],
    ['a fraction of a large order', MOST, '10000.25', '20000.5', ['20000.5', '29999.5', '10000.25']],
    // Without amounts.
    ...[['', ''] as const, ['0', '0'] as const, ['0.000000', ''] as const].flatMap(([making, taking]) => [
      ['none', TEN, making, taking, ['0', '10', '0'], 'live'] as const,
      ['none', TEN, making, taking, NOTHING, 'delayed'] as const,
      ['none', TEN, making, taking, NOTHING] as const,
    ]),
    // Orders that rest or are held may have the amounts of the whole order, and no fills.
    ...(['live', 'delayed'] as const).flatMap((status) => [
      ['all', TEN, '4.2', '10', NOTHING, status] as const,
      ['all in millionths', TEN, '4200000', '10000000', NOTHING, status] as const,
      ['all of a sale', TEN_SOLD, '10', '4.2', NOTHING, status] as const,
      ['a part', TEN, '1.05', '2.5', PART, status] as const,
    ]),
  ])('are read: %s', (_what, order, makingAmount, takingAmount, expected, ...[status = 'matched']) => {
    expect(listed(fillsInAnswer(order, status, { makingAmount, takingAmount }))).toStrictEqual(expected);
  });
});

it.each<readonly [Placement['status'], string, Expected, order?: typeof TEN]>([
  ['live', '0', ['0', '10', null]],
  ['cancelled', '0', ['0', '10', null]],
  ['matched', '0', NOTHING],
  ['delayed', '0', NOTHING],
  ['matched', '2.5', ['2.5', '7.5', null]],
  ['matched', '2500000', ['2.5', '7.5', null]],
  ['cancelled', '2.5', ['2.5', '7.5', null]],
  ['matched', '11', NOTHING],
  ['live', '', NOTHING],
  ['matched', '20000', ['20000', '0', null], MANY],
])('the fills of a %s order are read from its record: %j', (status, sizeMatched, expected, ...[order = TEN]) => {
  expect(listed(fillsInRecord(order, status, sizeMatched))).toStrictEqual(expected);
});
