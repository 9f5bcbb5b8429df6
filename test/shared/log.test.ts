import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../shared/errors.ts';
import { createLog, LOG_LEVELS, type LogLevel } from '../../shared/log.ts';

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
    const [line = ''] = written('info', (log) => log.info('a\nb', { big: 2n ** 70n, text: '\n"\u2028' }));
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toStrictEqual({
      time: '1970-01-01T00:00:01.000Z',
      level: 'info',
      message: 'a\nb',
      big: '1180591620717411303424',
      text: '\n"\u2028',
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

  it('comes to an end with a circle of causes', () => {
    const [a, b] = [new Error('a'), new Error('b')];
    a.cause = b;
    b.cause = a;
    const [line = ''] = written('info', (log) => log.error('x', { error: a }));
    expect(line.match(/"message":"[ab]"/g)).toHaveLength(6);
  });
});
