import { arch, cpus, release, totalmem, type } from 'node:os';
import type { Row, Sample, Target } from './bench.ts';
import { type Summary, summarise } from './statistics.ts';

/** One line of the table with what was measured. */
export interface Result extends Row {
  readonly value: Summary;
  readonly against: Summary;
  /** Of the rounds' ratios, not of the medians: both sides of a round had the same machine. */
  readonly ratio: Summary;
  readonly verdict: 'ok' | 'missed' | 'info' | 'failed';
  readonly errors: number;
  /** Why there are fewer rounds than asked for, or none. */
  readonly failure?: string;
  readonly samples: readonly Sample[];
}

function judge(ratio: number, errors: number, target: Target | undefined): Result['verdict'] {
  if (!target) return 'info';
  if ('exactly' in target) return ratio === target.exactly && errors === 0 ? 'ok' : 'missed';
  return ('atMost' in target ? ratio <= target.atMost : ratio >= target.atLeast) ? 'ok' : 'missed';
}

export function summariseRow(row: Row, samples: readonly Sample[], failure: string | undefined): Result {
  const ratio = summarise(samples.map(({ value, baseline }) => value / baseline));
  const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
  return {
    ...row,
    value: summarise(samples.map(({ value }) => value)),
    against: summarise(samples.map(({ baseline }) => baseline)),
    ratio,
    verdict: failure === undefined ? judge(ratio.median, errors, row.target) : 'failed',
    ...(failure !== undefined && { failure }),
    errors,
    samples,
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
    `${digits(value.median)} ${unit}`,
    `${baseline}: ${digits(against.median)} ${unit}`,
    `${ratio.median.toFixed(2)}x (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
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
