import type { Book } from '../client/client.ts';
import { part, say } from './dom.ts';
import { formatTime } from './figures.ts';
import { DEPTH, depthOf, type Picture, PRICES, pricesOf, type Sample } from './pictures.ts';

/** Samples that are kept of an outcome: an hour of a book that changes each second. */
const MAX_SAMPLES = 3_600;

/** Creates the pictures of prices, by what the page itself has read since it was opened, and of the depth. */
export function createChart() {
  const known = new Map<string, readonly Sample[]>();
  let tick = '';
  let draw: ((id: string, picture: Picture | undefined) => void) | undefined;

  /** Loads what draws, once the first book is on the screen. */
  async function load(): Promise<void> {
    draw = () => undefined;
    const { createPlot } = await import('./plot.ts');
    const plots = { chart: createPlot(part('chart'), PRICES), depth: createPlot(part('depth'), DEPTH) };
    draw = (id, picture) => {
      part(id).classList.toggle('blank', !picture);
      if (picture) plots[id === 'chart' ? 'chart' : 'depth'].draw(picture);
    };
  }

  return {
    /** Hides the pictures of another outcome. */
    clear: () => {
      for (const id of ['chart', 'depth']) part(id).classList.add('blank');
    },
    /** Adds what is known now of an outcome, without a book a gap, and draws the outcome. */
    add: (tokenId: string, book?: Book) => {
      if (book) tick = book.tick_size;
      const prices = [book?.last_trade_price, book?.bids[0]?.price, book?.asks[0]?.price];
      const sample: Sample = [Date.now(), prices.map((price) => (price ? Number(price) : null))];
      const samples = [...(known.get(tokenId) ?? []), sample].slice(-MAX_SAMPLES);
      known.set(tokenId, samples);
      if (book && !draw) {
        void load().catch(() => {
          draw = undefined;
        });
      }
      const [[first = 0] = []] = samples;
      say('chart-range', `since ${formatTime(new Date(first))}`);
      draw?.('chart', pricesOf(samples, tick, Date.now()));
      if (book) draw?.('depth', depthOf(book));
    },
  };
}
