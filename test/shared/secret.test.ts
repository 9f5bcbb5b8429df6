import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import v8 from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { createLog } from '../../shared/log.ts';
import { Secret } from '../../shared/secret.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';

const VALUE = 'ab'.repeat(32);
const secret = new Secret(VALUE);
const config = parseLocalConfig({
  SERVICE_PLACE_ORDER: '1',
  SERVICE_PRIVATE_KEY: VALUE,
  SERVICE_CLOB_API_KEY: 'key-id',
  SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl',
  SERVICE_CLOB_API_PASSPHRASE: 'pass-phrase',
});

/** Everything a console method writes. */
function printed(use: (console: Console) => void): string {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk;
      done();
    },
  });
  use(new Console({ stdout: stream, stderr: stream }));
  return text;
}

function logged(fields: Record<string, unknown>): string {
  let text = '';
  createLog({ level: 'debug', write: (line) => (text += line) }).error('x', fields);
  return text;
}

function thrownBy(action: () => unknown): string {
  try {
    return String(action());
  } catch (error) {
    return inspect(error, { showHidden: true });
  }
}

const failure = new Error('failed', { cause: secret });
const hidden = { showHidden: true, depth: 10, getters: true } as const;

const WAYS: readonly (readonly [name: string, show: (value: object) => string])[] = [
  ['console.log', (value) => printed((console) => console.log(value, { value }, [value]))],
  ['console.dir', (value) => printed((console) => console.dir(value, hidden))],
  ['console.table', (value) => printed((console) => console.table([value]))],
  ['console.error of a cause', (value) => printed((console) => console.error(new Error('x', { cause: value })))],
  ['JSON', (value) => JSON.stringify({ value, list: [value] }, null, 1)],
  ['util.inspect', (value) => inspect(value, hidden)],
  ['util.inspect without our words', (value) => inspect(value, { ...hidden, customInspect: false })],
  ['util.format', (value) => format('%s %o %O %j %d %i', value, value, value, value, value, value)],
  ['a template', (value) => `${value}`],
  ['a sum', (value) => `${value}x${[value].join()}`],
  ['Object.keys', (value) => Object.keys(value).join()],
  ['Object.entries', (value) => JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(value)))],
  ['Reflect.ownKeys', (value) => inspect(Reflect.ownKeys(value))],
  ['a spread', (value) => inspect({ ...value }, hidden)],
  ['Object.assign', (value) => inspect(Object.assign({}, value), hidden)],
  ['structuredClone', (value) => thrownBy(() => inspect(structuredClone(value), hidden))],
  ['v8.serialize', (value) => thrownBy(() => v8.serialize(value).toString('latin1'))],
  ['the log', (value) => logged({ value, error: new Error('x', { cause: value }) })],
  [
    'the stack of an error',
    (value) =>
      thrownBy(() => {
        throw new Error(`${value}`);
      }),
  ],
  ['a number', (value) => String(Number(value))],
  ['toString', (value) => value.toString()],
];

describe.each([
  ['a secret', secret],
  ['an error caused by one', failure],
  ['the configuration', config],
])('%s', (_name, value) => {
  it.each(WAYS)('is not seen through %s', (_way, show) => {
    const text = show(value);
    expect(text).not.toContain(VALUE);
    expect(text).not.toMatch(/c2VjcmV0|pass-phrase/);
  });
});

describe('a secret', () => {
  it('is returned by reveal() only', () => {
    expect(secret.reveal()).toBe(VALUE);
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toStrictEqual([
      '[secret]',
      '"[secret]"',
      '[secret]',
    ]);
  });
});
