import type { Book } from '../client/client.ts';
import { part, say } from './dom.ts';
import { formatPrice, formatShares, formatTime } from './figures.ts';

/** What the page has read of one book at one time; nothing where there was no answer. Numbers do for a picture. */
interface Sample {
  readonly at: number;
  readonly bid?: number;
  readonly ask?: number;
  readonly last?: number;
}

/** Samples that are kept of an outcome; of more, every second one goes. */
const MAX_SAMPLES = 600;
/** Time that the picture spans at least. */
const MIN_SPAN_MS = 60_000;
/** Levels of each side in the picture of the depth: far ones would hide the near ones. */
const MAX_DEPTH = 15;
/** Side of the square in which each picture is drawn. */
const SIDE = 100;
const LINES = ['bid', 'ask', 'last'] as const;

function sampleOf(book: Book | undefined): Sample {
  const prices = { bid: book?.bids[0]?.price, ask: book?.asks[0]?.price, last: book?.last_trade_price };
  const known = Object.entries(prices).flatMap(([name, price]) => (price ? [[name, Number(price)]] : []));
  return { at: Date.now(), ...Object.fromEntries(known) };
}

/** Returns a function from values to places in the square. */
function scale(least: number, most: number) {
  return (value: number) => Math.round(((value - least) / (most - least || 1)) * SIDE * 100) / 100;
}

function draw(id: string, line: string, d: string): void {
  part(id).querySelector(`path.${line}`)?.setAttribute('d', d);
}

/** Draws each price as a line in steps; a gap in the samples is one in the line. */
function drawPrices(samples: readonly Sample[], tick: string): void {
  const [prices, now] = [samples.flatMap((sample) => LINES.flatMap((line) => sample[line] ?? [])), Date.now()];
  const [first, low, high] = [samples[0]?.at ?? now, Math.min(...prices), Math.max(...prices)];
  const [x, y] = [
    scale(first, Math.max(now, first + MIN_SPAN_MS)),
    scale(low - Number(tick) / 2, high + Number(tick) / 2),
  ];
  for (const line of LINES) {
    const steps = samples.map((sample, index) => {
      const price = sample[line];
      if (price === undefined) return '';
      const [height, isNew] = [SIDE - y(price), samples[index - 1]?.[line] === undefined];
      return `${isNew ? `M${x(sample.at)} ` : 'V'}${height}H${x(samples[index + 1]?.at ?? now)}`;
    });
    draw('chart', line, steps.join(''));
  }
  const range = [low, high].map((price) => formatPrice(String(price), tick)).join(' to ');
  say('chart-range', prices.length === 0 ? '' : `${range} since ${formatTime(new Date(first))}`);
}

/** Draws how many shares are offered from the best price up to each other one. */
function drawDepth({ bids, asks }: Book): void {
  const sides = [bids, asks].map((levels) => {
    let total = 0;
    return levels.slice(0, MAX_DEPTH).map(({ price, size }) => {
      total += Number(size);
      return { price: Number(price), total };
    });
  });
  const [prices, totals] = [sides.flat().map(({ price }) => price), sides.flat().map(({ total }) => total)];
  const [x, y] = [scale(Math.min(...prices), Math.max(...prices)), scale(0, Math.max(...totals))];
  for (const [index, side] of sides.entries()) {
    const steps = side.map(
      ({ price, total }, at) => `${at === 0 ? `M${x(price)} ${SIDE}` : `H${x(price)}`}V${SIDE - y(total)}`,
    );
    draw('depth', index === 0 ? 'bid' : 'ask', steps.length === 0 ? '' : `${steps.join('')}V${SIDE}Z`);
  }
  say('depth-range', totals.length === 0 ? 'none' : `up to ${formatShares(String(Math.max(...totals)))} shares a side`);
}

/** Creates the pictures of prices, by what the page itself has read since it was opened, and of the depth. */
export function createChart() {
  const known = new Map<string, readonly Sample[]>();
  return {
    /** Adds what is known now of an outcome, without a book a gap, and draws the outcome. */
    add: (tokenId: string, book?: Book) => {
      const all = [...(known.get(tokenId) ?? []), sampleOf(book)];
      const samples = all.length <= MAX_SAMPLES ? all : all.filter((_sample, index) => index % 2 === 0);
      known.set(tokenId, samples);
      drawPrices(samples, book?.tick_size ?? '');
      if (book) drawDepth(book);
    },
  };
}
