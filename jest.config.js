import './local/node-version.cjs';

/** Tests run the sources as Node does: ES modules, TypeScript with its types erased. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Many tests wait for a time to pass: a second worker makes use of it, also where there are two cores.
  maxWorkers: 2,
  testTimeout: 90_000,
  reporters: ['default', '<rootDir>/test/support/duration.mjs'],
};
