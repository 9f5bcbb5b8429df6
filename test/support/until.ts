import { setTimeout as sleep } from 'node:timers/promises';

/** A condition that takes longer never comes, also on a busy machine. */
const LIMIT_MS = 60_000;

/** Waits until a condition holds; throws after a minute. */
export async function until(condition: () => unknown): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`it did not come within a minute: ${condition}`);
    await sleep(5);
  }
}
