import { describe, expect, it } from '@jest/globals';
import { OrderBookError, quote } from '../../../packages/client/client.ts';
import { labelOf, listCost, noteOn, warningsOf } from '../../../packages/console/advice.ts';
import { amountOf, bestPrice, checkDraft, movePrice, normalise, sizeFor } from '../../../packages/console/draft.ts';
import { formatMoney, formatPrice, formatShares, formatTime, shorten } from '../../../packages/console/figures.ts';
import { positionsIn, profitAt } from '../../../packages/console/holdings.ts';
import { depthOf, pricesOf } from '../../../packages/console/pictures.ts';
import { reasonOf, sentenceOf } from '../../../packages/console/words.ts';
import { ERROR_CODES } from '../../../shared/errors.ts';
import { BOOK, FEES } from '../../support/service/client-book.ts';

const MARKET = { fees: FEES };
const UNPUBLISHED = { fees: { ...FEES, taker_only: null } };
const HOLDINGS = { freeCollateral: '10', freeShares: '7.129', shares: '9' };

interface Terms {
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly post_only?: boolean;
}

function weigh(draft: Terms, known: object = {}, market: typeof MARKET | typeof UNPUBLISHED = MARKET) {
  return { draft, book: BOOK, quote: quote(BOOK, market, draft), holdings: undefined, staleSince: undefined, ...known };
}

describe('the ticket', () => {
  it.each([
    // 10 × 0.04 × 0.53 × 0.47 = 0.09964: what the user pays is rounded up to the cent, what he gets is cut.
    [
      'buy 100 at 0.53',
      '10.00 at 0.53; 90.00 at 0.53; 0.10 pUSD; 53.10 pUSD; 54.00 pUSD; 100.00 pUSD; 46.90 pUSD (88 %)',
      'Buy 10 Yes now, bid for 90 at 0.53',
    ],
    // 900 × 0.99 = 891, and 900 × 0.04 × 0.99 × 0.01 = 0.3564 of fee, however the book moves.
    [
      'buy 900 at 0.99',
      '30.50 at 0.543443, to 0.55; 869.50 at 0.99; 0.31 pUSD; 877.69 pUSD; 891.36 pUSD; 900.00 pUSD; 22.31 pUSD (2 %)',
      'Buy 30.50 Yes now, bid for 869.50 at 0.99',
    ],
    [
      'buy 5 at 0.52',
      'nothing; 5.00 at 0.52; 0.00 pUSD; 2.60 pUSD; 2.65 pUSD; 5.00 pUSD; 2.40 pUSD (92 %)',
      'Bid for 5 Yes at 0.52',
    ],
    [
      'sell 80 at 0.5',
      '80.00 at 0.505, to 0.50; nothing; 0.80 pUSD; 39.60 pUSD; 39.20 pUSD',
      'Sell 80 Yes now at 0.50',
    ],
    ['sell 7 at 0.55', 'nothing; 7.00 at 0.55; 0.00 pUSD; 3.85 pUSD; 3.78 pUSD', 'Offer 7 Yes at 0.55'],
  ])(
    'for "%s" shows matches; rest; fee; cost; bound; payout; profit: %s, and on the button: %s',
    (order, shown, button) => {
      const [, side, size = '', price = ''] = /^(buy|sell) (\S+) at (\S+)$/.exec(order) ?? [];
      const weighed = weigh({ side: side === 'buy' ? 'buy' : 'sell', price, size });
      const facts = listCost(weighed.draft.side, weighed);
      expect([Object.values(facts).join('; '), labelOf(weighed, 'Yes')]).toStrictEqual([shown, button]);
      // The same rows stand there before the order can be weighed.
      expect(Object.keys(listCost(weighed.draft.side, undefined))).toStrictEqual(Object.keys(facts));
    },
  );

  it.each([
    [{ side: 'buy', price: '0.54', size: '30' }, { holdings: HOLDINGS }, '6.20 pUSD short.'],
    [{ side: 'sell', price: '0.6', size: '8' }, { holdings: HOLDINGS }, '0.87 shares short.'],
    [
      { side: 'buy', price: '0.53', size: '20', post_only: true },
      {},
      'Would be refused: 10 of 20 shares would match at once; a post-only order must rest.',
    ],
    [{ side: 'buy', price: '0.56', size: '5' }, {}, '3 ticks past the best ask of 0.53: up to 0.56.'],
    [{ side: 'sell', price: '0.4', size: '5' }, {}, '11 ticks past the best bid of 0.51: down to 0.40.'],
    [{ side: 'buy', price: '0.55', size: '5' }, {}, ''],
    [
      { side: 'buy', price: '0.5', size: '5' },
      { staleSince: '11:23:03' },
      'The book is from 11:23:03: no answer since.',
    ],
  ] as const)('warns of %j with %j: %s', (draft, known, text) => {
    expect(
      warningsOf(weigh(draft, known))
        .map((warning) => warning.text)
        .join(' '),
    ).toBe(text);
  });

  it('says that a resting order may pay a fee if the market does not publish its fees', () => {
    const draft = { side: 'buy', price: '0.1', size: '5' } as const;
    const notes = [MARKET, UNPUBLISHED].map((market) => noteOn(weigh(draft, {}, market)));
    expect(notes).toStrictEqual(['', 'What rests may pay a fee: the market does not publish it.']);
  });
});

