/** A line of the table. The target is a ratio of ours to the baseline: at least that for a rate, at most that otherwise. */
type Row = readonly [
  figure: string,
  baseline: string,
  unit: 'ms' | 'MB' | 'req/s' | 'trips',
  target: number,
  percentile?: number,
];

const PROXY = 'bare node:http proxy';
const EMPTY = 'empty handler, same runtime client';
const FEWEST = 'the fewest that can do';

const FEW = '1,000 records';

const PAGES = 'its pages, one after the other';

/** The lines of the table by name, in their order. */
export const ROWS = {
  'trips-cold-order': ['venue round trips in a row, cold order', FEWEST, 'trips', 1],
  'trips-warm-order': ['venue round trips in a row, warm order', FEWEST, 'trips', 1],
  'trips-book': ['venue round trips in a row, book', FEWEST, 'trips', 1],
  'trips-markets': ['venue round trips in a row, markets of one page', FEWEST, 'trips', 1],
  'order-p50': ['order p50, venue at 25 ms', `${PROXY}, p50`, 'ms', 1.08],
  'order-p99': ['order p99, venue at 25 ms', `${PROXY}, p99`, 'ms', 1.2, 0.99],
  'book-rate': ['book, 10 connections, venue at 0 ms', 'node:http proxy that parses and writes JSON', 'req/s', 0.55],
  'order-rate': [
    'orders, 10 connections, venue at 0 ms',
    'official client in process, two flushed lines',
    'req/s',
    1.6,
  ],
  'first-order': ['first order of a fresh process, venue at 25 ms', 'official client, two flushed lines', 'ms', 0.7],
  'start-orders': ['start to listening, order-placing', 'official client loaded', 'ms', 0.5],
  'start-reads': ['start to listening, read-only', 'official client loaded', 'ms', 0.4],
  'memory-orders': ['resident memory at listening, order-placing', PROXY, 'MB', 1.5],
  'memory-reads': ['resident memory at listening, read-only', PROXY, 'MB', 1.25],
  'cache-requests': ['requests at the venue, 1,000 reads of one book through nginx', 'without nginx', 'trips', 0.1],
  'look-requests': ['follow: requests of a look, 1,000 orders, 2,000 trades', FEWEST, 'trips', 1],
  'look-time': ['follow: that look, venue at 25 ms', PAGES, 'ms', 2],
  'scale-show': ['1,000,000 records: show', FEW, 'ms', 1.3],
  'scale-open': ['1,000,000 records: open, 100 orders rest', FEW, 'ms', 1.3],
  'scale-fills': ['1,000,000 records: fills, 500', FEW, 'ms', 1.3],
  'scale-positions': ['1,000,000 records: positions by client, 2,000 trades', FEW, 'ms', 1.3],
  'scale-look': ['1,000,000 records: a first look of the follower', FEW, 'ms', 1.3],
  'scale-memory': ['1,000,000 records: memory of positions', FEW, 'MB', 1.2],
  'scale-start': ['1,000,000 records: start to listening', FEW, 'ms', 1.3],
  'scale-order': ['1,000,000 records: keyed order p50', FEW, 'ms', 1.3],
  'scale-repeat': ['1,000,000 records: repeat of a key, p50', FEW, 'ms', 1.3],
  'cold-health': ['Lambda cold start, init + first request, health', EMPTY, 'ms', 1.2],
  'cold-book': ['Lambda cold start, init + first request, book', EMPTY, 'ms', 1.6],
  'cold-orders': ['Lambda cold start, init + first request, orders', EMPTY, 'ms', 3.8],
} as const satisfies Readonly<Record<string, Row>>;

export type RowName = keyof typeof ROWS;

