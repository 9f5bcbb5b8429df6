import type { Book } from '../client/client.ts';

const [WIDTH, HEIGHT] = [400, 120];

/** A corner of the staircase: a price, and all the shares from the best price up to it. Pixels, so floats will do. */
type Corner = readonly [price: number, shares: number];

function stairs(levels: Book['bids']): readonly Corner[] {
  let shares = 0;
  return levels.flatMap(({ price, size }) => {
    const before: Corner = [Number(price), shares];
    shares += Number(size);
    return [before, [Number(price), shares] as const];
  });
}

function makeSide(className: string, points: string): SVGPolygonElement {
  const polygon = document.createElementNS('http://www.w3.org/2000/svg', 'polygon');
  polygon.setAttribute('class', className);
  polygon.setAttribute('points', points);
  return polygon;
}

/** Draws how many shares are there at each price or a better one: bids to the left, asks to the right. */
export function drawDepth(chart: SVGGElement, { asks, bids }: Book): void {
  const sides = [stairs(bids), stairs(asks)] as const;
  const corners = sides.flat();
  const [low, high] = [Math.min(...corners.map(([price]) => price)), Math.max(...corners.map(([price]) => price))];
  const most = Math.max(...corners.map(([, shares]) => shares));
  const x = (price: number) => (high > low ? ((price - low) / (high - low)) * WIDTH : WIDTH / 2).toFixed(1);
  const y = (shares: number) => (HEIGHT * (1 - shares / most)).toFixed(1);
  const [bidSide, askSide] = sides.map((side, index) => {
    // The last level reaches to the edge, and from there down to the axis.
    const edge = index === 0 ? low : high;
    const end = side.at(-1)?.[1] ?? 0;
    return [...side, [edge, end] as const, [edge, 0] as const]
      .map(([price, shares]) => `${x(price)},${y(shares)}`)
      .join(' ');
  });
  const shown = corners.length > 0 ? [makeSide('bid', bidSide ?? ''), makeSide('ask', askSide ?? '')] : [];
  chart.replaceChildren(...shown);
}
