import { arch, cpus, release, totalmem, type } from 'node:os';
import type { Row, Sample, Target } from './bench.ts';
import { percentile, type Summary, summarise } from './statistics.ts';

/** One line of the table with what was measured. */
export interface Result extends Row {
  readonly value: Summary;
  readonly against: Summary;
  /** Of the rounds' ratios, not of the medians: both sides of a round had the same machine. Of percentiles, of these. */
  readonly ratio: Summary;
  /** Response times behind a percentile, on the side that has fewer. */
  readonly times?: number;
  readonly verdict: 'ok' | 'missed' | 'info' | 'failed';
  readonly errors: number;
  /** The reason for fewer rounds than asked for, or none. */
  readonly failure?: string;
  readonly samples: readonly Omit<Sample, 'times'>[];
}

function judge(ratio: number, errors: number, target: Target | undefined): Result['verdict'] {
  if (!target) return 'info';
  if ('exactly' in target) return ratio === target.exactly && errors === 0 ? 'ok' : 'missed';
  return ('atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast) ? 'ok' : 'missed';
}

/** Takes the percentiles of all rounds together: a round alone has too few slow answers to tell how slow they are. */
function pool({ percentile: share }: Row, samples: readonly Sample[]) {
  if (share === undefined) return undefined;
  const [ours, theirs] = [
    samples.flatMap(({ times }) => times?.value ?? []),
    samples.flatMap(({ times }) => times?.baseline ?? []),
  ];
  return {
    value: percentile(ours, share),
    against: percentile(theirs, share),
    times: Math.min(ours.length, theirs.length),
  };
}

/** Sums up the rounds of a row, and holds them against its target. */
export function summariseRow(row: Row, samples: readonly Sample[], failure: string | undefined): Result {
  const pooled = pool(row, samples);
  const summary = (values: readonly number[], middle: number | undefined): Summary => ({
    ...summarise(values),
    ...(middle !== undefined && { middle }),
  });
  const ratios = samples.map(({ value, baseline }) => value / baseline);
  const ratio = summary(ratios, pooled && pooled.value / pooled.against);
  const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
  return {
    ...row,
    value: summary(
      samples.map(({ value }) => value),
      pooled?.value,
    ),
    against: summary(
      samples.map(({ baseline }) => baseline),
      pooled?.against,
    ),
    ratio,
    ...(pooled && { times: pooled.times }),
    verdict: failure === undefined ? judge(ratio.middle, errors, row.target) : 'failed',
    ...(failure !== undefined && { failure }),
    errors,
    samples: samples.map(({ times: _times, ...sample }) => sample),
  };
}

/** Three significant digits, without an exponent. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function targetOf({ target }: Row): string {
  if (!target) return '–';
  if ('exactly' in target) return `${target.exactly}x`;
  return 'atMost' in target ? `≤ ${target.atMost}x` : `≥ ${target.atLeast}x`;
}

function line(result: Result): string {
  const { figure, baseline, unit, value, against, ratio, verdict, errors } = result;
  const digits = unit === 'trips' || unit === 'orders' ? (n: number) => String(n) : short;
  const cells = [
    figure,
    `${digits(value.middle)} ${unit}`,
    `${baseline}: ${digits(against.middle)} ${unit}`,
    `${ratio.middle.toFixed(2)}x (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    targetOf(result),
    errors > 0 ? `${verdict}, ${errors} errors` : verdict,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The table in Markdown, for a terminal and for docs/performance.md. */
export function formatTable(results: readonly Result[]): string {
  const head = [
    '| figure | measured | baseline, same run | ratio (spread) | target | |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  return [...head, ...results.map(line)].join('\n');
}

/** Writes how many response times are behind the percentiles, the most first. */
export function formatCounts(results: readonly Result[]): string {
  const rows = Map.groupBy(results, ({ times }) => times);
  const counts = [...rows].flatMap(([times, of]) =>
    times === undefined ? [] : [{ times, names: of.map(({ name }) => name) }],
  );
  const parts = counts
    .toSorted((a, b) => b.times - a.times)
    .map(({ times, names }) => `${times} (${names.join(', ')})`);
  return parts.length === 0 ? '' : `Response times behind the percentiles, on each side: ${parts.join('; ')}.\n`;
}

/** Describes the machine that a report comes from. */
export function describeMachine() {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memory,
    system: `${type()} ${release()} ${arch()}`,
    node: process.version,
  };
}
