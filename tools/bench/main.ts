import { arch, cpus, totalmem, type } from 'node:os';
import { flag, oneOf, option, runCommand, UsageError, wholeNumber } from '../../local/command-line.ts';
import { type Bench, HEAD, lineOf, measure, medianOf } from './bench.ts';
import { CACHE_BENCHES } from './cache-rows.ts';
import { follow } from './follow-rows.ts';
import { functions } from './lambda-rows.ts';
import { LOCAL_BENCHES } from './rows.ts';
import { keepRuns, readRuns, withOpenRun } from './runs.ts';
import { scale } from './scale-rows.ts';

const BENCHES: Readonly<Record<string, Bench>> = { ...LOCAL_BENCHES, ...CACHE_BENCHES, follow, scale, functions };

/** Two rounds of each of three processes. */
const FULL = { rounds: 6, scale: 1 };
/** Enough to show a change of a tenth. */
const QUICK = { rounds: 3, scale: 0.2 };

const COMMAND = {
  purpose: 'Measures the service against baselines of the same run. Prints a table.',
  usage: 'npm run bench -- [options]',
  options: {
    quick: flag(`${QUICK.rounds} rounds of a fifth of the load, instead of ${FULL.rounds} full ones`),
    only: {
      ...option('NAME', `measure this part; may be given repeatedly: ${Object.keys(BENCHES).join(', ')}`),
      multiple: true,
    },
    write: flag(
      'keep the run, or what is missing of a run of today, and put the newest three into docs/performance.md',
    ),
    rounds: option('N', 'rounds of each row, besides the first one, which warms up'),
  },
} as const;

const print = (text: string) => process.stdout.write(text);

/** Measures a part, and prints its lines. Returns the medians of its rows; `undefined` where it failed. */
async function measurePart(name: string, bench: Bench, rounds: number, scale: number) {
  try {
    const measured = [...(await measure(bench, rounds, scale))];
    for (const [row, figures] of measured) print(lineOf(row, figures, 'median'));
    return Object.fromEntries(measured.map(([row, figures]) => [row, medianOf(figures)]));
  } catch (error) {
    print(`| ${name} | failed: ${error instanceof Error ? error.message : error} | | | | failed |\n`);
    return undefined;
  }
}

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], write, rounds: wanted }) => {
  if (write && (quick || only.length > 0 || wanted !== undefined))
    throw new UsageError('--write keeps whole runs only.');
  const { rounds, scale } = quick ? QUICK : FULL;
  const count = wanted === undefined ? rounds : wholeNumber('rounds', wanted, [1, 100]);
  const names = only.map((name) => oneOf('only', name, Object.keys(BENCHES)));
  const cores = `${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const machine = `${cores}, ${type()} ${arch()}, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  const [open, ...older] = write ? withOpenRun(await readRuns(), { date, machine }, Object.keys(BENCHES)) : [];
  const parts = { ...open?.parts };
  let failures = 0;
  print(HEAD);
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (name in parts || (names.length > 0 && !names.includes(name))) continue;
    const figures = await measurePart(name, bench, count, scale);
    if (!figures) failures += 1;
    else if (open) {
      parts[name] = figures;
      await keepRuns([{ ...open, parts }, ...older]);
    }
  }
  print(`\n${machine}; ${date}.\n`);
  return failures > 0 ? 1 : 0;
});
