import { describe, it } from '@jest/globals';
import { follow } from '../support/operator/looks.ts';
import { loadContract } from './document.ts';
import { LOOKS } from './follow.ts';

const contract = loadContract();

describe('what became of an order', () => {
  it.each(LOOKS.map((looks) => [looks.clause, looks] as const))('%s', async (_clause, looks) => {
    for (const event of await follow(looks)) contract.checkBody('OrderEvent', event);
  });
});
