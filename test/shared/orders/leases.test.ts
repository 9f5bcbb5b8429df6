import { describe, expect, it } from '@jest/globals';
import { judgeLeases } from '../../../shared/orders/leases.ts';

describe('the leases that a process remembers', () => {
  it('are the last 10,000', () => {
    let uptime = 0;
    const remainingMs = judgeLeases(1_000, () => uptime);
    const see = (owner: string) => remainingMs({ owner, until: 60_000 }, 0);
    for (let lease = 1; lease <= 10_000; lease += 1) see(`${lease}`);
    uptime = 400;
    expect(see('1')).toBe(600);
    see('10001');
    expect(see('1')).toBe(1_000);
  });
});
