import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MODULES } from '../../../tools/mutation/modules.ts';
import { ACCEPTED } from '../../../tools/mutation/survivors.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('the mutation tests', () => {
  it.each(Object.entries(MODULES))('of the module %s name code and tests that there are', (_name, { code, tests }) => {
    const files = [...code, ...tests.map((path) => `test/${path}.test.ts`)];
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toStrictEqual([]);
  });

  it('give reasons only for changes of code that is there', () => {
    const onOneLine = (text: string) => text.replace(/\s+/g, ' ');
    const gone = ACCEPTED.flatMap(({ file, changes }) => {
      const source = onOneLine(readFileSync(join(ROOT, file), 'utf8'));
      return changes.filter((change) => !source.includes(change.slice(0, change.lastIndexOf(' -> '))));
    });
    expect(gone).toStrictEqual([]);
  });
});
