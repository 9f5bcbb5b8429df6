import type { Book } from '../client/client.ts';
import { part, say } from './dom.ts';
import { formatPrice, formatShares, formatTime } from './figures.ts';

/** Best bid, best ask and last trade from a time on; none where there was no answer. Numbers do for a picture. */
type Sample = readonly [at: number, prices: readonly (number | undefined)[]];

/** Samples that are kept of an outcome: an hour of a book that changes each second. */
const MAX_SAMPLES = 3_600;
/** Time that the picture spans at least. */
const MIN_SPAN_MS = 60_000;
/** Distance of a level from the best one up to which the picture of the depth has it: far ones would hide the near ones. */
const MAX_FAR = 0.15;

/** Returns a function from values to places in the square of 100 in which each picture is drawn. */
function scale(least: number, most: number) {
  return (value: number) => Math.round(((value - least) / (most - least || 1)) * 1e4) / 100;
}

function draw(id: string, lines: readonly string[], range: string): void {
  for (const [index, path] of part(id).querySelectorAll('path').entries()) path.setAttribute('d', lines[index] ?? '');
  say(`${id}-range`, range);
}

/** Draws each price as a line in steps; a gap in the samples is one in the line. */
function drawPrices(samples: readonly Sample[], tick: string): void {
  const all = samples.flatMap(([, prices]) => prices).filter((price) => price !== undefined);
  const [now, [first = 0] = []] = [Date.now(), samples[0]];
  const [low, high, room] = [Math.min(...all), Math.max(...all), Number(tick) / 2];
  const [x, y] = [scale(first, Math.max(now, first + MIN_SPAN_MS)), scale(high + room, low - room)];
  const lines = [0, 1, 2].map((line) => {
    const steps = samples.map(([at, { [line]: price }], index) => {
      if (price === undefined) return '';
      const isNew = samples[index - 1]?.[1][line] === undefined;
      return `${isNew ? `M${x(at)} ` : 'V'}${y(price)}H${x(samples[index + 1]?.[0] ?? now)}`;
    });
    return steps.join('');
  });
  const range = [low, high].map((price) => formatPrice(String(price), tick)).join(' to ');
  draw('chart', lines, all.length === 0 ? '' : `${range} since ${formatTime(new Date(first))}`);
}

/** Draws how many shares are offered from the best price up to each other one. */
function drawDepth({ bids, asks }: Book): void {
  const sides = [bids, asks].map((levels) => {
    let total = 0;
    const isNear = ({ price }: { price: string }) => Math.abs(Number(price) - Number(levels[0]?.price)) <= MAX_FAR;
    return levels.filter(isNear).map(({ price, size }) => {
      total += Number(size);
      return { price: Number(price), total };
    });
  });
  const prices = sides.flat().map(({ price }) => price);
  const most = Math.max(0, ...sides.flat().map(({ total }) => total));
  const [x, y] = [scale(Math.min(...prices), Math.max(...prices)), scale(most, 0)];
  const lines = sides.map((side) => {
    const steps = side.map(({ price, total }, at) => `${at === 0 ? `M${x(price)} 100` : `H${x(price)}`}V${y(total)}`);
    return steps.length === 0 ? '' : `${steps.join('')}V100Z`;
  });
  draw('depth', lines, `up to ${formatShares(String(most))} shares a side`);
}

/** Creates the pictures of prices, by what the page itself has read since it was opened, and of the depth. */
export function createChart() {
  const known = new Map<string, readonly Sample[]>();
  let tick = '';
  return {
    /** Adds what is known now of an outcome, without a book a gap, and draws the outcome. */
    add: (tokenId: string, book?: Book) => {
      const prices = [book?.bids[0]?.price, book?.asks[0]?.price, book?.last_trade_price];
      const sample: Sample = [Date.now(), prices.map((price) => (price ? Number(price) : undefined))];
      const samples = [...(known.get(tokenId) ?? []), sample].slice(-MAX_SAMPLES);
      known.set(tokenId, samples);
      if (book) tick = book.tick_size;
      drawPrices(samples, tick);
      if (book) drawDepth(book);
    },
  };
}
