import { arch, cpus, release, totalmem, type } from 'node:os';
import type { Row, Sample, Target } from './bench.ts';
import { median, percentile } from './statistics.ts';

/** One line of the table with its measurements. */
export interface Result extends Row {
  readonly value: number;
  readonly against: number;
  /** The median of the rounds' ratios: both sides of a round had the same machine. Percentiles: see `pool`. */
  readonly ratio: number;
  /** The smallest and the largest ratio of a round. */
  readonly spread: readonly [number, number];
  readonly verdict: 'ok' | 'missed' | 'failed';
  readonly errors: number;
  /** The reason for fewer rounds than asked for, or none. */
  readonly failure?: string;
  readonly samples: readonly Omit<Sample, 'times'>[];
}

function judge(ratio: number, target: Target): Result['verdict'] {
  return ('atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast) ? 'ok' : 'missed';
}

/** Takes a percentile of all rounds together: one round has too few slow answers. */
function pool(share: number, samples: readonly Sample[]) {
  const value = percentile(
    samples.flatMap(({ times }) => times?.value ?? []),
    share,
  );
  const against = percentile(
    samples.flatMap(({ times }) => times?.baseline ?? []),
    share,
  );
  return { value, against, ratio: value / against };
}

/** Sums up the rounds of a row, and compares them with its target. */
export function summariseRow(row: Row, samples: readonly Sample[], failure: string | undefined): Result {
  const ratios = samples.map(({ value, baseline }) => value / baseline);
  const summed =
    row.percentile === undefined
      ? {
          value: median(samples.map(({ value }) => value)),
          against: median(samples.map(({ baseline }) => baseline)),
          ratio: median(ratios),
        }
      : pool(row.percentile, samples);
  return {
    ...row,
    ...summed,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    verdict: failure === undefined ? judge(summed.ratio, row.target) : 'failed',
    ...(failure !== undefined && { failure }),
    errors: samples.reduce((sum, sample) => sum + sample.errors, 0),
    samples: samples.map(({ times: _times, ...sample }) => sample),
  };
}

/** Writes three significant digits, without an exponent. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function line({ figure, baseline, unit, value, against, ratio, spread, target, verdict, errors }: Result): string {
  const digits = unit === 'trips' ? (n: number) => String(n) : short;
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
  const head = [
    '| figure | measured | baseline, same run | ratio (spread) | target | |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return [...head, ...results.map(line)].join('\n');
}

/** Describes the machine of a report. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = `${type()} ${release()} ${arch()}`;
  return `${cpu?.model ?? 'unknown'}, ${cpus().length} cores, ${memory}, ${system}, Node ${process.version}`;
}
