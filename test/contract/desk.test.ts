import { describe, it } from '@jest/globals';
import { sharedDeskWorld } from '../support/operator/desk-world.ts';
import { DESK } from './desk.ts';

const world = sharedDeskWorld();

describe('the desk', () => {
  it.each(Object.entries(DESK).map(([name, [clause, prove]]) => [name, clause, prove] as const))(
    '%s %s',
    (...[, , prove]) => prove(world),
  );
});
