import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseLocalConfig } from '../../shared/settings/config.ts';
import { LISTED, variableOf } from '../../shared/settings/table.ts';
import { insertTables, renderEnvironment } from '../../tools/settings/render.ts';

const readText = (name: string) => readFile(join(import.meta.dirname, '../..', name), 'utf8');

describe('the table of settings', () => {
  it('matches .env.example and docs/settings.md, which `npm run settings` writes', async () => {
    expect(await readText('.env.example')).toBe(renderEnvironment());
    const page = await readText('docs/settings.md');
    expect(page).toBe(insertTables(page));
  });

  it('writes an example that a service starts with unchanged, with every setting in force', () => {
    const env = parseEnv(renderEnvironment().replaceAll(/^# (?=[A-Z_]+=)/gm, ''));
    expect(Object.keys(env).toSorted()).toStrictEqual(Object.keys(LISTED).map(variableOf).toSorted());
    expect(parseLocalConfig(env)).toStrictEqual(parseLocalConfig({}));
  });
});
