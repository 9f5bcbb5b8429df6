import { readFile, writeFile } from 'node:fs/promises';
import { arch, cpus, totalmem, type } from 'node:os';
import { flag, oneOf, option, runCommand, wholeNumber } from '../../local/command-line.ts';
import { measure } from './bench.ts';
import { follow } from './follow-rows.ts';
import { functions } from './lambda-rows.ts';
import { LOCAL_BENCHES } from './rows.ts';

const BENCHES = { ...LOCAL_BENCHES, follow, functions };

/** Two rounds of each of three processes. */
const FULL = { rounds: 6, scale: 1 };
/** Enough to show a change of a tenth. */
const QUICK = { rounds: 3, scale: 0.2 };

const PAGE = new URL('../../docs/performance.md', import.meta.url);
const BLOCK = /(?<=<!-- bench -->\n).*?(?=<!-- \/bench -->)/s;

const COMMAND = {
  purpose: 'Measures the service against baselines of the same run. Prints a table.',
  usage: 'npm run bench -- [options]',
  options: {
    quick: flag(`${QUICK.rounds} rounds of a fifth of the load, instead of ${FULL.rounds} full ones`),
    only: {
      ...option('NAME', `measure this part; may be given repeatedly: ${Object.keys(BENCHES).join(', ')}`),
      multiple: true,
    },
    write: flag('puts the table of a run of all parts into docs/performance.md too'),
    rounds: option('N', 'rounds of each row, besides the first one, which warms up'),
  },
} as const;

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], write, rounds: wanted }) => {
  const { rounds, scale } = quick ? QUICK : FULL;
  const count = wanted === undefined ? rounds : wholeNumber('rounds', wanted, [1, 100]);
  const names = only.map((name) => oneOf('only', name, Object.keys(BENCHES)));
  let failures = 0;
  let table = '';
  const print = (text: string) => {
    table += text;
    process.stdout.write(text);
  };
  print(
    '| figure | measured | baseline, same run | ratio (spread) | target | |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      print(await measure(bench, count, scale));
    } catch (error) {
      failures += 1;
      print(`| ${name} | failed: ${error instanceof Error ? error.message : error} | | | | failed |\n`);
    }
  }
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const system = `${type()} ${arch()}, Node ${process.version}`;
  print(`\n${machine}, ${system}; ${new Date().toISOString().slice(0, 10)}.\n`);
  if (write && names.length === 0) {
    const page = await readFile(PAGE, 'utf8');
    await writeFile(PAGE, page.replace(BLOCK, table));
  }
  return failures > 0 ? 1 : 0;
});