describe('a draft', () => {
  it.each([
    ['0.55', '5', true, true],
    ['0.555', '5.00', false, true],
    ['1', '4.99', false, false],
    ['0', '5.001', false, false],
    ['abc', '1e3', false, false],
    ['50c', '1 000', false, false],
    ['', '', false, false],
  ])('of %j for %j has a right price: %s; a right size: %s', (price, size, isPrice, isSize) => {
    expect(checkDraft({ side: 'buy', price, size }, BOOK)).toStrictEqual({ price: isPrice, size: isSize });
  });

  it.each([
    ['0.59', 'up', '0.60'],
    ['0.555', 'down', '0.55'],
    ['0.01', 'down', '0.01'],
    ['0.99', 'up', '0.99'],
    ['x', 'up', 'x'],
  ] as const)('at %s steps %s to %s', (price, direction, next) => {
    expect(movePrice(price, '0.01', direction)).toBe(next);
  });

  it.each([
    ['0,5', '0.5'],
    [' .5 ', '0.5'],
    ['1,000.5', '1.000.5'],
  ])('reads %j as %s', (typed, read) => {
    expect(normalise(typed)).toBe(read);
  });

  it('begins at the best price at which it matches; where it must rest, or nothing matches, at the best of its own side', () => {
    const [noAsks, noBids] = [
      { ...BOOK, asks: [] },
      { ...BOOK, bids: [] },
    ];
    const begin = (side: 'buy' | 'sell', book: typeof BOOK, post_only = false) => bestPrice({ side, post_only }, book);
    expect([begin('buy', BOOK), begin('sell', BOOK)]).toStrictEqual(['0.53', '0.51']);
    expect([begin('buy', BOOK, true), begin('sell', BOOK, true)]).toStrictEqual(['0.51', '0.53']);
    expect([begin('buy', noAsks), begin('sell', noBids)]).toStrictEqual(['0.51', '0.53']);
    const none = { ...noAsks, bids: [] };
    expect([begin('buy', none), begin('sell', none)]).toStrictEqual(['0.01', '0.99']);
  });

  it.each([
    ['10', '0.4', '25', '10.00'],
    ['10', '0.3', '33.33', '9.99'],
    ['', '0.3', '', ''],
    ['50c', '0.3', '', ''],
    ['10', '0', '', ''],
  ])('of %s pUSD at %s has %s shares, which cost %s', (amount, price, size, cost) => {
    expect([sizeFor(amount, price), amountOf({ price, size })]).toStrictEqual([size, cost]);
  });
});

it('writes prices, shares, sums and times in one way each', () => {
  expect([formatPrice('0.6'), formatPrice('0.6', '0.001'), formatPrice('0.5345')]).toStrictEqual([
    '0.60',
    '0.600',
    '0.5345',
  ]);
  expect([formatShares('1123'), formatShares('900.567')]).toStrictEqual(['1,123.00', '900.56']);
  expect(['20000', '0.09964', '-0.001'].map((sum) => formatMoney(sum))).toStrictEqual([
    '20,000.00 pUSD',
    '0.09 pUSD',
    '−0.01 pUSD',
  ]);
  expect(formatMoney('0.09964', true)).toBe('0.10 pUSD');
  const large = ['999.99', '9999.99', '999999.99', '1239999', '1234567890'].map((size) => shorten(formatShares(size)));
  expect(large).toStrictEqual(['999.99', '9,999', '999,999', '1.23M', '1,234.56M']);
  const now = new Date(2026, 10, 25, 16, 32, 0);
  expect(formatTime(new Date(2026, 10, 25, 9, 5, 1), now)).toBe('09:05:01');
  expect(formatTime(new Date(2026, 10, 24, 23, 3, 45), now)).toBe('2026-11-24 23:03');
});

