import type { Book } from '../client/client.ts';
import { midOf } from './book.ts';
import { decimalsOf, formatPrice } from './figures.ts';

const [WIDTH, HEIGHT] = [480, 200];
/** Edges of the plot; what is left of it and below it holds the figures of the axes. */
const [LEFT, RIGHT, TOP, BOTTOM] = [52, WIDTH - 16, 18, HEIGHT - 22];
/** Share of a side's size that the chart reaches: a small order far away must not stretch it. */
const REACH = 0.9;
const MIN_TICKS = 10;

/** A corner of the staircase: a price, and all the shares from the best price up to it. Pixels, so floats will do. */
type Corner = readonly [price: number, shares: number];
type Levels = Book['bids'];

function stairs(levels: Levels): readonly Corner[] {
  let shares = 0;
  return levels.flatMap(({ price, size }) => {
    const before: Corner = [Number(price), shares];
    shares += Number(size);
    return [before, [Number(price), shares] as const];
  });
}

/** Returns the prices that the chart shows: as far to the left of the middle as to the right. */
function rangeOf(book: Book, sides: readonly (readonly Corner[])[]): readonly [low: number, high: number] {
  const middle = Number(midOf(book) ?? book.bids[0]?.price ?? book.asks[0]?.price ?? 0.5);
  const reached = sides.flatMap((corners) => {
    const all = corners.at(-1)?.[1] ?? 0;
    const [price = middle] = corners.find(([, shares]) => shares >= all * REACH) ?? [];
    return Math.abs(price - middle);
  });
  const half = Math.max(MIN_TICKS * Number(book.tick_size), ...reached) + Number(book.tick_size);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function draw(tag: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

/** Returns round numbers of shares for the axis, from zero up: three to five of them. */
function roundSteps(most: number): readonly number[] {
  const rough = most / 3;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([5, 2, 1].find((factor) => factor * ten <= rough) ?? 1) * ten);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

/** Draws how many shares are there at each price or a better one: bids to the left, asks to the right. */
export function drawDepth(chart: SVGGElement, book: Book): void {
  const sides = [stairs(book.bids), stairs(book.asks)] as const;
  const [low, high] = rangeOf(book, sides);
  const shown = sides.map((side) => side.filter(([price]) => price >= low && price <= high));
  const most = Math.max(1, ...shown.flat().map(([, shares]) => shares)) * 1.1;
  const x = (price: number) => Math.round(LEFT + ((price - low) / (high - low)) * (RIGHT - LEFT));
  const y = (shares: number) => Math.round(BOTTOM - (shares / most) * (BOTTOM - TOP));

  const polygons = shown.flatMap((side, index) => {
    if (side.length === 0) return [];
    // The last level reaches to the edge, and from there down to the axis.
    const edge = index === 0 ? low : high;
    const corners = [...side, [edge, side.at(-1)?.[1] ?? 0] as const, [edge, 0] as const];
    const points = corners.map(([price, shares]) => `${x(price)},${y(shares)}`).join(' ');
    return draw('polygon', { class: index === 0 ? 'bid' : 'ask', points });
  });
  const grid = roundSteps(most).flatMap((shares) => [
    draw('line', { x1: LEFT, x2: RIGHT, y1: y(shares), y2: y(shares) }),
    draw('text', { x: LEFT - 6, y: y(shares) + 4, 'text-anchor': 'end' }, shares.toLocaleString('en')),
  ]);
  const prices = [0, 1 / 4, 1 / 2, 3 / 4, 1].map((part) => low + part * (high - low));
  const decimals = decimalsOf(book.tick_size) + 1;
  const ticks = prices.map((price) =>
    draw('text', { x: x(price), y: HEIGHT - 6, 'text-anchor': 'middle' }, price.toFixed(decimals)),
  );
  const mid = midOf(book);
  const middle =
    mid === undefined ? [] : [draw('line', { class: 'mid', x1: x(+mid), x2: x(+mid), y1: TOP, y2: BOTTOM })];
  const midText = mid === undefined ? '' : `Mid ${formatPrice(mid, `${book.tick_size}0`)}`;
  const label = draw('text', { x: RIGHT, y: 12, 'text-anchor': 'end' }, midText);
  const named = draw('text', { x: LEFT, y: 12 }, 'Shares, cumulative');
  chart.replaceChildren(...grid, ...polygons, ...ticks, ...middle, label, named);
}