/** The values of one row in one round. */
interface Sample {
  readonly row: RowName;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Measures some rows together, a sample of each in a round, until it is stopped. `scale`: the share of the full load. */
export type Bench = (scale: number) => AsyncGenerator<readonly Sample[], void>;

const PROCESSES = 3;

/**
 * Measures with three processes of each side in turn: two of one program differ by 4 %. The first round of each warms it up; the
 * last of these is this bench's first.
 */
export function byThree(bench: Bench): Bench {
  return async function* (scale) {
    const each = Array.from({ length: PROCESSES }, () => bench(scale));
    try {
      for (let turn = 0; ; turn += 1) {
        const result = await each[turn % PROCESSES]?.next();
        if (result?.done !== false) return;
        if (turn >= PROCESSES - 1) yield result.value;
      }
    } finally {
      for (const one of each) await one.return();
    }
  };
}

let isOddTurn = false;

/** Runs both, every other time the baseline first: the second of two loads finds the machine warmer. */
export async function inTurn<T>(ours: () => Promise<T>, theirs: () => Promise<T>): Promise<readonly [T, T]> {
  isOddTurn = !isOddTurn;
  if (isOddTurn) return [await ours(), await theirs()];
  const other = await theirs();
  return [await ours(), other];
}

/** Takes values of both sides, in turn. */
export async function takePairs(
  row: RowName,
  count: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Sample> {
  const pairs: (readonly [number, number])[] = [];
  while (pairs.length < count) pairs.push(await inTurn(ours, theirs));
  return { row, ours: pairs.map(([own]) => own), theirs: pairs.map(([, other]) => other) };
}

function percentile(values: readonly number[], share = 0.5): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Our value, that of the baseline, and their ratio, in one round or as medians of a run. */
export type Figure = readonly [ours: number, theirs: number, ratio: number];

/** Measures the rows of a bench: a figure for each round. The first round warms up, and does not count. */
export async function measure(bench: Bench, rounds: number, scale: number): Promise<Map<RowName, Figure[]>> {
  const measured: (readonly Sample[])[] = [];
  for await (const round of bench(scale)) if (measured.push(round) > rounds) break;
  const figures = new Map<RowName, Figure[]>();
  for (const { row, ours, theirs } of measured.slice(1).flat()) {
    const [, , , , share]: Row = ROWS[row];
    const [own, other] = [percentile(ours, share), percentile(theirs, share)];
    // Both sides of a round had the same machine.
    figures.set(row, [...(figures.get(row) ?? []), [own, other, own / other]]);
  }
  return figures;
}

/** Returns the medians of figures. */
export function medianOf(figures: readonly Figure[]): Figure {
  return [
    percentile(figures.map(([ours]) => ours)),
    percentile(figures.map(([, theirs]) => theirs)),
    percentile(figures.map(([, , ratio]) => ratio)),
  ];
}

export const HEAD = `| figure | measured | baseline, same run | ratio (spread) | target | |
| --- | --- | --- | --- | --- | --- |
`;

/** Writes the line of a row in Markdown. `judged`: the ratio that the target is compared with. */
export function lineOf(name: RowName, figures: readonly Figure[], judged: 'median' | 'worst'): string {
  const [figure, baseline, unit, target]: Row = ROWS[name];
  const isRate = unit === 'req/s';
  const [ours, theirs, ratio] = medianOf(figures);
  const ratios = figures.map((each) => each[2]);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const worst = isRate ? least : most;
  const value = judged === 'worst' ? worst : ratio;
  const digits = (number: number) => {
    if (unit === 'trips') return String(number);
    return number >= 100 ? number.toFixed(0) : number.toPrecision(3);
  };
  const cells = [
    figure,
    `${digits(ours)} ${unit}`,
    `${baseline}: ${digits(theirs)} ${unit}`,
    `${ratio.toFixed(2)}x (${least.toFixed(2)}–${most.toFixed(2)})`,
    `${isRate ? '≥' : '≤'} ${target}x`,
    (isRate ? value >= target : value <= target) ? 'ok' : 'missed',
  ];
  return `| ${cells.join(' | ')} |\n`;
}
