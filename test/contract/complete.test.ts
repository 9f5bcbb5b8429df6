import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../operator/commands/commands.ts';
import { orderEvent } from '../../operator/follow/event.ts';
import { ERROR_CODES, ERRORS } from '../../shared/errors.ts';
import { LOCAL, variableOf } from '../../shared/settings/table.ts';
import { DESK } from './desk.ts';
import { LOOKS } from './follow.ts';
import { CHECKS } from './sections.ts';

/** The names that some check proves, each as often as it is proved. */
const PROVED = CHECKS.flatMap(({ proves }) => proves);

describe('exactly one check of the contract exists', () => {
  it('for each error code', () => {
    expect(PROVED.filter((name) => name in ERRORS).toSorted()).toStrictEqual(ERROR_CODES.toSorted());
  });

  it('for each setting of the local server', () => {
    const variables = Object.keys(LOCAL).map(variableOf);
    expect(PROVED.filter((name) => !(name in ERRORS)).toSorted()).toStrictEqual(variables.toSorted());
  });

  it('for each type of event', () => {
    const types = orderEvent.def.options.flatMap(({ shape }) => [...shape.type.def.values]);
    expect(LOOKS.flatMap(({ proves }) => proves).toSorted()).toStrictEqual(types.toSorted());
  });

  it('for each command of the desk', () => {
    expect(Object.keys(DESK).toSorted()).toStrictEqual(Object.keys(COMMANDS).toSorted());
  });

  it('for each clause', () => {
    const looks = LOOKS.map(({ clause }) => `follow: ${clause}`);
    const names = [...looks, ...CHECKS.map(({ section, clause }) => `${section}: ${clause}`)];
    expect(new Set(names).size).toBe(names.length);
  });
});
