import { type AcceptedOrder, Book, type Fill, mirrored, type OrderTerms } from './book.ts';
import type { Catalogue } from './catalogue.ts';
import { type Faucet, Ledger } from './ledger.ts';
import { type Market, takerFee } from './market.ts';
import { digest, hexOf, uuidOf } from './seeded.ts';
import { notional } from './units.ts';

/** Time by which the venue ends a GTD order before the expiration that its owner signed. */
const EARLY_EXPIRY_MS = 60_000;
/** Day of the first books, whenever the venue is started: equal seeds give equal books. */
const FIRST_CHANGE_MS = Date.UTC(2026, 10, 2, 12);

/** Executed match; `price` is in terms of the taker's outcome, amounts in millionths, `at` in epoch milliseconds. */
export interface Trade {
  readonly id: string;
  readonly market: Market;
  readonly taker: AcceptedOrder;
  readonly resting: AcceptedOrder;
  readonly size: bigint;
  readonly price: bigint;
  readonly at: number;
  readonly transactionHash: string;
}

/** Moving part of one market; `lastPrice` is in terms of the first outcome, `changedAt` in epoch milliseconds. */
export interface Floor {
  readonly market: Market;
  readonly book: Book;
  tick: bigint;
  changedAt: number;
  lastPrice: bigint | null;
}

/** Matching engine: books, orders, trades, holdings. Its state depends on the seed and the calls, with their times. */
export class Exchange {
  readonly catalogue: Catalogue;
  readonly ledger: Ledger;
  readonly trades: Trade[] = [];
  readonly orders = new Map<string, AcceptedOrder>();
  readonly #floors = new Map<string, Floor>();
  readonly #open = new Set<AcceptedOrder>();

  constructor(catalogue: Catalogue, faucet: Faucet) {
    this.catalogue = catalogue;
    this.ledger = new Ledger(faucet);
    for (const market of catalogue.markets) {
      const changedAt = FIRST_CHANGE_MS + (digest('first change', market.conditionId).readUInt32BE(0) % 3_600_000);
      // The markets of the new protocol are so new that nobody has traded there.
      const lastPrice = market.version === 'v2' ? null : market.mid;
      this.#floors.set(market.id, { market, book: new Book(), tick: market.tick, changedAt, lastPrice });
    }
  }

  /** Returns the floor of a market; RangeError for one that is not in the catalogue. */
  floor(marketId: string): Floor {
    const floor = this.#floors.get(marketId);
    if (!floor) throw new RangeError(`no market ${marketId}`);
    return floor;
  }

  /** Matches an order and rests its remainder; the caller has checked everything that could be refused. */
  accept(terms: OrderTerms, at: number): { readonly order: AcceptedOrder; readonly trades: readonly Trade[] } {
    const floor = this.floor(terms.marketId);
    const { fills } = floor.book.plan(terms);
    const order: AcceptedOrder = { ...terms, acceptedAt: at, status: 'LIVE', filled: 0n, tradeIds: [] };
    this.orders.set(order.id, order);
    const trades = fills.map((fill, index) => this.#fill(floor, order, { ...fill, index, at }));
    if (order.type === 'FOK' || order.type === 'FAK') order.status = 'MATCHED';
    else if (order.filled === order.size) order.status = 'MATCHED';
    else {
      floor.book.rest(order);
      this.#open.add(order);
    }
    floor.changedAt = at;
    return { order, trades };
  }

  /** Takes an open order off its book; false when it is not open. */
  cancel(id: string, at: number): boolean {
    const order = this.orders.get(id);
    if (!order || !this.#open.delete(order)) return false;
    const floor = this.floor(order.marketId);
    floor.book.remove(order);
    floor.changedAt = at;
    order.status = 'CANCELED';
    return true;
  }

  /** Takes an order off its book and out of memory: only for orders that nobody can ask for. */
  forget(id: string, at: number): void {
    this.cancel(id, at);
    this.orders.delete(id);
  }

  /** Ends every GTD order that is due at `now` (epoch milliseconds). */
  expire(now: number): void {
    for (const order of this.#open) {
      const end = order.expiration * 1_000 - EARLY_EXPIRY_MS;
      if (order.type === 'GTD' && end <= now) this.cancel(order.id, end);
    }
  }

  /** Lists the open orders, oldest first. */
  open(): readonly AcceptedOrder[] {
    return [...this.#open];
  }

  /** Sums what a maker's open orders reserve, in millionths: shares of the token, or collateral without a token. */
  reserved(maker: string, tokenId: string | null): bigint {
    let sum = 0n;
    for (const order of this.#open) {
      if (order.maker !== maker) continue;
      const left = order.size - order.filled;
      if (tokenId === null) sum += order.side === 'BUY' ? notional(left, order.price) : 0n;
      else if (order.side === 'SELL' && this.tokenOf(order) === tokenId) sum += left;
    }
    return sum;
  }

  /** Returns the token that an order trades. */
  tokenOf(order: OrderTerms): string {
    return this.floor(order.marketId).market.tokenIds[order.outcome];
  }

  #fill(floor: Floor, taker: AcceptedOrder, fill: Fill & { index: number; at: number }): Trade {
    const { resting, size, price, index, at } = fill;
    for (const order of [taker, resting]) {
      const own = { tokenId: this.tokenOf(order), side: order.side, size, price: mirrored(order.outcome, price) };
      this.ledger.settle(order.maker, own);
      order.filled += size;
    }
    this.ledger.charge(taker.maker, takerFee(floor.market, size, price));
    const trade: Trade = {
      id: uuidOf('trade', taker.id, index),
      market: floor.market,
      taker,
      resting,
      size,
      price: mirrored(taker.outcome, price),
      at,
      transactionHash: hexOf(32, 'transaction', taker.id, index),
    };
    taker.tradeIds.push(trade.id);
    resting.tradeIds.push(trade.id);
    if (resting.filled === resting.size) {
      resting.status = 'MATCHED';
      floor.book.remove(resting);
      this.#open.delete(resting);
    }
    floor.lastPrice = price;
    this.trades.push(trade);
    return trade;
  }
}
