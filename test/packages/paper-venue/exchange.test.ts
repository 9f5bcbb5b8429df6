import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Quote, quote } from '../../../packages/client/quote.ts';
import type { AcceptedOrder, OrderTerms } from '../../../packages/paper-venue/exchange/book.ts';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange, type Trade } from '../../../packages/paper-venue/exchange/exchange.ts';
import { LOT, ONE, toDecimal } from '../../../packages/paper-venue/exchange/millionths.ts';
import { VenueRefusal } from '../../../packages/paper-venue/http/router.ts';
import { checkBook, checkFunds } from '../../../packages/paper-venue/rules/order-checks.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { BOOK, FEES } from '../../support/service/client-book.ts';

const MAKERS = ['ann', 'ben', 'cleo'] as const;
const SEED = 1;
const HOUSE = houseOf(SEED);
const FAUCET = { collateral: 200n * ONE, shares: 150n * ONE };
const CATALOGUE = createCatalogue(SEED, { startedAt: 0, stopsAt: 0 });
const [market] = CATALOGUE.markets;
if (!market) throw new Error('no market');

const wish = fc.record({
  maker: fc.constantFrom(...MAKERS),
  outcome: fc.constantFrom<0 | 1>(0, 1),
  side: fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL'),
  // A narrow band, so that orders meet.
  cents: fc.integer({ min: 44, max: 56 }),
  lots: fc.integer({ min: 100, max: 6_000 }),
  postOnly: fc.boolean(),
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

function termsOf({ cents, lots, ...order }: Wish, serial: number): OrderTerms {
  const [price, size] = [BigInt(cents) * 10_000n, BigInt(lots) * LOT];
  const ids = { id: `order ${serial}`, account: order.maker, owner: order.maker, marketId: market?.id ?? '' };
  return { ...order, ...ids, price, size, budget: null, type: 'GTC', expiration: 0 };
}

/** The code by which the service answers what the venue does not take; `undefined` for an order that it takes. */
function refusalOf(exchange: Exchange, terms: OrderTerms) {
  try {
    checkBook(exchange, terms);
    checkFunds(exchange, terms);
    return undefined;
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error;
    if (/crosses book/.test(error.message)) return 'post_only_would_cross';
    return /marketable/.test(error.message) ? 'notional_below_minimum' : 'insufficient_balance';
  }
}

/** What the typed client says of an order. */
function quoteOf(exchange: Exchange, { outcome, side, price, size, postOnly }: OrderTerms): Quote {
  const { bids, asks } = exchange.floor(market?.id ?? '').book.levels(outcome);
  const written = (levels: typeof bids) => levels.map(([at, sum]) => ({ price: toDecimal(at), size: toDecimal(sum) }));
  return quote(
    { ...BOOK, min_order_size: '0.01', bids: written(bids), asks: written(asks) },
    { fees: { ...FEES, taker_rate: toDecimal(market?.fees?.rate ?? 0n) } },
    { side: side === 'BUY' ? 'buy' : 'sell', price: toDecimal(price), size: toDecimal(size), post_only: postOnly },
  );
}

interface Placed {
  readonly order: AcceptedOrder;
  readonly trades: readonly Trade[];
  /** What the maker paid. */
  readonly spent: bigint;
}

/** The client foretold what the venue did. */
function expectQuoted(said: Quote, { order, trades, spent }: Placed): void {
  const value = trades.reduce((sum, { size, price }) => sum + size * price, 0n);
  expect(said).toMatchObject({
    matched_size: toDecimal(order.filled),
    matched_value: toDecimal(value / ONE),
    worst_price: trades.length === 0 ? null : toDecimal(trades.at(-1)?.price ?? 0n),
    resting_size: toDecimal(order.size - order.filled),
  });
  // What a maker trades with itself comes back.
  if (trades.some(({ resting }) => resting.maker === order.maker)) return;
  // The venue rounds a level's fee down once for each order that rests there.
  const charged = spent - (order.side === 'BUY' ? value / ONE : -value / ONE);
  const rounded = BigInt(Math.round(Number(said.fee) * 1e6)) - charged;
  expect(rounded >= 0n && rounded <= 10n * BigInt(trades.length)).toBe(true);
}

it('the venue does with an order what the quote of the client predicts', () => {
  const seen = new Set<string | undefined>();
  const property = fc.property(fc.array(wish, { minLength: 10, maxLength: 60 }), (wishes) => {
    const exchange = new Exchange({ ...CATALOGUE, markets: [market] }, FAUCET, HOUSE);
    new MarketMaker(exchange, SEED).open();
    for (const [index, one] of wishes.entries()) {
      const terms = termsOf(one, index);
      const [said, refusal] = [quoteOf(exchange, terms), refusalOf(exchange, terms)];
      if (refusal !== 'insufficient_balance') expect(said.would_be_refused?.code).toBe(refusal);
      seen.add(refusal);
      if (refusal !== undefined) continue;
      const paid = exchange.ledger.collateral(terms.maker);
      const { order, trades } = exchange.accept(terms, index);
      expectQuoted(said, { order, trades, spent: paid - exchange.ledger.collateral(terms.maker) });
    }
    for (const maker of MAKERS) {
      // Each order says what it has paid or brought, and its fees; nobody owes anything.
      const own = [...exchange.orders.values()].filter((order) => order.maker === maker);
      const spent = own.reduce((total, { side, value, fee }) => total + (side === 'BUY' ? value : -value) + fee, 0n);
      expect(exchange.ledger.collateral(maker)).toBe(FAUCET.collateral - spent);
      expect(exchange.ledger.collateral(maker) >= exchange.reserved(maker, null)).toBe(true);
    }
  });
  // To shrink a failure takes minutes.
  fc.assert(property, { numRuns: FULL_EXTENT ? 200 : 40, seed: 20_261_120, endOnFailure: true });
  const refusals = ['post_only_would_cross', 'notional_below_minimum', 'insufficient_balance'];
  expect(seen).toStrictEqual(new Set([undefined, ...refusals]));
});
