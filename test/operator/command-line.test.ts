import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { flag, oneOf, runCommand, type Values, wholeNumber } from '../../local/command-line.ts';
import { VERSION } from '../../shared/version.ts';
import { collect } from '../support/operator/desk.ts';

const ROOT = join(import.meta.dirname, '../..');

const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

/** The scripts that read their options by `runCommand`. */
const COMMANDS = Object.entries<string>(scripts).flatMap(([name, script]) => {
  const [command = ''] = script.replace(/^(?:exec |npm ci --prefix \S+ && )/, '').split(' && ');
  return /^node (?!.*(?: --test |jest|infra\/build))/.test(command)
    ? [[name, command.split(' ').slice(1)] as const]
    : [];
});

describe('every command', () => {
  it('is tested here', () => {
    const names = COMMANDS.map(([name]) => name);
    const known = ['start', 'paper', 'doctor', 'orders', 'paper:venue', 'mcp', 'soak', 'bench', 'conformance'];
    expect(names).toStrictEqual(expect.arrayContaining([...known, 'openapi', 'settings', 'docs', 'mutation']));
  });

  it.each(COMMANDS)('prints its options for --help: %s', async (_name, command) => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...command, '--help'], { cwd: ROOT });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^[A-Z].*\.\n\nUsage: .*\n {2}--help .*\n {2}--version /s);
  });

  it.each([
    ['start', '--papr', "Unknown option '--papr': did you mean --paper?"],
    ['start', '--port 9', "Unknown option '--port': did you mean the setting SERVICE_PORT?"],
    ['start', 'ordrs', "Unexpected argument 'ordrs': did you mean orders?"],
    ['orders', '', 'Name a command, such as open.'],
    ['orders', 'opne', "Unexpected argument 'opne': did you mean open?"],
    ['orders', 'list', "Unexpected argument 'list': did you mean open?"],
    ['orders', '--papr open', "Unknown option '--papr': did you mean --paper?"],
    ['orders', 'open --formt csv', "Unknown option '--formt': did you mean --format?"],
    ['doctor', '--jsn', "Unknown option '--jsn': did you mean --json?"],
    ['doctor', 'twice', "Unexpected argument 'twice'."],
    ['paper:venue', '--port abc', '--port must be a whole number from 0 to 65535.'],
    ['paper:venue', '--seed', "Option '--seed' needs a value."],
    ['mcp', '--max-order abc', '--max-order must be an amount such as 10 or 99.5.'],
    ['mcp', '--max-ordr 5', "Unknown option '--max-ordr': did you mean --max-order?"],
    ['mcp', '--token-file nowhere', '--token-file must be a file that can be read.'],
  ])('names the wrong word, and the right one: npm run %s -- %s', async (name, words, sentence) => {
    const [, command = []] = COMMANDS.find(([each]) => each === name) ?? [];
    const args = words.split(' ').filter((word) => word !== '');
    const ended = promisify(execFile)(process.execPath, [...command, ...args], { cwd: ROOT });
    const stderr = expect.stringContaining(`${sentence}\n\nUsage: `);
    await expect(ended).rejects.toMatchObject({ code: 2, stdout: '', stderr });
  });
});

/** A program that runs a command of this body. */
function programOf(body: string): readonly string[] {
  const path = JSON.stringify(join(ROOT, 'local/command-line.ts'));
  const command = `{ purpose: '', usage: '', options: {} }, async () => { ${body} }`;
  const source = `import { runCommand, THIS_PROCESS } from ${path}; process.exitCode = await runCommand(${command});`;
  return ['--input-type=module', '--eval', source];
}

it('runs a command to its end if its reader has gone', async () => {
  const write = "for (const one of [process.stdout, process.stderr]) await new Promise((end) => one.write('x', end));";
  const command = spawn(process.execPath, programOf(`for await (const _ of process.stdin); ${write} return 7;`));
  const exited = once(command, 'exit');
  for (const stream of [command.stdout, command.stderr]) {
    stream.destroy();
    await once(stream, 'close');
  }
  command.stdin.end();
  expect(await exited).toStrictEqual([7, null]);
});

