import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MODULES } from '../../../tools/mutation/modules.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('the mutation tests', () => {
  it.each(Object.entries(MODULES))('of the module %s name code and tests that there are', (_name, { code, tests }) => {
    const files = [...code, ...tests.map((path) => `test/${path}.test.ts`)];
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toStrictEqual([]);
  });
});
