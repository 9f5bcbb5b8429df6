import {
  type Book,
  formatUnits,
  type Market,
  type OrderRequest,
  parseUnits,
  quote,
  roundToTick,
} from '../client/client.ts';
import { costOf, formatCents, formatPrice, formatShares, SUM_DECIMALS } from './figures.ts';
import type { Holdings } from './holdings.ts';

/** What the user wrote: decimals as text. */
export interface Draft extends Pick<OrderRequest, 'side' | 'post_only'> {
  readonly price: string;
  readonly size: string;
}

/** Reads a decimal as people type it: `0,5` where the keypad has a comma alone, and `.5`. */
export function normalise(typed: string): string {
  return typed.trim().replace(',', '.').replace(/^\./, '0.');
}

const DECIMAL = /^\d+(\.\d+)?$/;
/** Decimals of a size: the venue takes no more. */
const SIZE = /^\d+(\.\d{1,2})?$/;

function highestPrice(tick: string): string {
  return formatUnits(parseUnits('1') - parseUnits(tick));
}

function onTick(price: string, tick: string, direction: 'down' | 'up'): string | undefined {
  try {
    return formatPrice(roundToTick(price, tick, direction), tick);
  } catch {
    return undefined;
  }
}

function mistakeOfPrice(price: string, { tick_size: tick }: Book): string {
  if (price === '') return '';
  if (!DECIMAL.test(price)) return 'A decimal, such as 0.51';
  const [down, up] = [onTick(price, tick, 'down'), onTick(price, tick, 'up')];
  if (down === undefined || up === undefined) return rulesOfPrice(tick);
  return down === up ? '' : `Steps of ${tick}: use ${down} or ${up}`;
}

function mistakeOfSize(size: string, { min_order_size: least }: Book): string {
  if (size === '') return '';
  if (!SIZE.test(size)) return 'A number with at most 2 decimals';
  return parseUnits(size) < parseUnits(least) ? rulesOfSize(least) : '';
}

/** Finds what is wrong with the price and the size by the rules of a book; '' for what is right or still empty. */
export function mistakesIn({ price, size }: Draft, book: Book) {
  return { price: mistakeOfPrice(price, book), size: mistakeOfSize(size, book) };
}

/** Describes the prices that a market takes. */
export function rulesOfPrice(tick: string): string {
  return `${formatPrice(tick)} to ${formatPrice(highestPrice(tick))} by ${tick}`;
}

/** Describes the sizes that a market takes. */
export function rulesOfSize(least: string): string {
  return `At least ${formatShares(least)} shares`;
}

/** Returns the best price at which an order of a side matches; the best at which it rests, if it must or nothing matches. */
export function bestPrice(
  { side, post_only }: Pick<Draft, 'side' | 'post_only'>,
  { bids, asks, tick_size: tick }: Book,
) {
  const [own, other] = side === 'buy' ? [bids, asks] : [asks, bids];
  const best = (post_only ? undefined : other[0]) ?? own[0];
  return formatPrice(best?.price ?? (side === 'buy' ? tick : highestPrice(tick)), tick);
}

/** Returns the shares that an amount of collateral pays for at a price, before fees; '' where that cannot be told. */
export function sizeFor(amount: string, price: string): string {
  if (!DECIMAL.test(amount) || !DECIMAL.test(price) || parseUnits(price) === 0n) return '';
  return formatUnits((parseUnits(amount) * 100n) / parseUnits(price), 2);
}

/** Returns what a size costs at a price, before fees; '' where that cannot be told. */
export function amountOf({ price, size }: Pick<Draft, 'price' | 'size'>): string {
  return DECIMAL.test(price) && SIZE.test(size) ? formatCents(costOf(price, size)).replaceAll(',', '') : '';
}

/** Moves a price by one tick to the next one on the grid; a price that cannot move stays. */
export function movePrice(price: string, tick: string, direction: 'down' | 'up'): string {
  const onGrid = onTick(price, tick, direction);
  if (onGrid === undefined || parseUnits(onGrid) !== parseUnits(price)) return onGrid ?? price;
  const [from, step] = [parseUnits(price), parseUnits(tick)];
  if (from < step) return price;
  return onTick(formatUnits(direction === 'up' ? from + step : from - step), tick, direction) ?? price;
}

/** Returns the largest size that the holdings pay for; the fee counts as if all of it matched at its price. */
export function largestSize(draft: Draft, book: Book, market: Pick<Market, 'fees'>, holdings: Holdings): string {
  const lot = parseUnits('0.01');
  if (draft.side === 'sell') return formatUnits(parseUnits(holdings.freeShares) / lot, 2);
  const free = parseUnits(holdings.freeCollateral, SUM_DECIMALS);
  const isAffordable = (lots: bigint) => {
    const { bound, total } = quote(book, market, { ...draft, size: formatUnits(lots, 2) });
    return [bound, total].every((sum) => sum === null || parseUnits(sum, SUM_DECIMALS) <= free);
  };
  let [least, most] = [0n, free / (parseUnits(draft.price) * lot)];
  while (least < most) {
    const middle = (least + most + 1n) / 2n;
    if (isAffordable(middle)) least = middle;
    else most = middle - 1n;
  }
  return formatUnits(least, 2);
}
