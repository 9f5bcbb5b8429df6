import { setTimeout as sleep } from 'node:timers/promises';

/** A condition that takes longer never comes, also on a busy machine. Less than the limit of a test, which says less. */
const LIMIT_MS = 50_000;
/** The real one, also where a test fakes it. */
const now = performance.now.bind(performance);

/** Waits until a condition holds; throws after 50 s. */
export async function until(condition: () => unknown): Promise<void> {
  const end = now() + LIMIT_MS;
  while (!(await condition())) {
    if (now() > end) throw new Error(`it did not come within 50 s: ${condition}`);
    await sleep(5);
  }
}
