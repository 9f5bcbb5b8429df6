import type { Book } from '../client/client.ts';
import { make } from './dom.ts';

const [WIDTH, HEIGHT] = [400, 120];

/** Levels of each side that are drawn: a single order far away would leave the touch a sliver. */
const MAX_LEVELS = 15;

/** A corner of the staircase: a price, and all the shares from the best price up to it. Pixels, so floats will do. */
type Corner = readonly [price: number, shares: number];

function stairs(levels: Book['bids']): readonly Corner[] {
  let shares = 0;
  return levels.slice(0, MAX_LEVELS).flatMap(({ price, size }) => {
    const before: Corner = [Number(price), shares];
    shares += Number(size);
    return [before, [Number(price), shares] as const];
  });
}

function makeShape(tag: 'line' | 'polygon', attributes: Readonly<Record<string, string>>): SVGElement {
  const shape = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
}

/** Reads the chart at a pixel: the price there, and the shares from the touch up to it. */
export type ReadDepth = (part: number) => string;

/**
 * Draws how many shares are there at each price or a better one: bids to the left, asks to the right, the mid price as a
 * line, and prices and shares on the axes. Returns what reads the chart at a part of its width.
 */
export function drawDepth(chart: SVGGElement, axis: HTMLElement, { asks, bids }: Book): ReadDepth {
  const sides = [stairs(bids), stairs(asks)] as const;
  const corners = sides.flat();
  if (corners.length === 0) {
    chart.replaceChildren();
    axis.replaceChildren();
    return () => '';
  }
  const prices = corners.map(([price]) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const most = Math.max(...corners.map(([, shares]) => shares));
  const x = (price: number) => (high > low ? ((price - low) / (high - low)) * WIDTH : WIDTH / 2).toFixed(1);
  const y = (shares: number) => (HEIGHT * (1 - shares / most)).toFixed(1);
  const shapes = sides.map((side, index) => {
    // The last level reaches to the edge, and from there down to the axis.
    const edge = index === 0 ? low : high;
    const end = side.at(-1)?.[1] ?? 0;
    const points = [...side, [edge, end] as const, [edge, 0] as const];
    const text = points.map(([price, shares]) => `${x(price)},${y(shares)}`).join(' ');
    return makeShape('polygon', { class: index === 0 ? 'bid' : 'ask', points: text });
  });
  const [bid, ask] = sides.map((side) => side[0]?.[0]);
  const mid = bid !== undefined && ask !== undefined ? (bid + ask) / 2 : (bid ?? ask ?? low);
  const at = x(mid);
  chart.replaceChildren(...shapes, makeShape('line', { class: 'mid', x1: at, x2: at, y1: '0', y2: String(HEIGHT) }));
  const figures = [low.toFixed(2), `mid ${mid.toFixed(3)}`, high.toFixed(2), `${Math.round(most)} shares`];
  axis.replaceChildren(...figures.map((figure) => make('span', {}, figure)));
  return (part) => {
    const price = low + part * (high - low);
    const [side, isBid] = price <= mid ? ([sides[0], true] as const) : ([sides[1], false] as const);
    const reached = side.filter(([level]) => (isBid ? level >= price : level <= price));
    return `${price.toFixed(3)}: ${Math.round(reached.at(-1)?.[1] ?? 0)} shares up to here`;
  };
}
