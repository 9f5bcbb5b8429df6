import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make } from './dom.ts';

/** Levels of each side that are shown. */
const MAX_LEVELS = 15;

type Level = Book['bids'][number];

interface Row {
  readonly level: Level;
  readonly side: 'bid' | 'ask';
  /** The shares from the best price to this one. */
  readonly total: bigint;
}

/** Writes a decimal with a number of decimals at least, so that a column lines up. */
function padded(decimal: string, decimals: number): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  return decimals === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`;
}

function decimalsOf(tick: string): number {
  return tick.split('.')[1]?.length ?? 0;
}

function rowsOf(levels: readonly Level[], side: Row['side']): readonly Row[] {
  let total = 0n;
  return levels.slice(0, MAX_LEVELS).map((level) => {
    total += parseUnits(level.size);
    return { level, side, total };
  });
}

interface Ladder {
  readonly largest: bigint;
  readonly decimals: number;
  readonly usePrice: (price: string) => void;
}

function makeRow({ level, side, total }: Row, { largest, decimals, usePrice }: Ladder): HTMLTableRowElement {
  const price = padded(level.price, decimals);
  const button = make('button', { type: 'button', 'aria-label': `${price}: use this price` }, price);
  button.dataset['price'] = level.price;
  button.addEventListener('click', () => usePrice(level.price));
  const sizes = [level.size, formatUnits(total)].map((size) => make('td', {}, padded(size, 2)));
  const row = make('tr', { class: side }, make('th', { scope: 'row' }, button), sizes);
  // A share of the width: how it looks, not what it is.
  row.style.setProperty('--part', `${(total * 100n) / largest}%`);
  return row;
}

/** Describes the touch: the spread, and the price in the middle of it. */
function makeSpread({ asks: [ask], bids: [bid] }: Book, decimals: number): HTMLTableRowElement {
  const [high, low] = [ask && parseUnits(ask.price), bid && parseUnits(bid.price)];
  const text =
    high === undefined || low === undefined
      ? 'No spread: one side of the book is empty'
      : `Spread ${padded(formatUnits(high - low), decimals)}, mid ${padded(formatUnits((high + low) / 2n), decimals)}`;
  return make('tr', { class: 'spread' }, make('td', { colspan: '3' }, text));
}

/** Shows the best levels as one ladder, the highest price on top; a button that has the focus keeps it. */
export function showLadder(body: HTMLElement, book: Book, usePrice: (price: string) => void): void {
  const [asks, bids] = [rowsOf(book.asks, 'ask'), rowsOf(book.bids, 'bid')];
  const largest = [...asks, ...bids].reduce((most, { total }) => (total > most ? total : most), 1n);
  const decimals = decimalsOf(book.tick_size);
  const ladder = { largest, decimals, usePrice };
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['price'] : undefined;
  body.replaceChildren(
    ...asks.toReversed().map((row) => makeRow(row, ladder)),
    makeSpread(book, decimals),
    ...bids.map((row) => makeRow(row, ladder)),
  );
  if (focused === undefined) return;
  [...body.querySelectorAll('button')].find(({ dataset }) => dataset['price'] === focused)?.focus();
}

function describeSide(name: string, levels: readonly Level[]): string {
  const [best, last] = [levels[0], levels.at(-1)];
  if (!best || !last) return `No ${name}.`;
  const total = formatUnits(levels.reduce((sum, { size }) => sum + parseUnits(size), 0n));
  return `${levels.length} ${name}, ${total} shares from ${best.price} to ${last.price}.`;
}

/** Describes the depth of a book in words: the text of its chart. */
export function describeDepth({ asks, bids }: Book): string {
  return `${describeSide('bids', bids)} ${describeSide('asks', asks)}`;
}
