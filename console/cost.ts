import { type Book, type MarketFees, type OrderRequest, takerFee } from '../client/client.ts';
import { add, compare, type Decimal, multiply, subtract } from './decimals.ts';

/** Cost of an order as far as it is known before it is placed, in collateral. */
export interface Cost {
  /** Price times size. */
  readonly notional: Decimal;
  /** Fee if all of it matches at once at its price; `null` where the market does not tell it. */
  readonly fee: Decimal | null;
  /** Sum that a purchase costs at most, or that a sale brings at least where all of it matches; `null` without `fee`. */
  readonly bound: Decimal | null;
  /** Shares that match at once by the book shown. */
  readonly matching: Decimal;
}

type Sides = Pick<Book, 'asks' | 'bids'>;

type Draft = Readonly<Record<'price' | 'size', Decimal> & Pick<OrderRequest, 'side'>>;

function matchingSize({ side, price, size }: Draft, { asks, bids }: Sides): Decimal {
  const isBuy = side === 'buy';
  const reachable = (isBuy ? asks : bids).filter((level) => compare(level.price, price) * (isBuy ? 1 : -1) <= 0);
  const offered = reachable.reduce((sum, level) => add(sum, level.size), '0');
  return compare(offered, size) < 0 ? offered : size;
}

/** Tells the cost of an order on a book. Throws `RangeError` for a price or a size that cannot be. */
export function costOf(order: Draft, book: Sides, fees: MarketFees | null): Cost {
  const notional = multiply(order.price, order.size);
  const fee = takerFee(order, fees);
  const bound = fee === null ? null : order.side === 'buy' ? add(notional, fee) : subtract(notional, fee);
  return { notional, fee, bound, matching: matchingSize(order, book) };
}

/** Writes the cost for people, a sentence each. */
export function explainCost(order: Draft, { notional, fee, bound, matching }: Cost, postOnly: boolean): string[] {
  const { side, price, size } = order;
  const rests = compare(matching, '0') === 0;
  const all = compare(matching, size) === 0;
  const sum = `${size} × ${price} = ${notional} pUSD.`;
  if (rests) return [sum, 'Rests on the book: nothing matches at this price now, and what rests pays no fee.'];
  if (postOnly)
    return [sum, `Would be refused: ${matching} of ${size} shares would match at once, and it is post-only.`];
  const matched = all ? 'All of it matches' : `${matching} of ${size} shares match`;
  if (fee === null || bound === null) return [sum, `${matched} at once. The market does not tell its fee.`];
  const total = side === 'buy' ? `costs ${bound} pUSD at most` : `brings ${bound} pUSD at least`;
  const charge = fee === '0' ? 'Without a fee' : `With a fee of up to ${fee} pUSD`;
  return [sum, `${matched} at once by this book.`, `${charge} it ${total}${all ? '' : ' where all of it is filled'}.`];
}
