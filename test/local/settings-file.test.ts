import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettingsFile } from '../../local/settings-file.ts';
import { ConfigError } from '../../shared/formats.ts';

let folder: string;
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'settings-'));
  path = join(folder, '.env');
});

afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  await writeFile(path, text);
  return readSettingsFile(path, { optional: true });
}

describe('a file of settings', () => {
  it('is read as Node reads it', async () => {
    const text = [
      '\ufeff# a comment, after the mark of an editor',
      '',
      'SERVICE_PORT=1',
      '  SERVICE_HOST = ::1  # loopback\r',
      'export SERVICE_STORE="a b#c"',
      "SERVICE_CLOB_URL='https://a.example/?=#'",
      'SERVICE_PLACE_ORDER=',
      'OTHER=x',
      'SERVICE_PORT=2',
    ];
    expect(await read(text.join('\n'))).toStrictEqual({
      SERVICE_PORT: '2',
      SERVICE_HOST: '::1',
      SERVICE_STORE: 'a b#c',
      SERVICE_CLOB_URL: 'https://a.example/?=#',
      SERVICE_PLACE_ORDER: '',
      OTHER: 'x',
    });
  });

  it('loses no line to a quote that is left open', async () => {
    const text = 'SERVICE_STORE="orders.db\nSERVICE_MAX_ORDER_NOTIONAL=5\nSERVICE_CLOB_API_PASSPHRASE=a"b\n';
    expect(await read(text)).toMatchObject({ SERVICE_STORE: '"orders.db', SERVICE_MAX_ORDER_NOTIONAL: '5' });
  });

  it.each(['SERVICE_CLOB_API_SECRET: aHVudGVy', 'SERVICE_CLOB_API_SECRET: aHVudGVyMg==', 'aHVudGVy', '=aHVudGVy'])(
    'is refused in one sentence, without its text, for the line %j',
    async (line) => {
      const sentence = `Line 2 of ${path} must be NAME=value, a comment or empty.`;
      await expect(read(`SERVICE_PORT=1\n${line}\n`)).rejects.toThrow(new ConfigError(sentence));
    },
  );

  it('may be missing only where nobody asked for it', () => {
    const missing = join(folder, 'missing');
    expect(readSettingsFile(missing, { optional: true })).toStrictEqual({});
    const sentence = `${missing} cannot be read (ENOENT).`;
    expect(() => readSettingsFile(missing, { optional: false })).toThrow(sentence);
  });

  it('that is there and cannot be read is refused in one sentence', () => {
    const sentence = `${folder} cannot be read (EISDIR).`;
    expect(() => readSettingsFile(folder, { optional: true })).toThrow(sentence);
  });
});
