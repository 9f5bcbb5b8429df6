import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillsInAnswer, fillsInRecord, fillsInTrades } from '../../../../shared/venue/polymarket/fills.ts';
import type { Fills } from '../../../../shared/venue/port.ts';
import { NOTHING_FILLED, NOTHING_TOLD } from '../../../support/orders/order-records.ts';
import {
  type Answers,
  accepted,
  limitOrder,
  lookedUp,
  openWorld,
  place,
  TOKEN,
} from '../../../support/orders/trading-world.ts';

const NOTHING: readonly null[] = [null, null, null];

const listed = ({ filledSize, remainingSize, filledValue }: Fills) => [filledSize, remainingSize, filledValue];

/** An order of shares at a price, both in millionths, as far as its amounts go. */
function signed(side: 'BUY' | 'SELL', shares: bigint, price: bigint) {
  const collateral = String((shares * price) / 1_000_000n);
  const [makerAmount, takerAmount] = side === 'BUY' ? [collateral, String(shares)] : [String(shares), collateral];
  const payload = JSON.stringify({ side, makerAmount, takerAmount });
  return {
    orderId: '0x1',
    tokenId: TOKEN,
    conditionId: null,
    postOnly: false,
    expiresAt: null,
    payload,
    signedAt: { venue: 0, own: 0 },
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
    // Both units are possible for an order so large.
    ['decimals or millionths', signed('BUY', 50_000_000_000n, 500_000n), '10000', '20000', NOTHING],
    ['all of a large order, or a lot', signed('BUY', 50_000_000_000n, 500_000n), '25000', '50000', NOTHING],
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

  it.each(['live', 'delayed'] as const)('are not told of a %s order by the amounts of the whole order', (status) => {
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

  it('are part of the order at its limit or better, or are not told', () => {
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
    ['live', '0', '10', ['0', '10', '0']],
    ['cancelled', '0', '10', ['0', '10', '0']],
    ['matched', '0', '10', NOTHING],
    ['delayed', '0', '10', NOTHING],
    ['matched', '2.5', '10', ['2.5', '7.5', null]],
    ['matched', '2500000', '10000000', ['2.5', '7.5', null]],
    ['cancelled', '2.5', null, ['2.5', '7.5', null]],
    // Of an order of another size nothing is believed.
    ['matched', '2.5', '20', NOTHING],
    ['matched', '11', '10', NOTHING],
    ['matched', '11', null, NOTHING],
  ] as const)('of a %s order: %s of %s', (status, sizeMatched, originalSize, expected) => {
    expect(listed(fillsInRecord(TEN, status, { sizeMatched, originalSize }))).toStrictEqual(expected);
  });
});

describe('the fills in trades', () => {
  it.each([
    ['one', [{ shares: '10', price: '0.42' }], ['10', '0', '4.2']],
    [
      'several',
      [
        { shares: '2.5', price: '0.4' },
        { shares: '1', price: '0.41' },
      ],
      ['3.5', '6.5', '1.41'],
    ],
    [
      'in millionths',
      [
        { shares: '2500000', price: '0.4' },
        { shares: '1000000', price: '0.41' },
      ],
      ['3.5', '6.5', '1.41'],
    ],
    [
      'one without a price',
      [
        { shares: '2.5', price: '0.4' },
        { shares: '1', price: null },
      ],
      ['3.5', '6.5', null],
    ],
    [
      'one without shares',
      [
        { shares: '2.5', price: '0.4' },
        { shares: null, price: '0.4' },
      ],
      NOTHING,
    ],
    [
      'more than the order',
      [
        { shares: '9', price: '0.4' },
        { shares: '1.5', price: '0.4' },
      ],
      NOTHING,
    ],
    ['worse than the limit', [{ shares: '10', price: '0.43' }], ['10', '0', null]],
    ['finer than a millionth', [{ shares: '3.333333', price: '0.355' }], ['3.333333', '6.666667', null]],
  ])('are summed: %s', (_what, parts, expected) => {
    expect(listed(fillsInTrades(TEN, parts))).toStrictEqual(expected);
  });
});

describe('a placed order', () => {
  const fills = async (answers: Answers) => {
    const world = await openWorld(answers);
    const { result } = await place(world, 24_000, limitOrder({ price: '0.42', size: '10' }));
    return { result, calls: world.venue.calls() };
  };
  const matched = (changes: object = {}) => ({
    post: (id: string) => accepted(id, { status: 'matched', tradeIDs: ['t1'], ...changes }),
  });
  const trade = (id: string, orderId: string, maker: object, size = '4') => ({
    id,
    taker_order_id: orderId,
    asset_id: TOKEN,
    size,
    maker_orders: [{ order_id: '0x2', asset_id: TOKEN, matched_amount: size, price: '0.4', ...maker }],
  });
  const TAKEN = { filledSize: '4', remainingSize: '6', filledValue: '1.6' };

  it('says what its answer says, whatever type the amounts have', async () => {
    expect(await fills(matched({ makingAmount: 1.6, takingAmount: 4 }))).toMatchObject({
      result: { status: 'matched', ...TAKEN },
      calls: ['GET /book', 'POST /order'],
    });
  });

  it('says nothing of an answer whose amounts are no amounts', async () => {
    expect(await fills(matched({ makingAmount: [1.6], takingAmount: { shares: 4 } }))).toMatchObject({
      result: { status: 'matched', ...NOTHING_TOLD },
    });
  });

  it('is looked up once, with its trades, when the answer leaves the amounts out', async () => {
    const { result, calls } = await fills({
      ...matched(),
      order: (id) => lookedUp(id, 'LIVE', { size_matched: '4' }),
      trades: (id) => ({ body: { data: [trade('t1', id, {})], next_cursor: 'LTE=' } }),
    });
    expect(result).toMatchObject({ status: 'matched', tradeIds: ['t1'], ...TAKEN });
    expect(calls.filter((call) => call.startsWith('GET /data/order/'))).toHaveLength(1);
    expect(calls.filter((call) => call === 'POST /order')).toHaveLength(1);
  });

  it.each<[string, Answers]>([
    ['lags behind', { order: (id) => lookedUp(id, 'LIVE') }],
    ['finds nothing', {}],
    ['fails', { order: () => 'reset' }],
    ['is of another size', { order: (id) => lookedUp(id, 'LIVE', { size_matched: '4', original_size: '40' }) }],
  ])('is placed all the same when that look-up %s', async (_what, answers) => {
    expect(await fills({ ...matched(), ...answers })).toMatchObject({
      result: { status: 'matched', tradeIds: ['t1'], ...NOTHING_TOLD },
    });
  });

  it.each<[string, (id: string) => object, object]>([
    ['as taker', (id) => trade('t1', id, {}), TAKEN],
    [
      'as taker of the other token, at the complement of its price',
      (id) => trade('t1', id, { asset_id: '5', price: '0.6' }),
      TAKEN,
    ],
    [
      'as maker',
      (id) => trade('t1', '0x3', { order_id: id, price: '0.42' }),
      { filledSize: '4', remainingSize: '6', filledValue: '1.68' },
    ],
    [
      'as taker of a trade whose makers are not all named',
      (id) => trade('t1', id, { matched_amount: '3' }),
      { filledSize: '4', remainingSize: '6', filledValue: null },
    ],
    [
      'as taker of makers whose token is not named',
      (id) => trade('t1', id, { asset_id: undefined }),
      { filledSize: '4', remainingSize: '6', filledValue: null },
    ],
  ])('is valued by its trades %s', async (_what, row, expected) => {
    const trades: Answers['trades'] = (id) => ({ body: { data: [row(id)], next_cursor: 'LTE=' } });
    // Once with the order's record, which names no value, and once by the trades alone.
    const shown: Answers = { post: () => 'reset', trades, order: (id) => lookedUp(id, 'LIVE', { size_matched: '4' }) };
    expect((await fills(shown)).result).toMatchObject({ status: 'matched', ...expected });
    expect((await fills({ post: () => 'reset', trades })).result).toMatchObject({ status: 'matched', ...expected });
  });

  it('has no value where its trades are not of as many shares as its record', async () => {
    const { result } = await fills({
      post: () => 'reset',
      order: (id) => lookedUp(id, 'CANCELED', { size_matched: '5' }),
      trades: (id) => ({ body: { data: [trade('t1', id, {})], next_cursor: 'LTE=' } }),
    });
    expect(result).toMatchObject({ status: 'cancelled', filledSize: '5', remainingSize: '5', filledValue: null });
  });

  it.each<[string, readonly string[], object]>([
    ['its only trade', ['FAILED'], NOTHING_TOLD],
    ['one of its trades', ['CONFIRMED', 'FAILED'], NOTHING_TOLD],
    ['a trade beside those that it counts', ['MINED', 'TRADE_STATUS_FAILED', 'MATCHED'], { filledSize: '8' }],
  ])('is not said to be what its record counts where %s has failed', async (_what, statuses, expected) => {
    const size_matched = String(4 * Math.min(statuses.length, 2));
    const { result } = await fills({
      post: () => 'reset',
      order: (id) => lookedUp(id, 'LIVE', { size_matched }),
      trades: (id) => ({
        body: { data: statuses.map((status, at) => ({ ...trade(`t${at}`, id, {}), status })), next_cursor: 'LTE=' },
      }),
    });
    expect(result).toMatchObject({ status: 'matched', ...expected });
  });

  it('counts a trade once that stands under both tokens, and none that failed', async () => {
    const { result } = await fills({
      post: () => 'reset',
      trades: (id) => ({
        body: { data: [trade('t1', id, {}), { ...trade('t2', id, {}), status: 'FAILED' }], next_cursor: 'LTE=' },
      }),
    });
    expect(result).toMatchObject({ tradeIds: ['t1'], ...TAKEN });
  });

  it('is not summed from trades of which a page is missing', async () => {
    const { result } = await fills({
      post: () => 'reset',
      trades: (id, index) => (index === 0 ? { body: { data: [trade('t1', id, {})], next_cursor: 'Mg==' } } : 'reset'),
    });
    expect(result).toMatchObject({ status: 'matched', tradeIds: ['t1'], ...NOTHING_TOLD });
  });

  it('is not called filled where it rests, and the answer repeats the amounts of the order', async () => {
    const amounts = { makingAmount: '5000000', takingAmount: '10000000' };
    const { result } = await fills({ post: (id) => accepted(id, amounts) });
    expect(result).toMatchObject({ status: 'live', ...NOTHING_TOLD });
  });

  it.each([{ tradeIDs: ['t1'] }, { transactionsHashes: ['0xaa'] }])(
    'is not called unfilled where it rests, and the answer names %j without amounts',
    async (named) => {
      const post: Answers['post'] = (id) => accepted(id, named);
      expect((await fills({ post })).result).toMatchObject({ status: 'live', ...NOTHING_TOLD });
      const { result } = await fills({ post, order: (id) => lookedUp(id, 'LIVE', { size_matched: '4' }) });
      expect(result).toMatchObject({ status: 'live', filledSize: '4', remainingSize: '6' });
    },
  );

  it.each<[string, string, string, object]>([
    ['all of it is executed', 'MATCHED', '10', { status: 'matched', filledSize: '10', remainingSize: '0' }],
    ['it is off the book', 'CANCELED', '4', { status: 'cancelled', filledSize: '4', remainingSize: '6' }],
    ['it is off the book untouched', 'CANCELED', '0', { status: 'cancelled', ...NOTHING_TOLD }],
  ])(
    'is not said to rest where the look-up of its fills shows that %s',
    async (_what, state, size_matched, expected) => {
      const ends = ['live', 'delayed'].map(async (status) => {
        const post: Answers['post'] = (id) => accepted(id, { status, tradeIDs: ['t1'] });
        return (await fills({ post, order: (id) => lookedUp(id, state, { size_matched }) })).result;
      });
      for (const end of await Promise.all(ends)) expect(end).toMatchObject(expected);
    },
  );

  it('is not called unfilled where its look-up names trades without amounts', async () => {
    const ends = [['t1'], [17]].flatMap((associate_trades) =>
      ['LIVE', 'CANCELED'].map(async (state) => {
        const order: Answers['order'] = (id) => lookedUp(id, state, { associate_trades });
        return (await fills({ post: () => 'reset', order })).result;
      }),
    );
    for (const end of await Promise.all(ends)) expect(end).toMatchObject(NOTHING_TOLD);
  });

  it('has no fills while it rests', async () => {
    expect((await fills({})).result).toMatchObject({ status: 'live', ...NOTHING_FILLED });
  });
});
