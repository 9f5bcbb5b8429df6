import { arch, cpus, release, totalmem, type } from 'node:os';
import { flag, oneOf, option, runCommand, wholeNumber } from '../../operator/command-line.ts';
import { measure } from './bench.ts';
import { follow } from './follow-rows.ts';
import { functions } from './lambda-rows.ts';
import { LOCAL_BENCHES } from './rows.ts';

const BENCHES = { ...LOCAL_BENCHES, follow, functions };

const FULL = { rounds: 5, scale: 1 };
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
    rounds: option('N', 'rounds of each row, besides the first one, which warms up'),
  },
} as const;

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], rounds: wanted }) => {
  const { rounds, scale } = quick ? QUICK : FULL;
  const count = wanted === undefined ? rounds : wholeNumber('rounds', wanted, [1, 100]);
  const names = only.map((name) => oneOf('only', name, Object.keys(BENCHES)));
  let failures = 0;
  process.stdout.write(
    '| figure | measured | baseline, same run | ratio (spread) | target | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      process.stdout.write(await measure(bench, count, scale));
    } catch (error) {
      failures += 1;
      process.stdout.write(`| ${name} | failed: ${error instanceof Error ? error.message : error} | | | | failed |\n`);
    }
  }
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = `${type()} ${release()} ${arch()}, Node ${process.version}`;
  process.stdout.write(`\n${machine}, ${system}; ${new Date().toISOString()}\n`);
  return failures > 0 ? 1 : 0;
});
