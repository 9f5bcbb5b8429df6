import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettingsFile, withSettingsFile } from '../../../local/service/settings-file.ts';
import { parseDecimal } from '../../../shared/decimal.ts';
import { parseLocalConfig } from '../../../shared/settings/config.ts';
import { ConfigError } from '../../../shared/settings/formats.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { funderOf } from '../../support/venue/signing.ts';

/** Of `PAPER_KEY`. */
const PAPER_WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

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
  it('has a complete example in the documents, with which orders are placed', async () => {
    const guide = await readFile(new URL('../../../docs/going-live.md', import.meta.url), 'utf8');
    const example = /^```ini\n(.*?)^```$/ms.exec(guide)?.[1] ?? '';
    const [, optIn = ''] = /^Add `(.*?)` to `\.env`/m.exec(guide) ?? [];
    const text = `${example}${optIn}\n`
      .replace('PRIVATE_KEY=0x…', `PRIVATE_KEY=0x${PAPER_KEY}`)
      .replace('FUNDER_ADDRESS=0x…', `FUNDER_ADDRESS=${funderOf(PAPER_WALLET, 'deposit-wallet')}`);
    const config = parseLocalConfig(await read(text));
    expect([config.mode, config.warnings, config.maxOrderNotional]).toStrictEqual([
      'order-placing',
      [],
      parseDecimal('5'),
    ]);
  });

  it('is parsed as Node parses it', async () => {
    const text = [
      '\ufeff# a comment, after the mark of an editor',
      '',
      'SERVICE_PORT=1',
      '  SERVICE_HOST = ::1  # loopback\r',
      'export  SERVICE_STORE  ="a b#c"',
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

  it.each([
    'SERVICE_CLOB_API_SECRET: aHVudGVyMg==',
    '=aHVudGVy',
    'export\tSERVICE_CLOB_API_SECRET=aHVudGVy',
    'SERVICE_CLOB_API_SECRET\t=aHVudGVy',
    // Node would drop what follows the value: a cap, or a part of one.
    'SERVICE_PLACE_ORDER="1" SERVICE_MAX_ORDER_NOTIONAL="5"',
    "SERVICE_MAX_ORDER_NOTIONAL='5'0",
  ])('is refused in one sentence, without its text, for the line %j', async (line) => {
    const sentence = `Line 2 of ${path} must be NAME=value, a comment or empty.`;
    await expect(read(`SERVICE_PORT=1\n${line}\n`)).rejects.toThrow(new ConfigError(sentence));
  });

  it('is overridden by the environment, even by empty values', async () => {
    await writeFile(path, 'SERVICE_PRIVATE_KEY=1\nSERVICE_PORT=2\n');
    const env = withSettingsFile(path, { SERVICE_PRIVATE_KEY: '' });
    expect(env).toStrictEqual({ SERVICE_PRIVATE_KEY: '', SERVICE_PORT: '2' });
  });

  it('may be missing unless it was named, and is refused in one sentence if it is unreadable', () => {
    const missing = join(folder, 'missing');
    expect(readSettingsFile(missing, { optional: true })).toStrictEqual({});
    const read = (file: string, optional: boolean) => () => readSettingsFile(file, { optional });
    expect(read(missing, false)).toThrow(`${missing} cannot be read (ENOENT).`);
    expect(read(folder, true)).toThrow(`${folder} cannot be read (EISDIR).`);
  });
});
