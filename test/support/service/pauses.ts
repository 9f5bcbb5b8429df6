import { jest } from '@jest/globals';
import { fakeOnly } from '../jest.ts';

/**
 * Ends each pause of the code under test at once: `jest.now()` is the time that it then believes. Sockets and `fetch` keep
 * their own timers. The caller ends it with `jest.useRealTimers()`.
 */
export function skipPauses(): void {
  fakeOnly(['setTimeout', 'clearTimeout']);
  jest.setTimerTickMode({ mode: 'nextAsync' });
}
