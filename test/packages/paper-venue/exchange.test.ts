import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Quote, quote } from '../../../packages/client/quote.ts';
import {
  type AcceptedOrder,
  mirrored,
  type OrderTerms,
  type OrderType,
} from '../../../packages/paper-venue/exchange/book.ts';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange, type Trade } from '../../../packages/paper-venue/exchange/exchange.ts';
import { LOT, ONE, toDecimal } from '../../../packages/paper-venue/exchange/millionths.ts';
import { VenueRefusal } from '../../../packages/paper-venue/http/router.ts';
import { checkBook, checkFunds } from '../../../packages/paper-venue/rules/order-checks.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { Simulation } from '../../../packages/paper-venue/simulation/simulation.ts';
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
  type: fc.constantFrom<OrderType>('GTC', 'GTC', 'GTC', 'FOK', 'FAK'),
  postOnly: fc.boolean(),
});
const step = fc.oneof(
  { weight: 12, arbitrary: wish },
  { weight: 2, arbitrary: fc.record({ cancel: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: 8 }) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

/** Keeps the trades within the house too. */
class WatchedExchange extends Exchange {
  readonly allTrades: Trade[] = [];

  override accept(terms: OrderTerms, at: number) {
    const accepted = super.accept(terms, at);
    this.allTrades.push(...accepted.trades);
    return accepted;
  }
}

function termsOf({ cents, lots, type, postOnly, ...order }: Wish, serial: number): OrderTerms {
  const [price, size] = [BigInt(cents) * 10_000n, BigInt(lots) * LOT];
  const marketBuy = order.side === 'BUY' && (type === 'FOK' || type === 'FAK');
  const budget = marketBuy ? ((price * size) / ONE / LOT) * LOT : null;
  const ids = { id: `order ${serial}`, account: order.maker, owner: order.maker, marketId: market?.id ?? '' };
  return { ...order, ...ids, price, size, budget, type, postOnly: postOnly && type === 'GTC', expiration: 0 };
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

/** The best price first, and the earlier order at equal prices. */
function expectPriority(terms: OrderTerms, trades: readonly Trade[], open: readonly AcceptedOrder[]): void {
  const buysYes = (order: OrderTerms) => (order.side === 'BUY') === (order.outcome === 0);
  const price = (order: OrderTerms) => Number(mirrored(order.outcome, order.price));
  const sign = buysYes(terms) ? 1 : -1;
  const queue = open
    .filter((order) => buysYes(order) !== buysYes(terms))
    .toSorted((left, right) => sign * (price(left) - price(right)) || left.acceptedAt - right.acceptedAt);
  expect(trades.map(({ resting }) => resting.id)).toStrictEqual(queue.slice(0, trades.length).map(({ id }) => id));
  // All but the last were filled wholly.
  for (const { resting } of trades.slice(0, -1)) expect(resting.filled).toBe(resting.size);
}

/** No worse price than the limit, and no more than was asked for. */
function expectWithinLimit(terms: OrderTerms, trades: readonly Trade[]): void {
  for (const { price, size } of trades) {
    expect(terms.side === 'BUY' ? price <= terms.price : price >= terms.price).toBe(true);
    expect(size % LOT).toBe(0n);
  }
  const shares = trades.reduce((sum, { size }) => sum + size, 0n);
  const spent = trades.reduce((sum, { size, price }) => sum + size * price, 0n);
  expect(terms.budget === null ? shares <= terms.size : spent <= terms.budget * ONE).toBe(true);
}

/** Nothing is made or lost but the fees of takers, nobody owes anything, and the books of the outcomes mirror each other. */
function expectSound(exchange: WatchedExchange): void {
  const { ledger, allTrades } = exchange;
  const [yes = '', no = ''] = market?.tokenIds ?? [];
  const holders = [...MAKERS, ...HOUSE];
  const sum = (of: (holder: string) => bigint) => holders.reduce((total, holder) => total + of(holder), 0n);
  // 4 % of size × price × (1 − price), in whole hundred-thousandths of a pUSD.
  const fees = allTrades.map(({ size, price }) => (4n * size * price * (ONE - price)) / 10n ** 15n);
  const paid = 10n * fees.reduce((total, fee) => total + fee, 0n);
  const [sumYes, sumNo] = [sum((holder) => ledger.shares(holder, yes)), sum((holder) => ledger.shares(holder, no))];
  const start = BigInt(holders.length);
  expect(sum((holder) => ledger.collateral(holder)) + paid + sumYes).toBe(start * (FAUCET.collateral + FAUCET.shares));
  expect(sumYes).toBe(sumNo);
  for (const maker of MAKERS) {
    // Each order says what it has paid or brought, and its fees.
    const own = [...exchange.orders.values()].filter((order) => order.maker === maker);
    const spent = own.reduce((total, { side, value, fee }) => total + (side === 'BUY' ? value : -value) + fee, 0n);
    expect(ledger.collateral(maker)).toBe(FAUCET.collateral - spent);
    expect(ledger.collateral(maker) >= exchange.reserved(maker, null)).toBe(true);
    for (const token of [yes, no]) expect(ledger.shares(maker, token) >= exchange.reserved(maker, token)).toBe(true);
  }
  const { book } = exchange.floor(market?.id ?? '');
  const [first, second] = [book.levels(0), book.levels(1)];
  expect((first.bids[0]?.[0] ?? 0n) < (first.asks[0]?.[0] ?? ONE)).toBe(true);
  expect(second.bids).toStrictEqual(first.asks.map(([price, size]) => [ONE - price, size]));
  expect(second.asks).toStrictEqual(first.bids.map(([price, size]) => [ONE - price, size]));
}

it('matches as the client foretells, without making or losing anything, owing, crossing, or passing anybody over', () => {
  const seen = new Set<string | undefined>();
  const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
    // One market, so that every step of the simulation is in it.
    const exchange = new WatchedExchange({ ...CATALOGUE, markets: [market] }, FAUCET, HOUSE);
    const simulation = new Simulation(exchange, new MarketMaker(exchange, SEED), SEED);
    let at = 0;
    for (const one of steps) {
      at += 1;
      const open = exchange.open();
      if ('cancel' in one) {
        const own = open.filter((order) => exchange.isClients(order));
        exchange.cancel(own[one.cancel % Math.max(own.length, 1)]?.id ?? '', at);
      } else if ('advance' in one) {
        for (const end = at + one.advance; at < end; at += 1) {
          simulation.advance(at, at);
          expectSound(exchange);
        }
      } else {
        const terms = termsOf(one, at);
        const [said, refusal] = [quoteOf(exchange, terms), refusalOf(exchange, terms)];
        if (terms.type === 'GTC' && refusal !== 'insufficient_balance')
          expect(said.would_be_refused?.code).toBe(refusal);
        seen.add(refusal);
        if (refusal !== undefined) continue;
        const paid = exchange.ledger.collateral(terms.maker);
        const { order, trades } = exchange.accept(terms, at);
        const spent = paid - exchange.ledger.collateral(terms.maker);
        if (terms.type === 'GTC') expectQuoted(said, { order, trades, spent });
        expectPriority(terms, trades, open);
        expectWithinLimit(terms, trades);
      }
      expectSound(exchange);
    }
  });
  // To shrink a failure takes minutes.
  fc.assert(property, { numRuns: FULL_EXTENT ? 200 : 40, seed: 20_261_120, endOnFailure: true });
  const refusals = ['post_only_would_cross', 'notional_below_minimum', 'insufficient_balance'];
  expect(seen).toStrictEqual(new Set([undefined, ...refusals]));
});
