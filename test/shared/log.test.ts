import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import v8 from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../shared/errors.ts';
import { createLineWriter, createLog, LOG_LEVELS, type LogLevel } from '../../shared/log.ts';
import { Secret } from '../../shared/secret.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';

function written(level: LogLevel, use: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  use(createLog({ level, write: (line) => lines.push(line), now: () => 1_000 }));
  return lines;
}

describe('the log', () => {
  it('writes lines from its level on, and audit lines at every level', () => {
    const levels = LOG_LEVELS.map((level) => {
      const lines = written(level, (log) => {
        for (const name of [...LOG_LEVELS, 'audit'] as const) log[name]('x');
      });
      return lines.map((line) => JSON.parse(line).level).join(' ');
    });
    const all = ['debug info warn error info', 'info warn error info', 'warn error info', 'error info'];
    expect(levels).toStrictEqual(all);
  });

  it('writes one JSON object a line for any values, and an error with its causes', () => {
    const root = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    root.cause = root;
    const error = new AppError('No.', { code: 'venue_error', cause: root });
    const [line = ''] = written('info', (log) =>
      log.info('a\nb', { big: 2n ** 70n, text: '\n"\u2028', deep: [{ error }] }),
    );
    expect(line).not.toContain('\n');
    expect(written('info', (log) => log.info('x', { big: 1n }))[0]).toContain('"big":"1"');
    const { deep, ...rest } = JSON.parse(line);
    const time = '1970-01-01T00:00:01.000Z';
    const plain = { big: '1180591620717411303424', text: '\n"\u2028' };
    expect(rest).toStrictEqual({ time, level: 'info', message: 'a\nb', ...plain });
    expect(deep[0].error).toStrictEqual({
      name: 'AppError',
      code: 'venue_error',
      message: 'No.',
      cause: expect.anything(),
    });
    const { cause, ...described } = deep[0].error.cause;
    const stack = expect.stringContaining('reset');
    expect(described).toStrictEqual({ name: 'Error', code: 'ECONNRESET', message: 'reset', stack });
    // A cycle of causes ends.
    expect(JSON.stringify(cause).match(/"cause"/g)).toHaveLength(3);
  });
});

it('lines do not pile up in memory before a reader that stands still', () => {
  const taken: string[] = [];
  const done: (() => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, next) => {
      taken.push(text);
      done.push(next);
    },
  });
  const write = createLineWriter(stream, 10);
  for (const line of ['held', '0123456789', 'lost']) write(line);
  while (done.length > 0) done.shift()?.();
  expect(taken).toStrictEqual(['held\n', '0123456789\n']);
});

const VALUE = 'ab'.repeat(32);
const secret = new Secret(VALUE);
const config = parseLocalConfig({
  SERVICE_PLACE_ORDER: '1',
  SERVICE_PRIVATE_KEY: VALUE,
  SERVICE_CLOB_API_KEY: 'key-id',
  SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl',
  SERVICE_CLOB_API_PASSPHRASE: 'pass-phrase',
});
const hidden = { showHidden: true, depth: 10, getters: true } as const;

/** Returns what a function that takes text collects. */
function collected(use: (write: (text: string) => void) => void): string {
  let all = '';
  use((text) => {
    all += text;
  });
  return all;
}

/** Ways by which a value gets out by accident. */
const WAYS: Readonly<Record<string, (value: object) => string>> = {
  console: (value) =>
    collected((write) => {
      const stream = new Writable({ write: (chunk, _encoding, done) => done(void write(`${chunk}`)) });
      const console = new Console({ stdout: stream, stderr: stream });
      console.log(value, { value }, [value]);
      console.dir(value, hidden);
      console.error(new Error('x', { cause: value }));
    }),
  JSON: (value) => JSON.stringify({ value, list: [value] }),
  'util.inspect': (value) => inspect(value, hidden),
  'util.inspect without our words': (value) => inspect(value, { ...hidden, customInspect: false }),
  'util.format': (value) => format('%s %o %O %j %d %i', value, value, value, value, value, value),
  'text and number': (value) => `${value}${[value].join()}${Number(value)}`,
  'its members': (value) =>
    inspect([Object.getOwnPropertyDescriptors(value), Reflect.ownKeys(value), { ...value }], hidden),
  'a serialised copy': (value) => {
    try {
      return v8.serialize(value).toString('latin1') + inspect(structuredClone(value), hidden);
    } catch (error) {
      return inspect(error, hidden);
    }
  },
  'the log': (value) =>
    collected((write) =>
      createLog({ level: 'debug', write }).error('x', { value, error: new Error('x', { cause: value }) }),
    ),
};

describe.each([
  ['a secret', secret],
  ['an error caused by one', new Error('failed', { cause: secret })],
  ['the configuration', config],
])('%s', (_name, value) => {
  it.each(Object.keys(WAYS))('is hidden from %s', (way) => {
    const text = WAYS[way]?.(value);
    expect(text).toMatch(/./);
    expect(text).not.toMatch(/abab|c2VjcmV0|pass-phrase/);
  });
});
