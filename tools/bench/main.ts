import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flag, oneOf, runCommand, wholeNumber } from '../../operator/command-line.ts';
import { type Bench, describeMachine, formatTable, measure, type Result } from './bench.ts';
import { coldStart, cost } from './lambda-rows.ts';
import { ROOT } from './processes.ts';
import { bookRate, firstOrder, memory, orderLatency, orderRate, roundTrips, start } from './rows.ts';

const BENCHES = [roundTrips, orderLatency, bookRate, orderRate, firstOrder, start, memory, coldStart, cost];
const NAMES = BENCHES.flatMap(({ rows }) => Object.keys(rows));

const FULL = { rounds: 5, scale: 1 };
/** Enough to show a change of a tenth. */
const QUICK = { rounds: 3, scale: 0.2 };

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

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], rounds }) => {
  const usual = quick ? QUICK : FULL;
  const extent = { ...usual, ...(rounds !== undefined && { rounds: wholeNumber('rounds', rounds, [1, 100]) }) };
  const names = only.map((name) => oneOf('only', name, NAMES));
  const isWanted = ({ rows }: Bench) => names.length === 0 || names.some((name) => name in rows);
  const results: Result[] = [];
  for (const bench of BENCHES.filter(isWanted)) {
    const measured = await measure(bench, extent);
    results.push(...measured);
    for (const { name, verdict, ratio, failure = '' } of measured)
      process.stderr.write(`${name}: ${ratio.toFixed(2)}x ${verdict} ${failure}\n`);
  }
  const [machine, date] = [describeMachine(), new Date().toISOString()];
  await mkdir(join(ROOT, 'build'), { recursive: true });
  await writeFile(join(ROOT, 'build/bench.json'), `${JSON.stringify({ date, machine, results }, null, 2)}\n`);
  process.stdout.write(`${formatTable(results)}\n\n${machine}; ${date}\n`);
  return results.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
});
