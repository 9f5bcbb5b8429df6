import { arch, cpus, release, totalmem, type } from 'node:os';

/** One line of the table. `target`: a ratio of ours to the baseline. */
export interface Row {
  readonly figure: string;
  readonly baseline: string;
  readonly unit: 'ms' | 'req/s' | 'MB' | 'trips' | 'USD';
  readonly target: { readonly atMost: number } | { readonly atLeast: number };
  /** For a percentile of response times: all rounds are taken together, since one has too few slow answers. */
  readonly percentile?: 0.5 | 0.99;
}

/** One round of one row. `times`: all response times in milliseconds, for a percentile. */
export interface Sample {
  readonly value: number;
  readonly baseline: number;
  readonly errors?: number;
  readonly times?: { readonly value: readonly number[]; readonly baseline: readonly number[] };
}

/** The size of a run: `scale` is the share of the full load. */
export interface Extent {
  readonly rounds: number;
  readonly scale: number;
}

/** Rows by their names, which are measured together. Each round yields a sample of each row. */
export interface Bench {
  readonly rows: Readonly<Record<string, Row>>;
  rounds(extent: Extent): AsyncGenerator<Readonly<Record<string, Sample>>>;
}

/** A row with its measurements. */
export interface Result extends Row {
  readonly name: string;
  readonly value: number;
  readonly against: number;
  /** The median of the rounds' ratios: both sides of a round had the same machine. */
  readonly ratio: number;
  readonly spread: readonly [number, number];
  readonly verdict: 'ok' | 'missed' | 'failed';
  readonly errors: number;
  readonly failure: string | undefined;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the median: the lower one of two. */
export function median(values: readonly number[]): number {
  return percentile(values, (values.length - 1) / 2 / values.length);
}

/** Runs both, the baseline first in every other round: the second of two loads finds the machine warmer. */
export async function inTurn<A, B>(round: number, ours: () => Promise<A>, theirs: () => Promise<B>): Promise<[A, B]> {
  if (round % 2 !== 0) return [await ours(), await theirs()];
  const other = await theirs();
  return [await ours(), other];
}

function summarise(name: string, row: Row, samples: readonly Sample[], failure: string | undefined): Result {
  const ratios = samples.map(({ value, baseline }) => value / baseline);
  const of = (side: 'value' | 'baseline') =>
    row.percentile === undefined
      ? median(samples.map((sample) => sample[side]))
      : percentile(
          samples.flatMap(({ times }) => times?.[side] ?? []),
          row.percentile,
        );
  const [value, against] = [of('value'), of('baseline')];
  const ratio = row.percentile === undefined ? median(ratios) : value / against;
  const isMet = 'atMost' in row.target ? ratio <= row.target.atMost : ratio >= row.target.atLeast;
  const verdict = failure === undefined ? (isMet ? 'ok' : 'missed') : 'failed';
  const errors = samples.reduce((sum, sample) => sum + (sample.errors ?? 0), 0);
  const spread = [Math.min(...ratios), Math.max(...ratios)] as const;
  return { ...row, name, value, against, ratio, spread, verdict, errors, failure };
}

/** Measures the rows of a bench. After a failure it keeps the finished rounds, and the reason. */
export async function measure(bench: Bench, extent: Extent): Promise<readonly Result[]> {
  const measured: Readonly<Record<string, Sample>>[] = [];
  let failure: string | undefined;
  try {
    for await (const round of bench.rounds(extent)) if (measured.push(round) === extent.rounds) break;
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  return Object.entries(bench.rows).map(([name, row]) => {
    const samples = measured.flatMap((round) => round[name] ?? []);
    return summarise(name, row, samples, failure);
  });
}

/** Writes three significant digits, without an exponent. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function line({ figure, baseline, unit, value, against, ratio, spread, target, verdict, errors }: Result): string {
  const digits = unit === 'trips' ? String : short;
  const cells = [
    figure,
    `${digits(value)} ${unit}`,
    `${baseline}: ${digits(against)} ${unit}`,
    `${ratio.toFixed(2)}x (${spread.map((end) => end.toFixed(2)).join('–')})`,
    'atMost' in target ? `≤ ${target.atMost}x` : `≥ ${target.atLeast}x`,
    errors > 0 ? `${verdict}, ${errors} errors` : verdict,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Writes the table in Markdown, for a terminal and for docs/performance.md. */
export function formatTable(results: readonly Result[]): string {
  const head = '| figure | measured | baseline, same run | ratio (spread) | target | |';
  return [head, '| --- | --- | --- | --- | --- | --- |', ...results.map(line)].join('\n');
}

/** Describes the machine of a report. */
export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = `${type()} ${release()} ${arch()}`;
  return `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${memory}, ${system}, Node ${process.version}`;
}
