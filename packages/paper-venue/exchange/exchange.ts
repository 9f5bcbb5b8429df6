import { type AcceptedOrder, Book, type Fill, mirrored, type OrderTerms } from './book.ts';
import type { Catalogue } from './catalogue.ts';
import { type Market, type Side, takerFee } from './market.ts';
import { notional } from './millionths.ts';
import { hexOf, uuidOf } from './seeded.ts';

/** Holdings of an address at first sight, in millionths. */
export interface Faucet {
  readonly collateral: bigint;
  readonly shares: bigint;
}

/** Holdings by address, in millionths. An address that was never seen holds what the faucet gives. */
export class Ledger {
  readonly #faucet: Faucet;
  readonly #holdings = new Map<string, bigint>();

  constructor(faucet: Faucet) {
    this.#faucet = faucet;
  }

  collateral(address: string): bigint {
    return this.#holdings.get(address) ?? this.#faucet.collateral;
  }

  shares(address: string, tokenId: string): bigint {
    return this.#holdings.get(`${address}/${tokenId}`) ?? this.#faucet.shares;
  }

  /** Overrides the faucet for one address; without a token it sets the collateral. */
  set(address: string, tokenId: string | null, amount: bigint): void {
    this.#holdings.set(tokenId === null ? address : `${address}/${tokenId}`, amount);
  }

  /** Takes a fee; makers pay none. */
  charge(address: string, fee: bigint): void {
    this.set(address, null, this.collateral(address) - fee);
  }

  /** Books one side of a fill: a purchase pays collateral for shares, a sale the reverse. */
  settle(address: string, fill: { tokenId: string; side: Side; size: bigint; price: bigint }): void {
    const sign = fill.side === 'BUY' ? 1n : -1n;
    const { tokenId, size, price } = fill;
    this.set(address, null, this.collateral(address) - sign * notional(size, price));
    this.set(address, tokenId, this.shares(address, tokenId) + sign * size);
  }
}

/** Time by which the venue ends a GTD order before the expiration that its owner signed. */
const EARLY_EXPIRY_MS = 60_000;

/** A trade as everybody may see it; `at` in epoch milliseconds. */
export interface Print {
  /** The taker's token, and its side, price and size in it. */
  readonly tokenId: string;
  readonly side: OrderTerms['side'];
  readonly price: bigint;
  readonly size: bigint;
  readonly at: number;
}

/** Prints that are kept. */
const TAPE_LENGTH = 200;

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

/** Moving part of one market; prices are in terms of the first outcome, `changedAt` in epoch milliseconds. */
export interface Floor {
  readonly market: Market;
  readonly book: Book;
  readonly turnover: Turnover;
  tick: bigint;
  /** Mid price around which the market maker quotes. */
  mid: bigint;
  changedAt: number;
  lastPrice: bigint | null;
}

const HOUR_MS = 3_600_000;
const HOURS_OF_A_DAY = 24;

/** Collateral that was paid in one market since the start, in millionths. */
class Turnover {
  total = 0n;
  readonly #hours = new Map<number, bigint>();

  add(amount: bigint, at: number): void {
    const hour = Math.floor(at / HOUR_MS);
    this.total += amount;
    this.#hours.set(hour, (this.#hours.get(hour) ?? 0n) + amount);
    for (const known of this.#hours.keys()) if (known <= hour - HOURS_OF_A_DAY) this.#hours.delete(known);
  }

  /** Sums the last 24 hours up to `now` (epoch milliseconds), the one that has begun included. */
  ofDay(now: number): bigint {
    const first = Math.floor(now / HOUR_MS) - HOURS_OF_A_DAY;
    return [...this.#hours].reduce((sum, [hour, amount]) => (hour > first ? sum + amount : sum), 0n);
  }
}

/** Matching engine: books, orders, trades, holdings. Its state depends on the seed and the calls, with their times. */
export class Exchange {
  readonly catalogue: Catalogue;
  readonly ledger: Ledger;
  /** Trades of clients, oldest first; those within the house are not kept. */
  readonly trades: Trade[] = [];
  /** What was traded last by anybody, newest first. */
  readonly tape: Print[] = [];
  readonly orders = new Map<string, AcceptedOrder>();
  readonly #house: ReadonlySet<string>;
  readonly #floors = new Map<string, Floor>();
  readonly #open = new Set<AcceptedOrder>();

  /** Orders of the `house`, the venue's own addresses, are forgotten once they are off the book: no client can ask for them. */
  constructor(catalogue: Catalogue, faucet: Faucet, house: readonly string[] = []) {
    this.catalogue = catalogue;
    this.ledger = new Ledger(faucet);
    this.#house = new Set(house);
    for (const market of catalogue.markets) {
      const { tick, mid, quotedAt: changedAt } = market;
      // The markets of the new protocol are so new that they have not traded yet.
      const lastPrice = market.version === 'v2' ? null : mid;
      const moving = { tick, mid, changedAt, lastPrice };
      this.#floors.set(market.id, { market, book: new Book(), turnover: new Turnover(), ...moving });
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
    const unfilled = { filled: 0n, value: 0n, fee: 0n };
    const order: AcceptedOrder = { ...terms, ...unfilled, acceptedAt: at, status: 'LIVE', tradeIds: [] };
    this.orders.set(order.id, order);
    const trades = fills.map((fill, index) => this.#fill(floor, order, { ...fill, index, at }));
    if (order.type === 'FOK' || order.type === 'FAK') order.status = 'MATCHED';
    else if (order.filled === order.size) order.status = 'MATCHED';
    else {
      floor.book.rest(order);
      this.#open.add(order);
    }
    if (!this.#open.has(order)) this.#release(order);
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
    this.#release(order);
    return true;
  }

  /** Ends every GTD order that is due at `now` (epoch milliseconds). */
  expire(now: number): void {
    for (const order of this.#open) {
      const end = order.expiration * 1_000 - EARLY_EXPIRY_MS;
      // Another one that is due may have ended later.
      if (order.type === 'GTD' && end <= now)
        this.cancel(order.id, Math.max(end, this.floor(order.marketId).changedAt));
    }
  }

  /** Returns true if an order is a client's, not the house's. */
  isClients({ maker }: OrderTerms): boolean {
    return !this.#house.has(maker);
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

  /** Forgets an order of the house that is off the book: a venue left running would grow with them. */
  #release(order: AcceptedOrder): void {
    if (!this.isClients(order)) this.orders.delete(order.id);
  }

  #fill(floor: Floor, taker: AcceptedOrder, fill: Fill & { index: number; at: number }): Trade {
    const { resting, size, price, index, at } = fill;
    for (const order of [taker, resting]) {
      const own = { tokenId: this.tokenOf(order), side: order.side, size, price: mirrored(order.outcome, price) };
      this.ledger.settle(order.maker, own);
      order.filled += size;
      order.value += notional(size, own.price);
    }
    const fee = takerFee(floor.market, size, price);
    this.ledger.charge(taker.maker, fee);
    taker.fee += fee;
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
      this.#release(resting);
    }
    floor.lastPrice = price;
    this.tape.unshift({ tokenId: this.tokenOf(taker), side: taker.side, price: trade.price, size, at });
    this.tape.length = Math.min(this.tape.length, TAPE_LENGTH);
    floor.turnover.add(notional(size, trade.price), at);
    if (this.isClients(taker) || this.isClients(resting)) this.trades.push(trade);
    return trade;
  }
}
