import { type Book, formatUnits, type MarketFees, type OrderRequest, parseUnits, takerFee } from '../client/client.ts';

/** Cost of an order as far as it is known before it is placed, in collateral; decimals as text, never floats. */
export interface Cost {
  /** Price times size. */
  readonly notional: string;
  /** Fee if all of it matches at once at its price; `null` where the market does not publish it. */
  readonly fee: string | null;
  /** Sum that a purchase costs at most, or that a sale brings at least where all of it matches; `null` without `fee`. */
  readonly bound: string | null;
  /** Shares that match at once by the book shown. */
  readonly matching: string;
}

type Sides = Pick<Book, 'asks' | 'bids'>;

type Draft = Readonly<Record<'price' | 'size', string> & Pick<OrderRequest, 'side'>>;

function matchingSize({ side, price, size }: Draft, { asks, bids }: Sides): string {
  const limit = parseUnits(price);
  const reachable =
    side === 'buy'
      ? asks.filter((level) => parseUnits(level.price) <= limit)
      : bids.filter((level) => parseUnits(level.price) >= limit);
  const offered = reachable.reduce((sum, level) => sum + parseUnits(level.size), 0n);
  return offered < parseUnits(size) ? formatUnits(offered) : size;
}

/** Computes the cost of an order on a book. Throws `RangeError` for a price or a size that cannot be. */
export function costOf(order: Draft, book: Sides, fees: MarketFees | null): Cost {
  const fee = takerFee(order, fees);
  const notional = parseUnits(order.price) * parseUnits(order.size);
  const charge = parseUnits(fee ?? '0', 36);
  const bound = fee === null ? null : formatUnits(order.side === 'buy' ? notional + charge : notional - charge, 36);
  return { notional: formatUnits(notional, 36), fee, bound, matching: matchingSize(order, book) };
}

/** Describes the cost to the user, in sentences. */
export function explainCost(
  order: Draft,
  { notional, fee, bound, matching }: Cost,
  postOnly: boolean,
  fees: MarketFees | null,
): string[] {
  const { side, price, size } = order;
  const rests = parseUnits(matching) === 0n;
  const all = matching === size;
  const sum = `${size} × ${price} = ${notional} pUSD.`;
  const isFree = fee === '0' || fees?.taker_only;
  if (rests)
    return [
      sum,
      `Rests on the book: nothing matches at this price now${isFree ? ', and what rests pays no fee' : ''}.`,
    ];
  if (postOnly)
    return [sum, `Would be refused: ${matching} of ${size} shares would match at once, and it is post-only.`];
  const matched = all ? 'All of it matches' : `${matching} of ${size} shares match`;
  if (fee === null || bound === null) return [sum, `${matched} at once. The market does not tell its fee.`];
  const total = side === 'buy' ? `costs ${bound} pUSD at most` : `brings ${bound} pUSD at least`;
  const charge = fee === '0' ? 'Without a fee' : `With a fee of ${fee} pUSD at this price`;
  return [sum, `${matched} at once by this book.`, `${charge} it ${total}${all ? '' : ' where all of it is filled'}.`];
}
