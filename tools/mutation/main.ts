import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { flag, oneOf, runCommand, wholeNumber } from '../../local/command-line.ts';
import { MODULES } from './modules.ts';

const ROOT = join(import.meta.dirname, '../..');
const STRYKER = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');

const NAMES = Object.keys(MODULES);

const COMMAND = {
  purpose: 'Breaks modules in one place after another, and lists the breaks that no test notices.',
  usage: 'npm run mutation -- [options]',
  options: {
    module: { type: 'string', value: 'NAME', multiple: true, meaning: 'only this one; may be repeated' },
    workers: { type: 'string', value: 'N', default: '2', meaning: 'processes that run tests' },
    sample: {
      type: 'string',
      value: 'N',
      default: '0',
      meaning: 'breaks of a module, the same ones each time; 0 for all',
    },
    incremental: flag('keep the results of the last run where neither code nor tests have changed'),
  },
  notes: `The modules: ${NAMES.join(', ')}. Reports go to build/mutation. Exits with 1 where a module's score is below 90 %.\n`,
} as const;

interface Effort {
  readonly workers: number;
  readonly incremental: boolean;
  /** Breaks of a module; 0: all. */
  readonly sample: number;
}

/** Runs Stryker on one module. Returns false if its score is too low. */
async function mutate(name: string, effort: Effort) {
  const module = JSON.stringify({ name, ...MODULES[name], ...effort });
  const stryker = spawn(process.execPath, [STRYKER, 'run', join(import.meta.dirname, 'stryker.config.mjs')], {
    cwd: ROOT,
    env: { ...process.env, MUTATED_MODULE: module },
    stdio: 'inherit',
  });
  const [code] = await once(stryker, 'exit');
  return code === 0;
}

process.exitCode = await runCommand(COMMAND, async ({ module: wanted = NAMES, workers, incremental, sample }) => {
  const effort = {
    workers: wholeNumber('workers', workers, [1, 64]),
    incremental,
    sample: wholeNumber('sample', sample, [0, 10_000]),
  };
  const failed: string[] = [];
  for (const name of wanted.map((name) => oneOf('module', name, NAMES))) {
    process.stdout.write(`\n${name}\n`);
    if (!(await mutate(name, effort))) failed.push(name);
  }
  if (failed.length > 0)
    process.stdout.write(`\nToo few breaks are noticed, or none could be made: ${failed.join(', ')}\n`);
  return failed.length > 0 ? 1 : 0;
});
