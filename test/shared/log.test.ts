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
  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('at level %s writes %j', (level, expected) => {
    const lines = written(level, (log) => {
      for (const name of LOG_LEVELS) log[name]('x');
    });
    expect(lines.map((line) => JSON.parse(line).level)).toStrictEqual(expected);
  });

  it('writes one JSON object a line for any values', () => {
    const [line = ''] = written('info', (log) =>
      log.info('a\nb', {
        big: 2n ** 70n,
        text: '\n"\u2028',
        deep: [{ error: new AppError('No.', { code: 'venue_error' }), big: 1n }],
      }),
    );
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toStrictEqual({
      time: '1970-01-01T00:00:01.000Z',
      level: 'info',
      message: 'a\nb',
      big: '1180591620717411303424',
      text: '\n"\u2028',
      deep: [{ error: { name: 'AppError', code: 'venue_error', message: 'No.' }, big: '1' }],
    });
  });

  it('describes an error with its causes', () => {
    const root = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    const error = new AppError('The venue failed.', { code: 'venue_error', cause: root });
    const [line = ''] = written('info', (log) => log.warn('x', { error }));
    expect(JSON.parse(line).error).toStrictEqual({
      name: 'AppError',
      code: 'venue_error',
      message: 'The venue failed.',
      cause: { name: 'Error', code: 'ECONNRESET', message: 'reset', stack: expect.stringContaining('reset') },
    });
  });
});

describe('lines', () => {
  it('do not pile up in memory before a reader that stands still', () => {
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

  it('that cannot be written end no process', async () => {
    const stream = new Writable({ write: (_text, _encoding, done) => done(new Error('write EPIPE')) });
    createLineWriter(stream)('a');
    await new Promise((resolve) => stream.once('close', resolve));
  });
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
