import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flag, oneOf, runCommand, wholeNumber } from '../../operator/command-line.ts';
import { type Bench, type Extent, extentOf, type Sample } from './bench.ts';
import { ROOT } from './processes.ts';
import { describeMachine, formatTable, type Result, summariseRow } from './report.ts';
import { bookRate } from './rows/books.ts';
import { coldStart } from './rows/cold-start.ts';
import { cost } from './rows/cost.ts';
import { firstOrder } from './rows/first-order.ts';
import { memory } from './rows/memory.ts';
import { orderLatency, orderRate } from './rows/orders.ts';
import { roundTrips } from './rows/round-trips.ts';
import { start } from './rows/start.ts';

const BENCHES: readonly Bench[] = [
  roundTrips,
  orderLatency,
  bookRate,
  orderRate,
  firstOrder,
  start,
  memory,
  coldStart,
  cost,
];

const FULL = { rounds: 5, scale: 1 };
/** Enough to show a change of a tenth. */
const QUICK = { rounds: 3, scale: 0.2 };

const NAMES = BENCHES.flatMap(({ rows }) => rows.map(({ name }) => name));

const COMMAND = {
  purpose: 'Measures the service against baselines of the same run. Prints a table, and writes build/bench.json.',
  usage: 'npm run bench -- [options]',
  options: {
    quick: flag(`${QUICK.rounds} rounds of a fifth of the load, instead of ${FULL.rounds} full ones`),
    only: { type: 'string', value: 'NAME', multiple: true, meaning: 'measure this row; may be given repeatedly' },
    rounds: { type: 'string', value: 'N', meaning: 'rounds of each row' },
  },
  notes: `Rows, each measured together with its neighbours of the same bench:\n  ${NAMES.join(' ')}\n`,
} as const;

/** Measures the rows of a bench. After a failure it keeps the finished rounds, and the reason. */
async function run(bench: Bench, extent: Extent): Promise<readonly Result[]> {
  const samples = new Map<string, Sample[]>(bench.rows.map(({ name }) => [name, []]));
  let round = 0;
  let failure: string | undefined;
  try {
    for await (const measured of bench.rounds(extent)) {
      for (const [name, sample] of Object.entries(measured)) samples.get(name)?.push(sample);
      round += 1;
      if (round === extent.rounds) break;
    }
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  return bench.rows.map((row) => summariseRow(row, samples.get(row.name) ?? [], failure));
}

/** Measures one bench after the other, and reports each on standard error. */
async function runAll(benches: readonly Bench[], extent: Extent): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const bench of benches) {
    const measured = await run(bench, extent);
    results.push(...measured);
    for (const { name, verdict, ratio, failure = '' } of measured) {
      process.stderr.write(`${name}: ${ratio.toFixed(2)}x ${verdict} ${failure}\n`);
    }
  }
  return results;
}

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], rounds }) => {
  const usual = quick ? QUICK : FULL;
  const extent = extentOf(rounds === undefined ? usual.rounds : wholeNumber('rounds', rounds, [1, 100]), usual.scale);
  const names = new Set(only.map((name) => oneOf('only', name, NAMES)));
  const isWanted = ({ rows }: Bench) => names.size === 0 || rows.some(({ name }) => names.has(name));
  const results = await runAll(BENCHES.filter(isWanted), extent);
  const machine = describeMachine();
  const date = new Date().toISOString();
  await mkdir(join(ROOT, 'build'), { recursive: true });
  await writeFile(join(ROOT, 'build/bench.json'), `${JSON.stringify({ date, machine, results }, null, 2)}\n`);
  process.stdout.write(`${formatTable(results)}\n\n${machine}; ${date}\n`);
  return 0;
});
