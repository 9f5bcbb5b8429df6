import { afterAll, afterEach } from '@jest/globals';

/**
 * Cleans up after each test, and after the last one: jest runs no `afterEach` for tests that run beside others
 * (`it.concurrent`). Such tests may load nothing more once one of them has ended, which jest refuses between tests: they
 * suit where a service has started and answered before.
 */
export function afterTests(clean: () => Promise<unknown>): void {
  afterEach(clean);
  afterAll(clean);
}
