import { join } from 'node:path';

// Read by Stryker in a process of its own; main.ts names the module.
const { name, code, tests, workers, incremental, sample } = JSON.parse(process.env.MUTATED_MODULE);

/** Stryker's options for one module. Stryker wants a default export. */
export default {
  mutate: code,
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner', join(import.meta.dirname, 'sample.mjs')],
  ...(sample > 0 && { checkers: ['sample'], sample }),
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
  ignorePatterns: ['/cdk.out'],
  tempDirName: 'build/mutation/sandbox',
  cleanTempDir: 'always',
  incremental,
  incrementalFile: `build/mutation/${name}.json`,
  reporters: ['html', 'clear-text', 'progress-append-only'],
  htmlReporter: { fileName: `build/mutation/${name}.html` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  // Below it the run fails.
  thresholds: { high: 100, low: 90, break: 90 },
  warnings: false,
  allowConsoleColors: false,
  // A mutant counts as hanging only after this time: on a busy machine tests may take long.
  timeoutMS: 20_000,
  timeoutFactor: 4,
};
