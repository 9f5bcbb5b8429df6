import { describe, expect, it } from '@jest/globals';
import { FULL_EXTENT } from '../../support/full-extent.ts';
import { explore } from '../../support/orders/interleavings.ts';
import { createWorld } from '../../support/orders/order-world.ts';

const KEY = 'of an order that is held up';

// Beside `model.test.ts`, so that both run at the same time.
describe('an order that may still arrive, in every interleaving of two processes and a later repeat', () => {
  it('is placed once at most, and gets no untrue or changing final answer', async () => {
    const extent = FULL_EXTENT ? { faults: 1, ticks: 2 } : { faults: 0, ticks: 2 };
    const { broken, states, ends } = await explore(() => createWorld({ ...extent, key: KEY }));
    expect(broken).toBeUndefined();
    // A search that found nothing because it went nowhere would pass as well.
    expect(states).toBeGreaterThan(1_000);
    expect(ends).toBeGreaterThan(20);
  }, 300_000);

  it('breaks when a refusal of the last sending alone releases a key', async () => {
    const flaw = 'a key is freed by a refusal of its last sending alone';
    const { broken } = await explore(() => createWorld({ faults: 1, ticks: 2, key: KEY, flaw }));
    expect(broken?.breach).toBe('two orders are at the venue');
  }, 300_000);
});
