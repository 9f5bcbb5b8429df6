import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { HEAD, lineOf, ROWS, type RowName } from './bench.ts';

const figures = z.record(z.string(), z.tuple([z.number(), z.number(), z.number()]).readonly());
const run = z.object({ date: z.string(), machine: z.string(), parts: z.record(z.string(), figures) });

/** The figures of one run on one machine: those of each row, by the part that measures it. */
export type Run = z.output<typeof run>;

/** Runs of the table. */
const KEPT = 3;

const FILE = new URL('runs.jsonl', import.meta.url);
const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BLOCK = /(?<=<!-- bench -->\n).*?(?=<!-- \/bench -->)/s;

const NAMES = new Set<string>(Object.keys(ROWS));
const isRow = (name: string): name is RowName => NAMES.has(name);

/** Reads the runs that were kept, the newest first. */
export async function readRuns(): Promise<readonly Run[]> {
  const lines = (await readFile(FILE, 'utf8')).split('\n');
  return lines.filter((line) => line !== '').map((line) => run.parse(JSON.parse(line)));
}

/** Returns the newest runs, of which the first is one of this machine and day that lacks some of the parts. */
export function withOpenRun(
  runs: readonly Run[],
  { date, machine }: Pick<Run, 'date' | 'machine'>,
  parts: readonly string[],
): readonly Run[] {
  const [newest] = runs;
  const isOpen = newest?.date === date && newest.machine === machine && parts.some((part) => !(part in newest.parts));
  return (isOpen ? runs : [{ date, machine, parts: {} }, ...runs]).slice(0, KEPT);
}

/** Writes the table of some runs: medians, their spread, and whether the worst of them meets the target. */
export function tableOf(runs: readonly Run[]): string {
  const lines = Object.keys(ROWS)
    .filter(isRow)
    .map((name) => {
      const figures = runs.flatMap(({ parts }) =>
        Object.values(parts).flatMap((rows) => (rows[name] ? [rows[name]] : [])),
      );
      return figures.length === 0 ? '' : lineOf(name, figures, 'worst');
    });
  const machines = Map.groupBy(runs, ({ date, machine }) => `${machine}; ${date}`);
  const each = [...machines].map(([name, { length }]) => `${length} of ${name}`);
  return `${HEAD}${lines.join('')}\nRuns: ${each.join('. ')}.\n`;
}

/** Keeps runs, and writes their table into docs/performance.md. */
export async function keepRuns(runs: readonly Run[]): Promise<void> {
  await writeFile(FILE, runs.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const page = await readFile(PAGE, 'utf8');
  await writeFile(
    PAGE,
    page.replace(BLOCK, () => tableOf(runs)),
  );
}
