import { mirrored, type OrderTerms } from '../exchange/book.ts';
import type { Exchange, Floor } from '../exchange/exchange.ts';
import { hasBook, type Market, type OutcomeIndex, takesOrders } from '../exchange/market.ts';
import { LOT, ONE } from '../exchange/millionths.ts';
import { hexOf, integers, uuidOf } from '../exchange/seeded.ts';
import { houseOf, type MarketMaker } from './market-maker.ts';

/** Farthest that a mid drifts from the first one, in ticks: a market is still itself after a day. */
const MAX_DRIFT_TICKS = 10n;
/** Farthest that the sum of an event's mids drifts, in millionths: the prices of exclusive outcomes belong together. */
const MAX_EVENT_DRIFT = ONE / 50n;
/** Mean number of steps between two takers who choose any market. */
const STEPS_BETWEEN_TAKERS = 6;
/** Mean number of steps between two takers of a touch at which a client's order rests: some seven a minute. */
const STEPS_BETWEEN_CLIENTS_TAKERS = 8;
/** Least and most that a taker asks for, in lots: 5 to 250 shares. */
const TAKEN_LOTS = [500, 25_000] as const;

/** Side of a book, in terms of the first outcome. */
type BookSide = 'bids' | 'asks';

/**
 * Returns the lowest and the highest mid to which a market drifts, in millionths and on the grid of its tick: less than
 * half the way to 0 and to 1.
 */
export function driftBand({ market, tick }: Floor): { readonly low: bigint; readonly high: bigint } {
  const first = within({ low: tick, high: ONE - tick }, onGrid(market.mid, tick));
  const half = (first * (ONE - first)) / (2n * ONE);
  const reach = within({ low: 0n, high: MAX_DRIFT_TICKS * tick }, onGrid(half, tick));
  return { low: first - reach, high: first + reach };
}

function within({ low, high }: { readonly low: bigint; readonly high: bigint }, value: bigint): bigint {
  if (value < low) return low;
  return value > high ? high : value;
}

function onGrid(price: bigint, tick: bigint): bigint {
  return (price / tick) * tick;
}

/**
 * Keeps the markets moving: mids drift by ticks, and takers of the house trade with what rests at the touch. Equal
 * seeds, steps and orders of clients give equal trades.
 */
export class Simulation {
  readonly #exchange: Exchange;
  readonly #marketMaker: MarketMaker;
  readonly #seed: number;
  readonly #taker: string;

  constructor(exchange: Exchange, marketMaker: MarketMaker, seed: number) {
    this.#exchange = exchange;
    this.#marketMaker = marketMaker;
    this.#seed = seed;
    this.#taker = houseOf(seed)[1];
  }

