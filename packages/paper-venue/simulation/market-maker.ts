import { mirrored, type OrderTerms } from '../exchange/book.ts';
import type { Exchange, Floor } from '../exchange/exchange.ts';
import { hasBook, type Market } from '../exchange/market.ts';
import { LOT, ONE } from '../exchange/millionths.ts';
import { hexOf, integers, uuidOf } from '../exchange/seeded.ts';

const LEVELS_PER_SIDE = 5;

/** Returns the addresses under which the house quotes and takes. */
export function houseOf(seed: number): readonly [maker: string, taker: string] {
  // Derived from the word "house": another word would change the venue of every seed.
  return [hexOf(20, 'house', seed), hexOf(20, 'house taker', seed)];
}

/** Quotes in every book. It needs no holdings and no API key, and never takes an order of a client. */
export class MarketMaker {
  readonly #address: string;
  readonly #seed: number;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, seed: number) {
    this.#exchange = exchange;
    this.#seed = seed;
    this.#address = houseOf(seed)[0];
  }

  /** Quotes every market for the first time; equal seeds give equal books. */
  open(): void {
    for (const market of this.#exchange.catalogue.markets) {
      const floor = this.#exchange.floor(market.id);
      if (hasBook(market)) this.quote(floor, 0, floor.changedAt);
    }
  }

  /** Withdraws its quotes in one market, chosen by the step, and quotes again at most a tick from the first mid. */
  refresh(step: number, at: number): void {
    const markets = this.#exchange.catalogue.markets.filter(hasBook);
    const market = markets[integers('refresh', this.#seed, step)(0, markets.length - 1)];
    if (!market) return;
    const floor = this.#exchange.floor(market.id);
    this.withdraw(market, at);
    floor.mid = market.mid + this.drift(market, step) * floor.tick;
    this.quote(floor, step, at);
  }

  /** Draws the ticks by which the mid of a market moves in a step: one up or down, or none. */
  drift(market: Market, step: number): bigint {
    return BigInt(integers('quote', this.#seed, market.id, step)(-1, 1));
  }

  /** Takes its quotes off a market. */
  withdraw(market: Market, at: number): void {
    for (const order of this.#exchange.open()) {
      if (order.maker === this.#address && order.marketId === market.id) this.#exchange.cancel(order.id, at);
    }
  }

  /** Quotes both sides around the mid; equal steps give equal quotes. */
  quote(floor: Floor, step: number, at: number): void {
    const { market, tick, mid } = floor;
    const draw = integers('quote', this.#seed, market.id, step);
    // The first number of a later step is its drift.
    if (step > 0) draw(-1, 1);
    const below = (mid / tick) * tick;
    let [bid, ask] = [below, below + tick];
    for (let level = 0; level < LEVELS_PER_SIDE; level += 1) {
      if (level > 0 || below === mid) bid -= tick * BigInt(draw(1, level + 1));
      if (level > 0) ask += tick * BigInt(draw(1, level + 1));
      const sizes = [BigInt(draw(500, 90_000)) * LOT, BigInt(draw(500, 90_000)) * LOT] as const;
      // Every second level is quoted on the other outcome, so that mints and merges happen as often as transfers.
      const outcome = level % 2 === 0 ? 0 : 1;
      this.#place(floor, { outcome, bid: true, price: bid, size: sizes[0], label: `${step}/bid/${level}`, at });
      if (market.withoutAsks) continue;
      this.#place(floor, { outcome, bid: false, price: ask, size: sizes[1], label: `${step}/ask/${level}`, at });
    }
  }

  #place(floor: Floor, quote: Quote): void {
    const { market, tick } = floor;
    if (quote.price < tick || quote.price > ONE - tick) return;
    const terms: OrderTerms = {
      id: hexOf(32, 'house order', this.#seed, market.id, quote.label),
      maker: this.#address,
      account: this.#address,
      owner: uuidOf('house key', this.#seed),
      marketId: market.id,
      outcome: quote.outcome,
      side: quote.bid === (quote.outcome === 0) ? 'BUY' : 'SELL',
      price: mirrored(quote.outcome, quote.price),
      size: quote.size,
      budget: null,
      type: 'GTC',
      postOnly: true,
      expiration: 0,
    };
    // Skips a quote that would match a client's order: the market maker never takes.
    if (floor.book.plan(terms).fills.length === 0) this.#exchange.accept(terms, quote.at);
  }
}

interface Quote {
  readonly outcome: 0 | 1;
  readonly bid: boolean;
  /** Price in terms of the first outcome, in millionths. */
  readonly price: bigint;
  readonly size: bigint;
  readonly label: string;
  readonly at: number;
}
