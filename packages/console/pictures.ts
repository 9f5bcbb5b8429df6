import type { Book } from '../client/client.ts';
import { formatPrice, formatShares, formatTime, shorten } from './figures.ts';

/** What a picture shows: places from left to right, and for each line its height there, `null` where it has none. */
export interface Picture {
  readonly places: readonly number[];
  readonly lines: readonly (readonly (number | null)[])[];
  readonly least: number;
  readonly most: number;
  /** The two labels of each axis, by their places. */
  readonly across: readonly Label[];
  readonly up: readonly Label[];
}
export type Label = readonly [at: number, text: string];

/** How a line is drawn: in the colour of the part of the legend that a selector finds. */
export interface Stroke {
  readonly colour: string;
  /** On which side of its place a height holds: 1 up to the next one, -1 from the one before. */
  readonly holds: 1 | -1;
  readonly isFilled?: boolean;
}

/** Last trade, best bid and best ask from a time on; none where there was no answer. Numbers do for a picture. */
export type Sample = readonly [at: number, prices: readonly (number | null)[]];

/** A picture of less time shows nothing yet. */
const MIN_SPAN_MS = 10_000;
/** Distance of a level from the best one up to which the picture of the depth has it: far ones would hide the near ones. */
const MAX_FAR = 0.15;

/** Room beside the farthest levels, as a part of the way between them. */
const MARGIN = 0.05;

/** Each price as a line in steps. */
export const PRICES: readonly Stroke[] = ['.last', '.bid', '.ask'].map((colour) => ({ colour, holds: 1 }));
export const DEPTH: readonly Stroke[] = [
  { colour: '.bid', holds: -1, isFilled: true },
  { colour: '.ask', holds: 1, isFilled: true },
];

/** Returns each price as a line in steps, with a gap where nothing was read; `undefined` until there is something to see. */
export function pricesOf(samples: readonly Sample[], tick: string, now: number): Picture | undefined {
  const [[first = 0] = []] = samples;
  const all = samples.flatMap(([, prices]) => prices).filter((price) => price !== null);
  if (all.length === 0 || now - first < MIN_SPAN_MS) return undefined;
  const [low, high, room] = [Math.min(...all), Math.max(...all), Number(tick) / 2];
  const label = (at: number) => [at, formatTime(new Date(at))] as const;
  const [, last = []] = samples.at(-1) ?? [];
  return {
    places: [...samples.map(([at]) => at), now],
    lines: PRICES.map((_stroke, line) => [...samples.map(([, prices]) => prices[line] ?? null), last[line] ?? null]),
    ...{ least: low - room, most: high + room, across: [label(first), label(now)] },
    up: [...new Set([low, high])].map((price) => [price, formatPrice(String(price), tick)]),
  };
}

/** Returns how many shares are offered from the best price up to each other one. */
export function depthOf({ bids, asks, tick_size: tick }: Book): Picture | undefined {
  const sides = [bids, asks].map((levels) => {
    let total = 0;
    const isNear = ({ price }: { price: string }) => Math.abs(Number(price) - Number(levels[0]?.price)) <= MAX_FAR;
    const points = levels.filter(isNear).map(({ price, size }) => {
      total += Number(size);
      return [Number(price), total] as const;
    });
    return new Map(points);
  });
  const places = [...new Set(sides.flatMap((side) => [...side.keys()]))].toSorted((one, other) => one - other);
  const [from, to] = [places[0], places.at(-1)];
  if (from === undefined || to === undefined || from === to) return undefined;
  const most = Math.max(...sides.flatMap((side) => [...side.values()]));
  // The farthest levels hold on beyond their price: a step, where they would be a stroke.
  const room = MARGIN * (to - from);
  const lines = sides.map((side, index) => {
    const line = places.map((place) => side.get(place) ?? null);
    return index === 0 ? [line[0] ?? null, ...line, null] : [null, ...line, line.at(-1) ?? null];
  });
  return {
    ...{ places: [from - room, ...places, to + room], lines, least: 0, most },
    across: [from, to].map((price) => [price, formatPrice(String(price), tick)]),
    up: [most / 2, most].map((sum) => [sum, shorten(formatShares(String(sum))).replace(/\.\d\d$/, '')]),
  };
}
