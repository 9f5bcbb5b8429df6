import { type Book, formatUnits, type OrderRequest, parseUnits, roundToTick } from '../client/client.ts';
import { costOf, formatCents, formatPrice, formatShares } from './figures.ts';

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

/** Describes the prices and the sizes that a market takes. */
export function rulesOf({ tick_size: tick, min_order_size: least }: Book) {
  const price = `${formatPrice(tick)} to ${formatPrice(highestPrice(tick))} by ${tick}`;
  return { price, size: `at least ${formatShares(least)} shares` };
}

/** Returns whether a draft keeps the rules of a book. */
export function checkDraft({ price, size }: Draft, { tick_size: tick, min_order_size: least }: Book) {
  const isOnGrid = DECIMAL.test(price) && onTick(price, tick, 'down') === onTick(price, tick, 'up');
  const isPrice = isOnGrid && onTick(price, tick, 'up') !== undefined;
  return { price: isPrice, size: SIZE.test(size) && parseUnits(size) >= parseUnits(least) };
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
  const moved = parseUnits(price) + (direction === 'up' ? parseUnits(tick) : -parseUnits(tick));
  return (moved > 0n && onTick(formatUnits(moved), tick, direction)) || price;
}
