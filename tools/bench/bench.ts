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

const PAGES = 'its pages, one after the other';

const ROWS = {
  'trips-cold-order': ['venue round trips in a row, cold order', FEWEST, 'trips', 1],
  'trips-warm-order': ['venue round trips in a row, warm order', FEWEST, 'trips', 1],
  'trips-book': ['venue round trips in a row, book', FEWEST, 'trips', 1],
  'trips-markets': ['venue round trips in a row, markets of one page', FEWEST, 'trips', 1],
  'order-p50': ['order p50, venue at 25 ms', `${PROXY}, p50`, 'ms', 1.08],
  'order-p99': ['order p99, venue at 25 ms', `${PROXY}, p99`, 'ms', 1.25, 0.99],
  'book-rate': ['book, 10 connections, venue at 0 ms', PROXY, 'req/s', 0.4],
  'order-rate': ['orders, 10 connections, venue at 0 ms', 'official client in process', 'req/s', 1.4],
  'first-order': ['first order of a fresh process, venue at 25 ms', 'official client, fresh process', 'ms', 0.7],
  'start-orders': ['start to listening, order-placing', 'node -e 0', 'ms', 7.5],
  'start-reads': ['start to listening, read-only', 'node -e 0', 'ms', 6.5],
  'memory-orders': ['resident memory at listening, order-placing', PROXY, 'MB', 1.5],
  'memory-reads': ['resident memory at listening, read-only', PROXY, 'MB', 1.25],
  'look-requests': ['follow: requests of a look, 1,000 orders, 2,000 trades', FEWEST, 'trips', 1],
  'look-time': ['follow: that look, venue at 25 ms', PAGES, 'ms', 2],
  'cold-health': ['Lambda cold start, init + first request, health', EMPTY, 'ms', 1.2],
  'cold-book': ['Lambda cold start, init + first request, book', EMPTY, 'ms', 1.6],
  'cold-orders': ['Lambda cold start, init + first request, orders', EMPTY, 'ms', 4],
} as const satisfies Readonly<Record<string, Row>>;

type RowName = keyof typeof ROWS;

/** The values of one row in one round. */
interface Sample {
  readonly row: RowName;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Measures some rows together, a sample of each in a round, until it is stopped. `scale`: the share of the full load. */
export type Bench = (scale: number) => AsyncGenerator<readonly Sample[], void>;

const PROCESSES = 3;

/** Measures with three processes of each side in turn, of which each warms up: two of one program differ by 4 %. */
export function byThree(bench: Bench): Bench {
  return async function* (scale) {
    const each = Array.from({ length: PROCESSES }, () => bench(scale));
    try {
      for (const one of each) await one.next();
      for (let turn = 0; ; turn += 1) {
        const result = await each[turn % PROCESSES]?.next();
        if (result?.done !== false) return;
        yield result.value;
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

/** Writes a line of the table in Markdown, for a terminal and for docs/performance.md. */
function lineOf(name: RowName, samples: readonly Sample[]): string {
  const [figure, baseline, unit, target, share]: Row = ROWS[name];
  const of = (side: 'ours' | 'theirs') => samples.flatMap((sample) => sample[side]);
  // Both sides of a round had the same machine.
  const ratios = samples.map(({ ours, theirs }) => percentile(ours, share) / percentile(theirs, share));
  const ratio = percentile(ratios);
  const digits = (value: number) => {
    if (unit === 'trips') return String(value);
    return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  };
  const isMet = unit === 'req/s' ? ratio >= target : ratio <= target;
  const cells = [
    figure,
    `${digits(percentile(of('ours'), share))} ${unit}`,
    `${baseline}: ${digits(percentile(of('theirs'), share))} ${unit}`,
    `${ratio.toFixed(2)}x (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    `${unit === 'req/s' ? '≥' : '≤'} ${target}x`,
    isMet ? 'ok' : 'missed',
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** Measures the rows of a bench, and writes their lines. The first round warms up, and does not count. */
export async function measure(bench: Bench, rounds: number, scale: number): Promise<string> {
  const measured: (readonly Sample[])[] = [];
  for await (const round of bench(scale)) if (measured.push(round) > rounds) break;
  const byRow = Map.groupBy(measured.slice(1).flat(), ({ row }) => row);
  return [...byRow].map(([name, samples]) => lineOf(name, samples)).join('');
}
