import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Book } from '../../../packages/client/client.ts';
import { quote } from '../../../packages/client/quote.ts';
import type { OrderTerms } from '../../../packages/paper-venue/exchange/book.ts';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange } from '../../../packages/paper-venue/exchange/exchange.ts';
import { LOT, ONE, toDecimal } from '../../../packages/paper-venue/exchange/millionths.ts';
import { VenueRefusal } from '../../../packages/paper-venue/http/router.ts';
import { checkBook } from '../../../packages/paper-venue/rules/order-checks.ts';
import { FULL_EXTENT } from '../../support/jest.ts';

const BOOK = {
  token_id: '1',
  condition_id: null,
  bids: [
    { price: '0.51', size: '40' },
    { price: '0.5', size: '60' },
  ],
  asks: [
    { price: '0.53', size: '10' },
    { price: '0.55', size: '20.5' },
  ],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: null,
  timestamp: null,
  hash: null,
} satisfies Book;
const FEES = { taker_rate: '0.04', exponent: '1', taker_only: true };

describe('a quote', () => {
  it('of a purchase through two levels has exact sums, and an average that is rounded up', () => {
    expect(quote(BOOK, { fees: FEES }, { side: 'buy', price: 0.9, size: '40' })).toStrictEqual({
      matched_size: '30.5',
      matched_value: '16.575',
      average_price: '0.543443',
      worst_price: '0.55',
      ticks_moved: 2,
      // 10 × 0.04 × 0.53 × 0.47 and 20.5 × 0.04 × 0.55 × 0.45
      fee: '0.30259',
      resting_size: '9.5',
      total: '25.42759',
      bound: '36.144',
      profit_if_wins: '14.57241',
      would_be_refused: null,
    });
  });

  it('of a sale has an average that is rounded down, its proceeds, and no profit', () => {
    expect(quote(BOOK, { fees: FEES }, { side: 'sell', price: '0.5', size: '70' })).toMatchObject({
      matched_value: '35.4',
      average_price: '0.505714',
      ticks_moved: 1,
      total: '34.70016',
      bound: '34.3',
      profit_if_wins: null,
    });
  });

  it.each([
    ['no fees', null, { fee: null, total: null, bound: null, profit_if_wins: null }],
    ['fees that a resting order may pay', { ...FEES, taker_only: null }, { fee: '0.09964', total: null }],
  ])('with %s leaves unknown what a fee would change', (_what, fees, expected) => {
    expect(quote(BOOK, { fees }, { side: 'buy', price: '0.53', size: '12' })).toMatchObject(expected);
  });

  it.each([
    ['0.994', '5', 'price_out_of_range', 'The price must be from 0.01 to 0.99.'],
    ['0.515', '5', 'price_off_tick', 'The price must be a multiple of 0.01.'],
    ['0.51', '1000000000.01', 'invalid_request', 'The size must be at most 1000000000 shares.'],
    ['0.51', '5.001', 'size_precision', 'The size must have at most 2 decimals.'],
    ['0.51', '4.99', 'size_below_minimum', 'The size must be at least 5 shares.'],
    ['0.51', '20', 'order_above_cap', 'Price × size must be at most 10.'],
    ['0.53', '12', 'post_only_would_cross', '10 of 12 shares would match at once; a post-only order must rest.'],
  ])('at %s of %s foretells %s', (price, size, code, detail) => {
    const order = { side: 'buy', price, size, post_only: true } as const;
    const { would_be_refused } = quote(BOOK, { fees: FEES }, order, { maxNotional: '10' });
    expect(would_be_refused).toStrictEqual({ code, detail });
  });

  it('throws for what is no decimal', () => {
    expect(() => quote(BOOK, { fees: null }, { side: 'buy', price: '5e-1', size: '5' })).toThrow(RangeError);
  });
});

