import { type Book, formatUnits, parseUnits } from '../client/client.ts';
import { make } from './dom.ts';

/** Levels of each side that are shown. */
const MAX_LEVELS = 15;

type Level = Book['bids'][number];

function makeSize(level: Level, side: 'bid' | 'ask', largest: number): HTMLTableCellElement {
  const cell = make('td', { class: side }, level.size);
  // A share of the width: how it looks, not what it is.
  cell.style.setProperty('--part', `${Math.round((100 * Number(level.size)) / largest)}%`);
  return cell;
}

interface Row {
  readonly level: Level;
  readonly side: 'bid' | 'ask';
}

function makeRow({ level, side }: Row, largest: number, usePrice: (price: string) => void): HTMLTableRowElement {
  const button = make('button', { type: 'button', 'aria-label': `${level.price}: use this price` }, level.price);
  button.dataset['price'] = level.price;
  button.addEventListener('click', () => usePrice(level.price));
  const price = make('th', { scope: 'row' }, button);
  const [size, empty] = [makeSize(level, side, largest), make('td', {})];
  return make('tr', {}, side === 'bid' ? [size, price, empty] : [empty, price, size]);
}

/** Shows the best levels as a ladder, the highest price on top; a button that has the focus keeps it. */
export function showLadder(body: HTMLElement, { asks, bids }: Book, usePrice: (price: string) => void): void {
  const rows: Row[] = [
    ...asks
      .slice(0, MAX_LEVELS)
      .toReversed()
      .map((level) => ({ level, side: 'ask' }) as const),
    ...bids.slice(0, MAX_LEVELS).map((level) => ({ level, side: 'bid' }) as const),
  ];
  const largest = Math.max(...rows.map(({ level }) => Number(level.size)));
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['price'] : undefined;
  body.replaceChildren(...rows.map((row) => makeRow(row, largest, usePrice)));
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
