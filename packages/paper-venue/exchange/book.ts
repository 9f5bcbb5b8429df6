import type { OutcomeIndex, Side } from './market.ts';
import { LOT, notional, ONE } from './millionths.ts';

/** Order types: until cancelled, until expiration, fill or kill, fill and kill. */
type OrderType = 'GTC' | 'GTD' | 'FOK' | 'FAK';

/** Terms that an order asks for; amounts and prices in millionths. */
export interface OrderTerms {
  /** EIP-712 hash of the signed order. */
  readonly id: string;
  /** Address that pays and receives, in lower case. */
  readonly maker: string;
  /** Address whose API key placed the order, in lower case. */
  readonly account: string;
  readonly owner: string;
  readonly marketId: string;
  readonly outcome: OutcomeIndex;
  readonly side: Side;
  /** Limit price of the order's own outcome. */
  readonly price: bigint;
  /** Shares asked for; for a FOK or FAK purchase the most that its collateral buys at the limit. */
  readonly size: bigint;
  /** Collateral to spend: FOK and FAK purchases target money, not shares. */
  readonly budget: bigint | null;
  readonly type: OrderType;
  readonly postOnly: boolean;
  /** End of a GTD order as it was signed, in Unix seconds; 0 for none. */
  readonly expiration: number;
}

type OrderStatus = 'LIVE' | 'MATCHED' | 'CANCELED';

/** Accepted order with its fate so far; `acceptedAt` in epoch milliseconds. */
export interface AcceptedOrder extends OrderTerms {
  readonly acceptedAt: number;
  status: OrderStatus;
  filled: bigint;
  /** Collateral for the filled shares, before fees, and the fees on them, in millionths. */
  value: bigint;
  fee: bigint;
  readonly tradeIds: string[];
}

/** Match that would happen: `price` is the resting order's, in terms of the first outcome. */
export interface Fill {
  readonly resting: AcceptedOrder;
  readonly size: bigint;
  readonly price: bigint;
}

/** Price level of a book, both in millionths. */
export type Level = readonly [price: bigint, size: bigint];

/** Converts a price of the second outcome into one of the first, and back: the two always sum to one. */
export function mirrored(outcome: OutcomeIndex, price: bigint): bigint {
  return outcome === 0 ? price : ONE - price;
}

/** Returns true if an order bids in terms of the first outcome: selling "No" at q is buying "Yes" at 1 - q. */
function bids(order: OrderTerms): boolean {
  return (order.side === 'BUY') === (order.outcome === 0);
}

function remaining(order: AcceptedOrder): bigint {
  return order.size - order.filled;
}

function lotsFor(budget: bigint, price: bigint): bigint {
  return (budget * ONE) / (price * LOT);
}

/**
 * Book of a market, kept in terms of its first outcome, so that the books of both outcomes mirror each other by
 * construction: a purchase of one can meet a purchase of the other (mint), and two sales can meet (merge).
 *
 * An own engine rather than the npm package nodejs-order-book: that one keeps prices and sizes as floats, knows no
 * complementary outcome, and a market order there targets shares only; bent to these rules little of it would be left.
 */
export class Book {
  readonly #bids: AcceptedOrder[] = [];
  readonly #asks: AcceptedOrder[] = [];

  /** Puts an order behind those of the same or a better price: price first, then time. */
  rest(order: AcceptedOrder): void {
    const queue = bids(order) ? this.#bids : this.#asks;
    const behind = queue.findIndex((other) => this.#ranks(order, other));
    queue.splice(behind === -1 ? queue.length : behind, 0, order);
  }

  remove(order: AcceptedOrder): void {
    const queue = bids(order) ? this.#bids : this.#asks;
    const index = queue.indexOf(order);
    if (index !== -1) queue.splice(index, 1);
  }

  /** Plans the matches of an order, best price first; the book stays as it is. */
  plan(order: OrderTerms): { readonly fills: readonly Fill[]; readonly complete: boolean } {
    const fills: Fill[] = [];
    let shares = order.size;
    let budget = order.budget;
    for (const resting of bids(order) ? this.#asks : this.#bids) {
      const price = mirrored(resting.outcome, resting.price);
      const own = mirrored(order.outcome, price);
      if (order.side === 'BUY' ? own > order.price : own < order.price) break;
      const wanted = budget === null ? shares : lotsFor(budget, own) * LOT;
      let size = remaining(resting);
      if (wanted < size) size = wanted;
      if (size === 0n) break;
      fills.push({ resting, size, price });
      shares -= size;
      if (budget !== null) budget -= notional(size, own);
    }
    return { fills, complete: budget === null ? shares === 0n : lotsFor(budget, order.price) === 0n };
  }

  /** Lists the resting orders, best price first. */
  orders(): { readonly bids: readonly AcceptedOrder[]; readonly asks: readonly AcceptedOrder[] } {
    return { bids: this.#bids, asks: this.#asks };
  }

  /** Sums the resting sizes of one outcome by price, best first. */
  levels(outcome: OutcomeIndex): { readonly bids: readonly Level[]; readonly asks: readonly Level[] } {
    const sum = (queue: readonly AcceptedOrder[]): Level[] => {
      const levels = new Map<bigint, bigint>();
      for (const order of queue) {
        const price = mirrored(outcome, mirrored(order.outcome, order.price));
        levels.set(price, (levels.get(price) ?? 0n) + remaining(order));
      }
      return [...levels];
    };
    return outcome === 0
      ? { bids: sum(this.#bids), asks: sum(this.#asks) }
      : { bids: sum(this.#asks), asks: sum(this.#bids) };
  }

  #ranks(order: AcceptedOrder, other: AcceptedOrder): boolean {
    const [price, against] = [mirrored(order.outcome, order.price), mirrored(other.outcome, other.price)];
    return bids(order) ? price > against : price < against;
  }
}