  /** Moves one step on, at `at` (epoch milliseconds): one market gets new quotes, and takers may come. */
  advance(step: number, at: number): void {
    const draw = integers('advance', this.#seed, step);
    const markets = this.#exchange.catalogue.markets.filter((market) => hasBook(market) && takesOrders(market, at));
    const floors = markets.map(({ id }) => this.#exchange.floor(id));
    const moved = floors[draw(0, floors.length - 1)];
    if (moved) this.#move(moved, { step, at, draw });
    const busy = draw(1, STEPS_BETWEEN_TAKERS) === 1 ? popular(floors, draw) : undefined;
    if (busy) this.#take(busy, draw(0, 1) === 0 ? 'bids' : 'asks', { step, at, draw, label: 'any market' });
    for (const [floor, side] of this.#clientsAtTheTouch(floors)) {
      if (draw(1, STEPS_BETWEEN_CLIENTS_TAKERS) === 1) this.#take(floor, side, { step, at, draw, label: 'client' });
    }
  }

  /** Moves a mid; orders of clients that it went past are taken before the market maker quotes around it. */
  #move(floor: Floor, moment: Moment): void {
    const { market, tick } = floor;
    this.#marketMaker.withdraw(market, moment.at);
    floor.mid = this.#drifted(floor, moment.step);
    this.#take(floor, 'bids', { ...moment, label: 'past', limit: floor.mid + tick });
    this.#take(floor, 'asks', { ...moment, label: 'past', limit: floor.mid - tick });
    this.#marketMaker.quote(floor, moment.step, moment.at);
  }

  #drifted(floor: Floor, step: number): bigint {
    const { market, tick } = floor;
    const band = driftBand(floor);
    // Stays on the grid and in the band, even after a change of the tick.
    const from = within(band, onGrid(floor.mid, tick));
    const to = within(band, from + this.#marketMaker.drift(market, step) * tick);
    return this.#fitsItsEvent(market, to - floor.mid) ? to : from;
  }

  /** Returns true if the mids of exclusive outcomes still sum to about what they did at first, and to at most one. */
  #fitsItsEvent({ negRiskMarketId }: Market, change: bigint): boolean {
    if (negRiskMarketId === null) return true;
    const rivals = this.#exchange.catalogue.markets.filter((market) => market.negRiskMarketId === negRiskMarketId);
    const first = rivals.reduce((sum, { mid }) => sum + mid, 0n);
    const sum = rivals.reduce((total, { id }) => total + this.#exchange.floor(id).mid, change);
    return sum <= ONE && sum <= first + MAX_EVENT_DRIFT && sum >= first - MAX_EVENT_DRIFT;
  }

  #clientsAtTheTouch(floors: readonly Floor[]): readonly (readonly [Floor, BookSide])[] {
    const sides = ['bids', 'asks'] as const;
    return floors.flatMap((floor) => {
      const resting = floor.book.orders();
      return sides.flatMap((side) => {
        const [best] = resting[side];
        const touch = best && mirrored(best.outcome, best.price);
        const isThere = resting[side].some(
          (order) => this.#exchange.isClients(order) && mirrored(order.outcome, order.price) === touch,
        );
        return isThere ? [[floor, side] as const] : [];
      });
    });
  }

  /** Has a taker of the house trade with one side of a book, at the touch only unless a limit is given. */
  #take(floor: Floor, side: BookSide, { step, at, draw, label, limit }: Taker): void {
    const { market, book } = floor;
    const [best] = book.orders()[side];
    if (!best) return;
    const price = limit ?? mirrored(best.outcome, best.price);
    // As often of the second outcome, so that mints and merges happen too.
    const outcome: OutcomeIndex = draw(0, 1) === 0 ? 0 : 1;
    const terms: OrderTerms = {
      id: hexOf(32, 'house take', this.#seed, step, market.id, side, label),
      maker: this.#taker,
      account: this.#taker,
      owner: uuidOf('house taker key', this.#seed),
      marketId: market.id,
      outcome,
      side: (side === 'asks') === (outcome === 0) ? 'BUY' : 'SELL',
      price: mirrored(outcome, price),
      size: BigInt(draw(...TAKEN_LOTS)) * LOT,
      budget: null,
      type: 'FAK',
      postOnly: false,
      expiration: 0,
    };
    if (book.plan(terms).fills.length > 0) this.#exchange.accept(terms, at);
  }
}

/** Step of the simulation, its time in epoch milliseconds and its stream of integers. */
interface Moment {
  readonly step: number;
  readonly at: number;
  readonly draw: ReturnType<typeof integers>;
}

interface Taker extends Moment {
  /** The taker's reason. It is in the order id, so that orders of one step differ. */
  readonly label: string;
  /** Worst price, in terms of the first outcome. */
  readonly limit?: bigint;
}

/** Draws a market by what is traded in it. */
function popular(floors: readonly Floor[], draw: Moment['draw']): Floor | undefined {
  const weights = floors.map(({ market }) => Number(market.volume24h / ONE));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = draw(1, Math.max(total, 1));
  return floors.find((_floor, index) => {
    left -= weights[index] ?? 0;
    return left <= 0;
  });
}
