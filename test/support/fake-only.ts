import { jest } from '@jest/globals';

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
