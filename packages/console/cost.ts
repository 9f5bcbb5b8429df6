import { type Book, formatUnits, type MarketFees, type OrderRequest, parseUnits, takerFee } from '../client/client.ts';
import { averagePrice, formatMoney, formatPrice, formatShares } from './figures.ts';

/** Price, size and side of an order; decimals as text. */
export type Draft = Readonly<Record<'price' | 'size', string> & Pick<OrderRequest, 'side'>>;

type Sides = Pick<Book, 'asks' | 'bids'>;

/** Cost of an order by a book. Sums are in 10^-36 of the collateral, sizes in 10^-18 shares. */
export interface Cost {
  readonly matchedSize: bigint;
  readonly matchedValue: bigint;
  /** Fee of the part that matches; `null` where the market does not publish it. */
  readonly fee: bigint | null;
  readonly restingSize: bigint;
  readonly restingValue: bigint;
  /** Sum that a purchase costs, or a sale brings, with the fee; `null` without `fee`. */
  readonly total: bigint | null;
  /** Highest cost of a purchase, or lowest proceeds of a sale, if the book moves; `null` without `fee`. */
  readonly bound: bigint | null;
}

const DECIMALS = 36;

function feeOf(order: Pick<Draft, 'price' | 'size'>, fees: MarketFees | null): bigint | null {
  const fee = takerFee(order, fees);
  return fee === null ? null : parseUnits(fee, DECIMALS);
}

/** Computes what an order costs on a book. Throws `RangeError` for a price or a size that cannot be. */
export function costOf(order: Draft, { asks, bids }: Sides, fees: MarketFees | null): Cost {
  const isBuy = order.side === 'buy';
  const [limit, size] = [parseUnits(order.price), parseUnits(order.size)];
  const withFee = (value: bigint, fee: bigint | null) => (fee === null ? null : isBuy ? value + fee : value - fee);
  let [left, matchedValue] = [size, 0n];
  let fee: bigint | null = 0n;
  for (const level of isBuy ? asks : bids) {
    const price = parseUnits(level.price);
    if (left === 0n || (isBuy ? price > limit : price < limit)) break;
    const offered = parseUnits(level.size);
    const taken = offered < left ? offered : left;
    const charge = feeOf({ price: level.price, size: formatUnits(taken) }, fees);
    fee = fee === null || charge === null ? null : fee + charge;
    matchedValue += taken * price;
    left -= taken;
  }
  return {
    matchedSize: size - left,
    matchedValue,
    fee,
    restingSize: left,
    restingValue: left * limit,
    total: withFee(matchedValue + left * limit, fee),
    bound: withFee(size * limit, feeOf(order, fees)),
  };
}

function money(sum: bigint | null): string {
  return sum === null ? 'not known' : formatMoney(formatUnits(sum, DECIMALS));
}

function part(size: bigint, value: bigint): string {
  const price = averagePrice(value, size);
  const isExact = parseUnits(price) * size === value;
  const sum = formatPrice(formatUnits(value, DECIMALS));
  return `${formatShares(formatUnits(size))} × ${formatPrice(price)} ${isExact ? '=' : '≈'} ${sum}`;
}

/** Describes the cost as a list of facts; it has the same length whatever the order. */
export function listCost({ side, size }: Draft, cost: Cost): Readonly<Record<string, string>> {
  const { matchedSize, matchedValue, fee, restingSize, restingValue, total } = cost;
  return {
    Matches: matchedSize === 0n ? 'nothing' : part(matchedSize, matchedValue),
    Fee: money(fee),
    Rests: restingSize === 0n ? 'nothing' : part(restingSize, restingValue),
    [side === 'buy' ? 'Cost' : 'Proceeds']: money(total),
    ...(side === 'buy' && { 'Payout if it wins': formatMoney(size) }),
  };
}

/** Returns a sentence on what the facts leave open. */
export function noteOn(
  { side, size }: Draft,
  { matchedSize, restingSize, bound }: Cost,
  postOnly: boolean,
  fees: MarketFees | null,
): string {
  if (postOnly && matchedSize > 0n) {
    const matching = formatShares(formatUnits(matchedSize));
    return `Would be refused: it is post-only, and ${matching} of ${formatShares(size)} shares would match.`;
  }
  const isFree = fees?.taker_only || fees?.taker_rate === '0';
  if (restingSize > 0n && !isFree) return 'What rests may pay a fee: the market does not publish it.';
  if (postOnly || bound === null) return '';
  return side === 'buy' ? `At most ${money(bound)} if the book moves.` : `At least ${money(bound)} if the book moves.`;
}