const [market] = createCatalogue(1, { startedAt: 0, stopsAt: 0 }).markets;
if (!market) throw new Error('no market');
const CATALOGUE = { markets: [market], byToken: () => undefined, byCondition: () => undefined };

const wish = fc.record({
  outcome: fc.constantFrom<0 | 1>(0, 1),
  side: fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL'),
  cents: fc.integer({ min: 1, max: 99 }),
  lots: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 500, max: 90_000 })),
  postOnly: fc.boolean(),
});

function termsOf(id: string, { cents, lots, ...order }: typeof wish extends fc.Arbitrary<infer T> ? T : never) {
  const shared = { maker: id, account: id, owner: id, budget: null, type: 'GTC', expiration: 0 } as const;
  const [price, size] = [BigInt(cents) * 10_000n, BigInt(lots) * LOT];
  return { ...order, ...shared, id, marketId: market?.id ?? '', price, size } satisfies OrderTerms;
}

/** What the venue says of an order that it does not take: the code by which the service answers. */
function refusalOf(exchange: Exchange, terms: OrderTerms) {
  try {
    checkBook(exchange, terms);
    return null;
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error;
    return /crosses book/.test(error.message) ? 'post_only_would_cross' : 'notional_below_minimum';
  }
}

const RUNS = FULL_EXTENT ? 10_000 : 300;

it(`says what the paper venue then does, for ${RUNS} random books and orders`, () => {
  const seen = new Set<string | null>();
  const property = fc.property(fc.array(wish, { maxLength: 12 }), wish, (resting, wanted) => {
    const exchange = new Exchange(CATALOGUE, { collateral: 0n, shares: 0n });
    for (const [index, each] of resting.entries())
      exchange.accept({ ...termsOf(`resting ${index}`, each), postOnly: false }, index);
    const terms = termsOf('wanted', wanted);
    const levels = exchange.floor(terms.marketId).book.levels(terms.outcome);
    const [asks, bids] = [levels.asks, levels.bids].map((side) =>
      side.map(([price, size]) => ({ price: toDecimal(price), size: toDecimal(size) })),
    );
    const rate = toDecimal(market.fees?.rate ?? 0n);
    const book = { ...BOOK, min_order_size: '0.01', asks: asks ?? [], bids: bids ?? [] };
    const said = quote(
      book,
      { fees: { taker_rate: rate, exponent: '1', taker_only: true } },
      {
        side: terms.side === 'BUY' ? 'buy' : 'sell',
        price: toDecimal(terms.price),
        size: toDecimal(terms.size),
        post_only: terms.postOnly,
      },
    );
    const refusal = refusalOf(exchange, terms);
    seen.add(refusal);
    expect(said.would_be_refused?.code ?? null).toBe(refusal);
    if (refusal !== null) return;
    const paid = exchange.ledger.collateral('wanted');
    const { order, trades } = exchange.accept(terms, 100);
    const value = trades.reduce((sum, { size, price }) => sum + size * price, 0n);
    expect(said.matched_size).toBe(toDecimal(order.filled));
    expect(said.matched_value).toBe(toDecimal(value / ONE));
    expect(said.worst_price).toBe(trades.length === 0 ? null : toDecimal(trades.at(-1)?.price ?? 0n));
    expect(said.resting_size).toBe(toDecimal(order.size - order.filled));
    // The venue rounds a level's fee down once for each order that rests there.
    const spent = paid - exchange.ledger.collateral('wanted');
    const charged = spent - (terms.side === 'BUY' ? value / ONE : -value / ONE);
    const rounded = BigInt(Math.round(Number(said.fee) * 1e6)) - charged;
    expect(rounded >= 0n && rounded <= 10n * BigInt(trades.length)).toBe(true);
  });
  fc.assert(property, { numRuns: RUNS, seed: 20_261_126 });
  expect(seen).toStrictEqual(new Set([null, 'post_only_would_cross', 'notional_below_minimum']));
}, 120_000);
