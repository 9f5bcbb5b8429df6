import { describe, it } from '@jest/globals';
import { follow } from '../support/operator/looks.ts';
import { LOOKS } from './follow.ts';

describe('what became of an order', () => {
  it.each(LOOKS.map((looks) => [looks.clause, looks] as const))('%s', async (_clause, looks) => {
    await follow(looks);
  });
});