it('exits with 1 if the report does not fit on the disk, also if a part was written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-test-'));
  // Blocks of 512 bytes, or of 1,024: the size that a file may have.
  const limited = 'ulimit -f 1; exec "$@" > report.txt';
  const program = [process.execPath, ...programOf("THIS_PROCESS.out('x'.repeat(4_000)); return 0;")];
  const command = spawn('sh', ['-c', limited, 'sh', ...program], { cwd: folder });
  const [errors, [code]] = await Promise.all([text(command.stderr), once(command, 'exit')]);
  await rm(folder, { recursive: true });
  expect(errors).toMatch(/^Error: EFBIG: file too large, write\n/);
  expect(code).toBe(1);
});

const COMMAND = {
  purpose: 'Counts.',
  usage: 'npm run count -- [options]',
  options: {
    loud: flag('shout'),
    to: { type: 'string', value: 'N', default: '3', meaning: 'the last number' },
    in: { type: 'string', value: 'WORD', multiple: true, meaning: 'a language' },
  },
  notes: 'In the end it stops.\n',
} as const;

type Read = Values<typeof COMMAND.options>;

function count(args: readonly string[], action: (values: Read) => number = () => 0) {
  return collect((terminal) => runCommand(COMMAND, action, { ...terminal, args }));
}

const LIST = `Usage: npm run count -- [options]

  --loud     shout
  --to N     the last number (default 3)
  --in WORD  a language
  --help     print this
  --version  print the version
`;

describe('a command line', () => {
  it('is parsed by its options, and exits with the code of the command', async () => {
    const seen: Read[] = [];
    const action = (values: Read) => {
      seen.push(values);
      return 7;
    };
    expect(await count(['--loud', '--in', 'en', '--in=fr'], action)).toStrictEqual({ code: 7, out: '', err: '' });
    expect(await count([])).toStrictEqual({ code: 0, out: '', err: '' });
    expect(seen.map((values) => ({ ...values }))).toStrictEqual([
      { loud: true, to: '3', in: ['en', 'fr'], help: false, version: false },
    ]);
  });

  it.each(['--help', '-h'])('prints its notes after the options for %s', async (option) => {
    const out = `Counts.\n\n${LIST}\nIn the end it stops.\n`;
    expect(await count([option, '--loud'])).toStrictEqual({ code: 0, out, err: '' });
  });

  it('prints the version and runs nothing', async () => {
    expect(await count(['--version'], () => 7)).toStrictEqual({ code: 0, out: `${VERSION}\n`, err: '' });
  });

  it.each([
    [['--lowder=1'], "Unknown option '--lowder'."],
    [['--hunter2'], 'Unknown option.'],
    [['hunter2'], 'Unexpected argument.'],
    [['--loud=hunter2'], "Option '--loud' takes no value."],
    [['--to', ''], "Option '--to' needs a value."],
    [['--in', 'en', '--in='], "Option '--in' needs a value."],
    [['--to'], "Option '--to' needs a value."],
    [['--to', '--loud'], "Option '--to' needs a value."],
    [['--to', '4', '--loud', '--to=5'], "Option '--to' is given twice."],
  ])('exits with 2 and the list of options for %j', async (args, sentence) => {
    expect(await count(args)).toStrictEqual({ code: 2, out: '', err: `${sentence}\n\n${LIST}` });
  });

  it.each([
    [() => wholeNumber('to', '0', [1, 9]), '--to must be a whole number from 1 to 9.'],
    [() => wholeNumber('to', '1e0', [1, 9]), '--to must be a whole number from 1 to 9.'],
    [() => oneOf('in', 'hunter2', ['en', 'fr']), '--in must be one of: en, fr.'],
  ])('exits with 2 if the command refuses a value', async (read, sentence) => {
    const action = () => {
      read();
      return 0;
    };
    expect(await count([], action)).toStrictEqual({ code: 2, out: '', err: `${sentence}\n\n${LIST}` });
  });

  it('exits with 1 and the stack for any other error', async () => {
    const action = (): number => {
      throw new TypeError('x is not a function');
    };
    const { code, out, err } = await count([], action);
    expect([code, out]).toStrictEqual([1, '']);
    expect(err).toMatch(/^TypeError: x is not a function\n {4}at /);
  });
});
