import { afterAll, afterEach, describe, jest } from '@jest/globals';

/**
 * Cleans up after each test, and after the last one: jest runs no `afterEach` for tests that run beside others
 * (`it.concurrent`). Such tests may load nothing more once one of them has ended, which jest refuses between tests: they
 * suit where a service has started and answered before.
 */
export function afterTests(clean: () => Promise<unknown>): void {
  afterEach(clean);
  afterAll(clean);
}

/** A program of the system that some tests need; `package`: the one of Debian. */
interface Needed {
  readonly program: 'Chromium' | 'nginx';
  readonly isThere: boolean;
  readonly package: string;
}

/** As `describe` where a program is installed; elsewhere the tests are skipped, and it says so. */
export function describeWith(needed: Needed, name: string, tests: () => void): void {
  if (needed.isThere) {
    describe(name, tests);
    return;
  }
  // CI installs it: there a skipped test would be one that nobody misses.
  if (process.env[`REQUIRE_${needed.program.toUpperCase()}`] === '1')
    throw new Error(`${needed.program} is not installed.`);
  process.stderr.write(`SKIPPED: ${name}: on Debian, apt-get install ${needed.package}.\n`);
  describe.skip(name, tests);
}

/** True for `npm run proofs` and CI: the searches go many times as far. */
export const FULL_EXTENT = process.env['FULL_EXTENT'] === '1';

/** All that jest can fake. */
const APIS = [
  'Date',
  'cancelAnimationFrame',
  'cancelIdleCallback',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'requestAnimationFrame',
  'requestIdleCallback',
  'setImmediate',
  'setInterval',
  'setTimeout',
] as const;

/** Fakes these alone, from `now` on; sockets need the rest. The caller ends it with `jest.useRealTimers()`. */
export function fakeOnly(apis: readonly (typeof APIS)[number][], now = Date.now()): void {
  jest.useFakeTimers({ now, doNotFake: APIS.filter((api) => !apis.includes(api)) });
}
