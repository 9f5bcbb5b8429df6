import './local/node-version.cjs';
import { join } from 'node:path';

// What Node compiles is kept, for the workers and for the commands that tests start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node-compile');

/** Tests run the sources as Node does: ES modules, TypeScript with its types erased. */
export default {
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': '<rootDir>/test/support/erase-types.mjs',
  },
  // A proof builds packages or runs the CDK for minutes: CI runs it, and `npm run proofs`.
  testMatch: ['test', 'group', ...(process.env.FULL_EXTENT === '1' ? ['proof'] : [])].map(
    (kind) => `<rootDir>/test/**/*.${kind}.ts`,
  ),
  filter: '<rootDir>/test/support/groups.cjs',
  // A package that was built bears the project's name, of which jest would warn.
  modulePathIgnorePatterns: ['<rootDir>/build/'],
  // Many tests wait for a time to pass: two workers for each of two cores leave little unused. More take more time in all.
  maxWorkers: 4,
  // Modules of finished suites stay in a worker's memory: a fresh one costs less than collecting them again and again.
  workerIdleMemoryLimit: '500MB',
  // Workers end at the same time, and Node takes more than jest's 500 ms to clean up after each: jest would report a leak.
  workerGracefulExitTimeout: 10_000,
  // For what hangs: a busy machine is no fault. A proof may take minutes.
  testTimeout: process.env.FULL_EXTENT === '1' ? 600_000 : 60_000,
};