describe('the words of a failure', () => {
  const OWN = ['network_error', 'aborted', 'foreign_answer', 'unsupported_platform'] as const;

  it.each([...ERROR_CODES, ...OWN])('of code %s are those of a trader', (code) => {
    const error = new OrderBookError('Send Idempotency-Key again; venue_reason says why.', { code });
    const words = (['buy', 'sell'] as const).flatMap((side) => [reasonOf(code, side), sentenceOf(error, side)]);
    for (const text of words) {
      expect(text).not.toMatch(/[a-z]_[a-z]|Idempotency|X-|GET|POST|JSON|header|endpoint|code|does not know\.$/);
      expect(text).toMatch(/^[A-Za-z].{5,}/);
    }
  });

  it('of a code that a newer service has are plain too', () => {
    expect(reasonOf('venue_on_fire', 'buy')).toBe('for a reason that this page does not know');
  });
});

describe('the pictures', () => {
  it('show prices as steps with a gap where nothing was read, and nothing until there is something', () => {
    const samples = [
      [0, [0.52, 0.51, 0.53]],
      [5_000, [null, null, null]],
      [9_000, [0.52, 0.5, null]],
    ] as const;
    expect(pricesOf(samples, '0.01', 9_999)).toBeUndefined();
    expect(pricesOf([[0, [null, null, null]]], '0.01', 60_000)).toBeUndefined();
    expect(pricesOf(samples, '0.01', 10_000)).toMatchObject({
      places: [0, 5_000, 9_000, 10_000],
      lines: [
        [0.52, null, 0.52, 0.52],
        [0.51, null, 0.5, 0.5],
        [0.53, null, null, null],
      ],
      ...{ least: 0.495, most: 0.535 },
      up: [
        [0.5, '0.50'],
        [0.53, '0.53'],
      ],
    });
  });

  it('show the shares up to each price near the best one', () => {
    const bids = [
      { price: '0.5', size: '10' },
      { price: '0.4', size: '5.5' },
      { price: '0.1', size: '1000' },
    ];
    const asks = [{ price: '0.6', size: '7' }];
    expect(depthOf({ ...BOOK, bids, asks })).toStrictEqual({
      places: [0.39, 0.4, 0.5, 0.6, 0.61].map((price) => expect.closeTo(price)),
      lines: [
        [15.5, 15.5, 10, null, null],
        [null, null, null, 7, 7],
      ],
      ...{ least: 0, most: 15.5 },
      across: [
        [0.4, '0.40'],
        [0.6, '0.60'],
      ],
      up: [
        [7.75, '7'],
        [15.5, '15'],
      ],
    });
    expect(depthOf({ ...BOOK, bids: [], asks })).toBeUndefined();
  });
});

describe('the positions', () => {
  const order = { id: '', outcome: 'Yes', price: '0.5', status: 'matched', acceptedAt: 0, fee: '0' };

  it('sum up what the orders of an outcome paid and brought, with an average price and the profit at a price', () => {
    const bought = { ...order, tokenId: '1', side: 'buy', size: '10', filled: '10', value: '5', fee: '0.2' } as const;
    const more = { ...bought, filled: '30', value: '18', fee: '0' };
    const sold = { ...bought, side: 'sell', filled: '20', value: '14', fee: '0.1' } as const;
    const short = { ...sold, tokenId: '2', filled: '3', value: '1', fee: '0' };
    const unfilled = { ...bought, tokenId: '3', filled: '0', value: '0' };
    const [first, second, ...none] = positionsIn([bought, more, sold, short, unfilled]);
    expect(none).toStrictEqual([]);
    if (!first || !second) throw new Error('Two outcomes were traded.');
    // 40 bought for 23, 20 sold for 14, fees of 0.3: 20 shares have cost 9.3.
    expect([first.average, profitAt(first, '0.6'), profitAt(first, '0.4')]).toStrictEqual(['0.575', '2.7', '-1.3']);
    expect([second.net, second.average, profitAt(second, '0.3')]).toStrictEqual([-3n * 10n ** 18n, '0.3333', '0.1']);
  });
});
