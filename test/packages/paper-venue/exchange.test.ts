import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type AcceptedOrder,
  mirrored,
  type OrderTerms,
  type OrderType,
} from '../../../packages/paper-venue/exchange/book.ts';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange, type Trade } from '../../../packages/paper-venue/exchange/exchange.ts';
import { LOT, ONE } from '../../../packages/paper-venue/exchange/millionths.ts';
import { VenueRefusal } from '../../../packages/paper-venue/http/router.ts';
import { checkBook, checkFunds } from '../../../packages/paper-venue/rules/order-checks.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { Simulation } from '../../../packages/paper-venue/simulation/simulation.ts';
import { FULL_EXTENT } from '../../support/jest.ts';

const MAKERS = ['ann', 'ben', 'cleo'] as const;
const SEED = 1;
const HOUSE = houseOf(SEED);
const FAUCET = { collateral: 200n * ONE, shares: 150n * ONE };

const wish = fc.record({
  maker: fc.constantFrom(...MAKERS),
  outcome: fc.constantFrom<0 | 1>(0, 1),
  side: fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL'),
  // A narrow band, so that orders meet.
  cents: fc.integer({ min: 44, max: 56 }),
  lots: fc.integer({ min: 500, max: 6_000 }),
  type: fc.constantFrom<OrderType>('GTC', 'GTC', 'GTC', 'FOK', 'FAK'),
  postOnly: fc.boolean(),
});
const step = fc.oneof(
  { weight: 12, arbitrary: wish },
  { weight: 2, arbitrary: fc.record({ cancel: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: 8 }) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;
type Step = Wish | { readonly cancel: number } | { readonly advance: number };

/** Keeps the trades within the house too. */
class WatchedExchange extends Exchange {
  readonly allTrades: Trade[] = [];

  override accept(terms: OrderTerms, at: number) {
    const accepted = super.accept(terms, at);
    this.allTrades.push(...accepted.trades);
    return accepted;
  }
}

let exchange: WatchedExchange;
let simulation: Simulation;
let serial = 0;

const catalogue = createCatalogue(SEED, { startedAt: 0, stopsAt: 0 });
/** One market, so that every step of the simulation is in it. */
const ONE_MARKET = { ...catalogue, markets: catalogue.markets.slice(0, 1) };

function restart(): void {
  exchange = new WatchedExchange(ONE_MARKET, FAUCET, HOUSE);
  simulation = new Simulation(exchange, new MarketMaker(exchange, SEED), SEED);
}

function market() {
  const [first] = exchange.catalogue.markets;
  if (!first) throw new Error('no market');
  return first;
}

function termsOf({ cents, lots, type, ...order }: Wish): OrderTerms {
  serial += 1;
  const [price, size] = [BigInt(cents) * 10_000n, BigInt(lots) * LOT];
  const marketBuy = order.side === 'BUY' && (type === 'FOK' || type === 'FAK');
  return {
    ...order,
    id: `order ${serial}`,
    account: order.maker,
    owner: order.maker,
    marketId: market().id,
    price,
    size,
    budget: marketBuy ? ((price * size) / ONE / LOT) * LOT : null,
    type,
    postOnly: order.postOnly && type === 'GTC',
    expiration: 0,
  };
}

/** Places an order if the venue would take it; undefined when it is refused. */
function place(terms: OrderTerms) {
  try {
    checkBook(exchange, terms);
    checkFunds(exchange, terms);
  } catch (error) {
    if (error instanceof VenueRefusal) return undefined;
    throw error;
  }
  return exchange.accept(terms, serial);
}

function run(steps: readonly Step[], check: (terms: OrderTerms | null, before: Before) => void): void {
  restart();
  for (const one of steps) {
    const before = { open: exchange.open(), trades: exchange.trades.length };
    if ('cancel' in one) {
      const clients = before.open.filter((order) => exchange.isClients(order));
      const target = clients[one.cancel % Math.max(clients.length, 1)];
      if (target) exchange.cancel(target.id, serial);
      check(null, before);
    } else if ('advance' in one) {
      for (let count = 0; count < one.advance; count += 1) {
        serial += 1;
        const then = { open: exchange.open(), trades: exchange.trades.length };
        simulation.advance(serial, serial);
        check(null, then);
      }
    } else {
      const terms = termsOf(one);
      place(terms);
      check(terms, before);
    }
  }
}

interface Before {
  readonly open: readonly AcceptedOrder[];
  readonly trades: number;
}

function holdings() {
  const [yes, no] = market().tokenIds;
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  return {
    collateral: sum([...MAKERS, ...HOUSE].map((holder) => exchange.ledger.collateral(holder))),
    yes: sum([...MAKERS, ...HOUSE].map((holder) => exchange.ledger.shares(holder, yes))),
    no: sum([...MAKERS, ...HOUSE].map((holder) => exchange.ledger.shares(holder, no))),
  };
}

/** Computes the fees of the trades: 4 % of size × price × (1 − price), in whole hundred-thousandths of a pUSD. */
function feesPaid(): bigint {
  const fees = exchange.allTrades.map(({ size, price }) => (4n * size * price * (ONE - price)) / 10n ** 15n);
  return 10n * fees.reduce((sum, fee) => sum + fee, 0n);
}

function expectSums(start: ReturnType<typeof holdings>): void {
  const now = holdings();
  expect(now.collateral + feesPaid() + now.yes).toBe(start.collateral + start.yes);
  expect(now.yes - now.no).toBe(start.yes - start.no);
}

/** Open orders included. */
function expectNoDebts(): void {
  for (const maker of MAKERS) {
    expect(exchange.ledger.collateral(maker) >= exchange.reserved(maker, null)).toBe(true);
    for (const token of market().tokenIds)
      expect(exchange.ledger.shares(maker, token) >= exchange.reserved(maker, token)).toBe(true);
  }
}

function expectMirroredBook(): void {
  const { book } = exchange.floor(market().id);
  const [yes, no] = [book.levels(0), book.levels(1)];
  expect((yes.bids[0]?.[0] ?? 0n) < (yes.asks[0]?.[0] ?? ONE)).toBe(true);
  expect(no.bids).toStrictEqual(yes.asks.map(([price, size]) => [ONE - price, size]));
  expect(no.asks).toStrictEqual(yes.bids.map(([price, size]) => [ONE - price, size]));
}

/** The best price first, and the earlier order at equal prices. */
function expectPriority(terms: OrderTerms, fills: readonly Trade[], { open }: Before): void {
  const buysYes = (order: OrderTerms) => (order.side === 'BUY') === (order.outcome === 0);
  const price = (order: OrderTerms) => Number(mirrored(order.outcome, order.price));
  const sign = buysYes(terms) ? 1 : -1;
  const queue = open
    .filter((order) => buysYes(order) !== buysYes(terms))
    .toSorted((left, right) => sign * (price(left) - price(right)) || left.acceptedAt - right.acceptedAt);
  expect(fills.map(({ resting }) => resting.id)).toStrictEqual(queue.slice(0, fills.length).map(({ id }) => id));
  // All but the last were filled wholly.
  for (const { resting } of fills.slice(0, -1)) expect(resting.filled).toBe(resting.size);
}

/** No worse price than the limit, and no more than was asked for. */
function expectWithinLimit(terms: OrderTerms, fills: readonly Trade[]): void {
  for (const fill of fills) {
    expect(terms.side === 'BUY' ? fill.price <= terms.price : fill.price >= terms.price).toBe(true);
    expect(fill.size % LOT).toBe(0n);
  }
  const shares = fills.reduce((sum, { size }) => sum + size, 0n);
  const spent = fills.reduce((sum, { size, price }) => sum + size * price, 0n);
  if (terms.budget === null) expect(shares <= terms.size).toBe(true);
  else expect(spent <= terms.budget * ONE).toBe(true);
}

it('matches orders without making or losing anything, owing, crossing, or passing anybody over', () => {
  let matched = 0;
  restart();
  const start = holdings();
  const property = fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) =>
    run(steps, (terms, before) => {
      expectSums(start);
      expectNoDebts();
      expectMirroredBook();
      const fills = exchange.trades.slice(before.trades);
      if (!terms || fills.length === 0) return;
      matched += 1;
      expectPriority(terms, fills, before);
      expectWithinLimit(terms, fills);
    }),
  );
  fc.assert(property, { numRuns: FULL_EXTENT ? 300 : 60, seed: 20_261_120 });
  expect(matched).toBeGreaterThan(100);
});
