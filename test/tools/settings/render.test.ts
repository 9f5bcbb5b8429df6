import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseLocalConfig } from '../../../shared/settings/config.ts';
import { SERVER_SETTINGS } from '../../../shared/settings/table.ts';
import { insertTable, renderEnvironment, renderTable } from '../../../tools/settings/render.ts';

const readText = (name: string) => readFile(join(import.meta.dirname, '../../..', name), 'utf8');

describe('the table of settings', () => {
  it('is what .env.example and its page say; `npm run settings` writes them', async () => {
    expect(await readText('.env.example')).toBe(renderEnvironment());
    const page = await readText('docs/settings.md');
    expect(page).toBe(insertTable(page));
  });

  it('gives an example that a service starts with as it stands, with every setting in force', () => {
    const env = parseEnv(renderEnvironment().replaceAll(/^# (?=SERVICE_)/gm, ''));
    expect(Object.keys(env).toSorted()).toStrictEqual(SERVER_SETTINGS.map(({ name }) => name).toSorted());
    expect(parseLocalConfig(env)).toStrictEqual(parseLocalConfig({}));
  });

  it('is what the example of Going live uses', async () => {
    const [, example = ''] = /```ini\n(.*?)```/s.exec(await readText('docs/going-live.md')) ?? [];
    const filled = example
      .replace('PRIVATE_KEY=0x…', `PRIVATE_KEY=0x${'1'.repeat(64)}`)
      .replace('0x…', `0x${'1'.repeat(40)}`);
    expect(parseLocalConfig(parseEnv(filled))).toMatchObject({
      orders: { kind: 'on' },
      maxOrderNotional: { coefficient: 5n },
    });
  });

  it('stands between the markers of a page alone', () => {
    const page = (table: string) => `# Title\n\n<!-- settings -->\n${table}<!-- /settings -->\n\nEnd\n`;
    expect(insertTable(page('| old |\n'))).toBe(page(renderTable()));
    expect(insertTable(page(''))).toBe(page(renderTable()));
    expect(insertTable('# Title\n')).toBe('# Title\n');
    expect(renderTable()).toContain('| `SERVICE_PORT` | `8080` | port to listen on; 0 takes a free one | - |\n');
    expect(renderTable()).toContain('| `SERVICE_CORS_ORIGINS` | empty |');
  });
});
