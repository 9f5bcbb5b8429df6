import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Stryker } from '@stryker-mutator/core';
import { oneOf, runCommand, wholeNumber } from '../../shared/command-line.ts';
import { MODULES, type MutatedModule } from './modules.ts';
import { ACCEPTED } from './survivors.ts';

/** Of each module, in percent: below it the run fails. */
const LEAST_SCORE = 90;

const NAMES = Object.keys(MODULES);

const COMMAND = {
  purpose: 'Breaks modules in one place after another, and lists what no test notices.',
  usage: 'npm run mutation -- [options]',
  options: {
    module: { type: 'string', value: 'NAME', multiple: true, meaning: 'only this one; may be repeated' },
    workers: { type: 'string', value: 'N', default: '2', meaning: 'processes that run tests' },
    incremental: {
      type: 'boolean',
      default: false,
      meaning: 'keep what the last run found where neither code nor tests have changed',
    },
  },
  notes: `The modules: ${NAMES.join(', ')}. Reports go to build/mutation. Exits with 1 where a score is below ${LEAST_SCORE} %.\n`,
} as const;

interface Effort {
  readonly workers: number;
  readonly incremental: boolean;
}

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Runs the tests of a module against each of its mutants. */
async function mutate(
  name: string,
  { code, tests }: MutatedModule,
  { workers, incremental }: Effort,
): Promise<Mutant[]> {
  // Loaded only here: `--help` does without.
  const { Stryker } = await import('@stryker-mutator/core');
  const stryker = new Stryker({
    mutate: [...code],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    jest: {
      configFile: 'jest.config.js',
      config: {
        testMatch: tests.map((path) => `<rootDir>/test/${path}.test.ts`),
        testEnvironment: join(import.meta.dirname, 'first-failure.mjs'),
      },
      enableFindRelatedTests: false,
    },
    coverageAnalysis: 'perTest',
    concurrency: workers,
    // Types are erased before a test runs.
    disableTypeChecks: false,
    ignorePatterns: ['/cdk.out', '/console', '/deploy', '/infra'],
    tempDirName: 'build/mutation/sandbox',
    cleanTempDir: 'always',
    incremental,
    incrementalFile: `build/mutation/${name}.json`,
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: `build/mutation/${name}.html` },
    warnings: false,
    allowConsoleColors: false,
    // A mutant counts as hanging only after this time: on a busy machine tests may take long.
    timeoutMS: 20_000,
    timeoutFactor: 4,
  });
  return stryker.runMutationTest();
}

/** The changed piece of the source, an arrow, and what stood in its place; each on one line. */
async function changeOf({ fileName, location: { start, end }, replacement }: Mutant): Promise<string> {
  const lines = (await readFile(fileName, 'utf8')).split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const piece = lines.map((line, index) =>
    line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
  );
  const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  return `${onOneLine(piece.join(' '))} -> ${onOneLine(replacement)}`;
}

/** Counts the mutants of a module, and lists the survivors that nobody has given a reason for. */
async function sumUp(name: string, { code }: MutatedModule, mutants: readonly Mutant[]) {
  const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const changes = await Promise.all(
    survivors.map(async (mutant) => {
      const file = relative('.', mutant.fileName);
      return { file, line: mutant.location.start.line, change: await changeOf(mutant) };
    }),
  );
  const reasons = ACCEPTED.filter(({ file }) => code.includes(file));
  const isAccepted = (found: { readonly file: string; readonly change: string }) =>
    reasons.some(({ file, changes: known }) => file === found.file && known.includes(found.change));
  const isStale = (file: string, change: string) =>
    !changes.some((found) => found.file === file && found.change === change);
  // A test file that fails to load has noticed the mutant; a mutant that never ends is noticed by its time-out.
  const late = mutants.filter(({ status }) => status === 'Timeout').length;
  const score = mutants.length === 0 ? 0 : 100 - (100 * survivors.length) / mutants.length;
  return {
    score,
    row: `| ${name} | ${mutants.length} | ${mutants.length - survivors.length} | ${survivors.length} | ${score.toFixed(1)} % |`,
    lines: [
      `${name}: ${score.toFixed(1)} %, ${late} of the killed by a time-out`,
      ...changes.filter((found) => !isAccepted(found)).map(({ file, line, change }) => `${file}:${line}: ${change}`),
      ...reasons.flatMap(({ file, changes: known }) =>
        known.filter((change) => isStale(file, change)).map((change) => `${file}: no survivor any more: ${change}`),
      ),
    ],
  };
}

process.exitCode = await runCommand(COMMAND, async ({ module: wanted = NAMES, workers, incremental }) => {
  const effort = { workers: wholeNumber('workers', workers, [1, 64]), incremental };
  const chosen = wanted.map((name) => oneOf('module', name, NAMES));
  const rows: string[] = [];
  let least = 100;
  for (const [name, mutated] of Object.entries(MODULES).filter(([name]) => chosen.includes(name))) {
    const { row, lines, score } = await sumUp(name, mutated, await mutate(name, mutated, effort));
    process.stdout.write([...lines, ''].join('\n'));
    rows.push(row);
    least = Math.min(least, score);
  }
  const head = ['| module | mutants | killed | survived | score |', '| --- | --- | --- | --- | --- |'];
  process.stdout.write(['', ...head, ...rows, ''].join('\n'));
  return least < LEAST_SCORE ? 1 : 0;
});
